import type { Session } from "../../command/session.ts";
import { SendctlError } from "../../core/error.ts";
import { readFileUpTo, utf8Text } from "../../core/files.ts";
import {
  confirm,
  invalidValue,
  missing,
  mustConfirm,
  required,
  requiredWord,
} from "../../command/arguments.ts";
import { defineCommand, optional, text } from "../../command/define-command.ts";
import { targetName } from "../../config/target.ts";
import { operations } from "../../contract/operations.ts";
import { isRead } from "../../contract/request.ts";
import { shellWord } from "../../core/text.ts";

const all = Object.values(operations);
const commonMethods = [...new Set(["GET" as const, ...all.map(({ method }) => method)])];
/** Limit for request bodies, because a device or a pipe may never end. */
const maxBodyBytes = 16 * 1024 * 1024;

/** Paths without parameters, because the others cannot be completed. */
const commonPaths = [...new Set(all.flatMap(({ path }) => (path.includes("{") ? [] : path)))];

export const api = defineCommand({
  path: "api",
  changes: "service",
  changesIf: ({ method }) => method !== undefined && !isRead(method.toUpperCase()),
  description:
    "Send any request to the service and print the response with every field as sent. Never asks, not even before a DELETE. The embedded engine responds as `sendctl serve` would.",
  args: {
    method: optional("HTTP method: GET, POST, PUT or DELETE", { takes: commonMethods }),
    path: optional("percent-encoded path that begins with /v1/, with any query", {
      takes: commonPaths,
    }),
    dash: optional("read the body from standard input", { name: "-" }),
  },
  options: {
    body: text("--body <json>", "request body"),
    bodyFile: text("--body-file <file>", "file with the request body; - for standard input", {
      takes: "file",
    }),
  },
  exitCodes: [[9, "no response was received; a write may have succeeded"]],
  examples: [
    "sendctl api GET '/v1/group?perPage=5'",
    `sendctl api POST /v1/group --body '{"name": "Customers"}'`,
  ],
  async run(context, given, options) {
    const words = [given.method, given.path].filter((word) => word !== undefined);
    if (words.length === 1 && !isMethod(words[0]!)) throw missing("METHOD", requestHint(words));
    const { ask } = context;
    const typed = await requiredWord(ask, given.method, "METHOD", "Method", commonMethods);
    const method = typed.toUpperCase();
    const path = await required(ask, given.path, "PATH", "Path");
    if (!isMethod(method)) {
      const hint = isMethod(path) ? requestHint(words) : `use one of ${knownMethods}`;
      throw invalidValue("method", method, "METHOD", hint);
    }
    const [, rewritten] = /^[a-z]:[\\/].*?(\/v1(?:\/.*)?)$/i.exec(path) ?? [];
    if (rewritten !== undefined) {
      const hint = `Git Bash rewrites paths: MSYS_NO_PATHCONV=1 ${requestHint([method, rewritten])}`;
      throw invalidValue("path", path, "PATH", hint);
    }
    if (!/^\/(?![/\\])[\x21\x22\x24-\x7e]*$/.test(path)) {
      const isPath = /^[\w-]|^https?:/.test(path) && !/[\s#]/.test(path);
      const hint = isPath ? requestHint(words) : "begin it with a single / and percent-encode it";
      throw invalidValue("path", path, "PATH", hint);
    }
    const body = await bodyOf(context.input, { ...given, ...options });
    const { settings } = context.config;
    const isProtected = settings.protection.service !== undefined && !settings.dryRun;
    if (method === "DELETE" && isProtected && mustConfirm(context, false, "delete")) {
      const question = `Send DELETE ${path} to ${targetName(settings)}?`;
      await confirm(context, "delete", question, "Nothing sent", "service");
    }
    const shapes = context.output.query === undefined ? [] : (["jsonl", "yaml"] as const);
    context.output.supports("a response", ["table", "json", ...shapes]);
    const reply = await context.target.send({ method, path, body });
    const isElsewhere = reply.status === 404 && servicePath(path) !== path;
    const hint = isElsewhere ? requestHint(words) : await context.target.hintFor(path, reply);
    return context.output.response(reply, hint);
  },
});

/** Returns the request body from one of its sources. @throws SendctlError "usage" */
async function bodyOf(
  input: Session["input"],
  { dash, body, bodyFile }: { readonly [Source in "dash" | "body" | "bodyFile"]?: string },
): Promise<string | undefined> {
  if (dash !== undefined && dash !== "-") {
    throw new SendctlError("usage", `unexpected argument "${dash}"`, {
      hint: "pass the body with --body",
    });
  }
  if ([dash, body, bodyFile].filter((source) => source !== undefined).length > 1) {
    throw new SendctlError("usage", "more than one request body was given", {
      hint: "pass only one of --body, --body-file and -",
    });
  }
  const file = dash ?? bodyFile;
  if (file === undefined) return body;
  const [bytes, source] =
    file === "-"
      ? [await input.read(maxBodyBytes), "standard input"]
      : [await readFileUpTo(file, input.path(file), maxBodyBytes), file];
  return utf8Text(bytes, maxBodyBytes, source, "pass a smaller body in UTF-8");
}

/** The methods that `sendctl api` sends. */
const knownMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Returns whether a word is one of the methods, in any case. */
function isMethod(word: string): boolean {
  return knownMethods.split(", ").includes(word.toUpperCase());
}

/**
 * Returns the command line for a request written without its method or `/v1`, or with a URL.
 *
 * @param words the operands of `sendctl api`
 */
function requestHint(words: readonly string[]): string {
  const path = words.find((word) => !isMethod(word)) ?? "/v1/group";
  const method = words.find(isMethod) ?? "GET";
  return `sendctl api ${method.toUpperCase()} ${shellWord(servicePath(path))}`;
}

/** Returns a path of the service for a URL, or a path without `/v1`. */
function servicePath(given: string): string {
  const path = given.replace(/^https?:\/\/[^/]*/, "").replace(/^\/*/, "/");
  return /^\/v1(?:\/|$)/.test(path) ? path : `/v1${path}`;
}
