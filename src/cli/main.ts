import { dirname, resolve } from "node:path";
import { defaultWidth, terminalWidth, wrapLines } from "../output/terminal.ts";
import { failureText, isRefusal } from "../service/refusals.ts";
import { version } from "../../package.json";
import { asksForJson } from "../config/settings.ts";
import type { OpenSession } from "../command/session.ts";
import { createWriters, type Writers } from "../output/writer.ts";
import { diagnosticText, DryRunEnded, errorObject, SendctlError } from "../core/error.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { indentedJson, jsonText } from "../core/json-text.ts";
import { safeText, visibleText } from "../core/text.ts";
import { createSecrets } from "../core/secrets.ts";
import { ParsingEnded, globalOptionsOf } from "./program/build-command.ts";
import { createProgram, topicShown } from "./program/program.ts";
import type { GlobalOptions } from "../config/settings.ts";
import type { Runtime } from "../core/runtime.ts";

export { processRuntime } from "../core/runtime.ts";

/**
 * Runs a command line.
 *
 * @param argv the words after `sendctl`
 * @returns the exit code, once all output is written
 */
export async function main(argv: readonly string[], runtime: Runtime): Promise<ExitCode> {
  const secrets = createSecrets();
  secrets.addKey(runtime.env["SENDCTL_SECRET_KEY"]);
  const writers = createWriters(runtime, secrets);
  let exitCode: ExitCode = exitCodes.done;
  const open = async (options: GlobalOptions, usesProfiles: boolean): Promise<OpenSession> => {
    const { createSession } = await import("../command/session.ts");
    return createSession(options, runtime, writers, secrets, usesProfiles, argv);
  };
  let help = "";
  const print = (text: string): void => void (help += text);
  const program = await createProgram(
    async (options, run, usesProfiles) => {
      if (options.query !== undefined) {
        const { compileQuery } = await import("../output/formats/query.ts");
        compileQuery(options.query);
      }
      const context = await open(options, usesProfiles);
      try {
        exitCode = await run(context).catch((error: unknown) => {
          if (isRefusal(error)) return context.output.refusal(error);
          throw error;
        });
        const failure = writers.out.failure();
        if (failure !== undefined && exitCode === exitCodes.done) throw failure;
      } finally {
        await context.close();
      }
    },
    {
      writeOut: print,
      writeErr: print,
      getOutHelpWidth: () => runtime.stdout.columns || defaultWidth,
      getErrHelpWidth: () => runtime.stderr.columns || defaultWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: () => {},
    },
  );
  const json = asksForJson(argv, runtime.env);
  const reporting: Reporting = { writers, json, argv, runtime, hide: secrets.hide };
  try {
    refuseOtherBytes(argv, runtime);
    await program.parseAsync(helpAfter(argv), { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof ParsingEnded)) return report(error, reporting);
    const isBare = error.code === "commander.help" && error.command === program;
    const given = globalOptionsOf(program);
    try {
      // The menu, if there is a person to use it.
      const context = isBare && !json ? await open(given, true) : undefined;
      const prompter = context?.ask.prompter();
      if (context !== undefined && prompter !== undefined) {
        const { openMenu } = await import("./menu/menu.ts");
        const run = (words: readonly string[]) => main([...argv, ...words], runtime);
        return await openMenu(context, { prompter, program, given, run, open });
      }
      await context?.close();
      return await reportEnd(error, help, reporting);
    } catch (failure) {
      return report(failure, reporting);
    }
  }
}

/** Rejects an argument in another encoding, whose bytes Node has replaced. */
function refuseOtherBytes(argv: readonly string[], { hasOtherBytes }: Runtime): void {
  const replaced = argv.find((word) => word.includes("\ufffd"));
  if (replaced === undefined || hasOtherBytes?.() !== true) return;
  throw new SendctlError("usage", `the argument "${replaced}" is not UTF-8`, {
    hint: "set the terminal to UTF-8, or save the script as UTF-8",
  });
}

/** Returns `help group create` for `--help group create`, which commander does not know. */
function helpAfter(argv: readonly string[]): readonly string[] {
  const [first = "", second] = argv;
  const isFirst = ["-h", "--help"].includes(first) && second !== undefined;
  return isFirst && !second.startsWith("-") ? ["help", ...argv.slice(1)] : argv;
}

interface Reporting {
  readonly writers: Writers;
  readonly json: boolean;
  readonly argv: readonly string[];
  readonly runtime: Runtime;
  /** Removes secrets. */
  readonly hide: (text: string) => string;
}

