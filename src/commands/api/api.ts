import { readFile } from "node:fs/promises";
import type { Context } from "../../cli/capabilities.ts";
import type { Reply } from "../../contract/service.ts";
import { exitCodeOfReply, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { isJson, printJson } from "../../output/answer.ts";
import { required } from "../arguments.ts";
import { refusalLine } from "../../output/refusal.ts";
import { defineCommand, optional, text } from "../../cli/define-command.ts";
import { operations } from "../../contract/operations.ts";

const all = Object.values(operations);
const usualMethods = [...new Set(all.map(({ method }) => method))];
/** Those without a parameter: the others cannot be completed. */
const usualPaths = [...new Set(all.flatMap(({ path }) => (path.includes("{") ? [] : path)))];

export const api = defineCommand({
  path: "api",
  description:
    "Send any request to the service and print its response as it came. The embedded engine answers as its server would.",
  args: {
    method: optional("GET, POST, PUT or DELETE", { takes: usualMethods }),
    path: optional("path that begins with /v1/, percent-encoded, with its query", {
      takes: usualPaths,
    }),
    dash: optional("read the body from standard input", { name: "-" }),
  },
  options: {
    body: text("--body <json>", "the body"),
    bodyFile: text("--body-file <file>", "file that holds the body; - for standard input", {
      takes: "file",
    }),
  },
  examples: [
    "sendctl api GET '/v1/group?perPage=5'",
    `sendctl api POST /v1/group --body '{"name": "Customers"}'`,
  ],
  async run({ context }, { method, path, dash }, options) {
    return sendRequest(context, { method, path, dash }, options);
  },
});

interface ApiOptions {
  readonly body?: string;
  readonly bodyFile?: string;
}

const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

interface Given {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly dash: string | undefined;
}

/** Sends any request, and shows what came as it came. */
async function sendRequest(context: Context, given: Given, options: ApiOptions): Promise<ExitCode> {
  const method = (await required(context, given.method, "METHOD", "Method")).toUpperCase();
  const path = await required(context, given.path, "PATH", "Path");
  if (!methods.includes(method)) {
    throw new SendctlError("usage", `METHOD is "${method}": it can be ${methods.join(", ")}`);
  }
  if (!/^\/(?![/\\])[\x21\x22\x24-\x7e]*$/.test(path)) {
    throw new SendctlError(
      "usage",
      `PATH is "${path}": it must begin with a single / and be percent-encoded`,
    );
  }
  const reply = await context.send({ method, path, body: await bodyOf(context, given, options) });
  return show(context, reply);
}

async function bodyOf(
  context: Context,
  { dash }: Given,
  { body, bodyFile }: ApiOptions,
): Promise<string | undefined> {
  if (dash !== undefined && dash !== "-") {
    throw new SendctlError(
      "usage",
      `"${dash}" is one argument too many: give the body with --body`,
    );
  }
  if ([dash, body, bodyFile].filter((source) => source !== undefined).length > 1) {
    throw new SendctlError("usage", "There is more than one body: give --body, --body-file or -");
  }
  if (dash === "-" || bodyFile === "-") return utf8(await context.readInput(), "Standard input");
  return bodyFile === undefined ? body : utf8(await contentsOf(bodyFile), bodyFile);
}

/** @throws SendctlError "usage" for bytes that are no text: nothing is sent that was not meant */
function utf8(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SendctlError("usage", `${source} is not UTF-8: convert it`, { cause: error });
  }
}

async function contentsOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SendctlError("usage", `--body-file ${file} can't be read (${code}): name another`, {
      cause: error,
    });
  }
}

async function show(context: Context, reply: Reply): Promise<ExitCode> {
  const isDone = reply.status >= 200 && reply.status < 300 && reply.envelope?.status !== false;
  if (isJson(reply.text)) await printJson(context, reply.text);
  else if (context.settings.format === "json") {
    const message = isDone ? `The answer (${reply.status}) is no JSON` : refusalLine(reply);
    const envelope = { status: isDone, message, data: reply.text === "" ? null : reply.text };
    await printJson(context, JSON.stringify(envelope));
  } else if (reply.text !== "") {
    const isTerminal = context.terminalWidth() !== undefined;
    const lines = reply.text.split("\n");
    await context.print(`${(isTerminal ? lines.map(safeText) : lines).join("\n")}\n`);
  }
  if (isDone) return exitCodes.done;
  await context.complain(refusalLine(reply));
  return exitCodeOfReply(reply);
}