/** Reports a thrown error: prints its lines or its envelope, and returns the exit code. */
async function report(error: unknown, reporting: Reporting): Promise<ExitCode> {
  try {
    if (!(error instanceof DryRunEnded)) return await reportFailure(error, reporting);
    await error.show();
    return exitCodes.done;
  } catch (failure) {
    // If standard output cannot be written, this goes to stderr only.
    const isWritable = failure instanceof SendctlError && failure.kind !== "output";
    return reportFailure(failure, { ...reporting, json: reporting.json && isWritable });
  }
}

/** Wraps a text for the terminal of a stream, after secrets, which a line could divide. */
function fitted(
  text: string,
  stream: Runtime["stdout"],
  { hide }: Pick<Reporting, "hide">,
): Promise<string> {
  const shown = hide(text);
  // If the part of the program that wraps is missing, the error is printed all the same.
  return wrapLines(shown, terminalWidth(stream)).catch(() => shown);
}

/**
 * Prints what ended the parsing of a command line: help, the version, or an error.
 *
 * @param help what commander has printed
 */
async function reportEnd(
  { code, message, command }: ParsingEnded,
  help: string,
  reporting: Reporting,
): Promise<ExitCode> {
  const { writers, json, runtime } = reporting;
  const isMissing = code === "commander.help";
  if (code === "commander.version") {
    if (!json) await writers.out.write(`${version}\n`);
    else await printEnvelope(writers, `sendctl ${version}`, { version });
  } else if (isMissing && command.parent !== null) {
    if (!json) await writers.err.write(await fitted(help, runtime.stderr, reporting));
    const details = { hint: `${command.line} --help` };
    throw new SendctlError("usage", `missing command after "${command.line}"`, details);
  } else if (!isMissing && help === "") {
    const { usageError } = await import("./help/usage-error.ts");
    throw await usageError(code, message, command);
  } else if (!json) {
    await writers.out.write(await fitted(help, runtime.stdout, reporting));
  } else {
    const { machineHelp } = await import("./help/machine-help.ts");
    const details = code === topicShown ? {} : await machineHelp(command);
    await printEnvelope(writers, "Help", { help, ...details });
  }
  return exitCodes.done;
}

async function reportFailure(error: unknown, reporting: Reporting): Promise<ExitCode> {
  const { writers, json, argv, runtime } = reporting;
  const failure = error instanceof SendctlError ? error : defect(error);
  const { kind, hint, details } = failure;
  const { created, diagnostics = [] } = details;
  const message = visibleText(failure.message);
  if (json) {
    const shown = { ...errorObject(failure), message };
    await printEnvelope(writers, message, created ?? null, shown);
  }
  // A hint follows an error: an interrupted request whose outcome is unknown.
  const prefix = kind === "cancelled" && hint === undefined ? "" : "sendctl: ";
  const advice = hint === undefined ? "" : `hint: ${safeText(hint)}\n`;
  const lines = diagnostics.map((each) => `${diagnosticText(each)}\n`);
  const text = `${prefix}${failureText(failure, undefined)}\n${lines.join("")}${advice}`;
  await writers.err.write(await fitted(text, runtime.stderr, reporting));
  if (argv.includes("--debug") && error instanceof Error && kind !== "cancelled") {
    await writers.err.write(`${stackOf(error)}\n`);
  }
  return exitCodeOfKind(kind);
}

function defect(cause: unknown): SendctlError {
  const file = cause instanceof Error ? missingFile(cause) : undefined;
  if (file !== undefined) {
    const message = `the installation is incomplete: ${file} is missing`;
    return new SendctlError("usage", message, { cause, hint: "install sendctl again" });
  }
  const hint = "run the command again with --debug, and report the output";
  return new SendctlError("defect", `A defect in sendctl: ${String(cause)}`, { cause, hint });
}

/** Returns the missing file of the program; undefined for another error. */
function missingFile({ code, path = "", message }: NodeJS.ErrnoException): string | undefined {
  const named = code === "MODULE_NOT_FOUND" ? /'(.+)'/.exec(message)?.[1] : undefined;
  if (named !== undefined) return resolve(import.meta.dirname, named);
  return code === "ENOENT" && dirname(path) === import.meta.dirname ? path : undefined;
}

function stackOf(error: Error): string {
  const stack = (error.stack ?? "").split("\n").map(safeText).join("\n");
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}

async function printEnvelope(
  writers: Writers,
  message: string,
  data: object | null,
  error?: object,
): Promise<void> {
  const envelope = { status: error === undefined, message, data, error };
  await writers.out.writeJson(indentedJson(jsonText(envelope)));
}
