import { dirname, resolve } from "node:path";
import { defaultWidth, terminalWidth, wrapLines } from "../output/terminal.ts";
import { annotations } from "../output/annotations.ts";
import { failureText, isRefusal, trailText } from "../service/refusals.ts";
import { version } from "../../package.json";
import { asksForJson } from "../config/settings.ts";
import type { OpenSession } from "../command/session.ts";
import type { MenuOptions } from "./menu/menu.ts";
import { createWriters, type Writers } from "../output/writer.ts";
import { DryRunEnded, errorObject, SendctlError } from "../core/error.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { indentedJson, jsonText } from "../core/json-text.ts";
import { safeText, visibleText } from "../core/text.ts";
import { createSecrets } from "../core/secrets.ts";
import { type Tree, globalOptionsOf, pathOf } from "./program/build-command.ts";
import { createProgram, type Printing } from "./program/program.ts";
import type { Runtime } from "../core/runtime.ts";
import { CommanderError, type Command } from "commander";

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
  const printed: Printed = { out: "", err: "", endedBy: undefined };
  let exitCode: ExitCode = exitCodes.done;
  const tree = createProgram(
    version,
    async (options, run, usesProfiles) => {
      if (options.query !== undefined) {
        const { compileQuery } = await import("../output/formats/query.ts");
        compileQuery(options.query);
      }
      const { createSession } = await import("../command/session.ts");
      const context = createSession(options, runtime, writers, secrets, usesProfiles, argv);
      try {
        const { warnings } = context.config.settings;
        // A shell shows everything that its completion prints.
        for (const warning of argv[0] === "__complete" ? [] : warnings) {
          await context.output.warn(visibleText(warning));
        }
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
    printingTo(printed, runtime),
  );
  const { program } = tree;
  try {
    refuseOtherBytes(argv, runtime);
    await program.parseAsync(helpAfter(argv), { from: "user" });
    return exitCode;
  } catch (error) {
    const json = asksForJson(argv, runtime.env);
    const reporting: Reporting = { writers, json, argv, runtime, tree, hide: secrets.hide };
    const isBare = isMissingCommand(error, printed) && printed.endedBy === program;
    if (json || !isBare) return report(error, printed, reporting);
    try {
      const { createSession } = await import("../command/session.ts");
      const given = globalOptionsOf(program);
      const open = (): OpenSession => createSession(given, runtime, writers, secrets, true, argv);
      const run = (words: readonly string[]) => main([...argv, ...words], runtime);
      const ended = await offerMenu(open, { given, tree, run });
      return ended ?? (await report(error, printed, reporting));
    } catch (failure) {
      return report(failure, printed, reporting);
    }
  }
}

/** Rejects an argument in another encoding, of which a service would store what Node has put in place of its bytes. */
function refuseOtherBytes(argv: readonly string[], { hasOtherBytes }: Runtime): void {
  const replaced = argv.find((word) => word.includes("\ufffd"));
  if (replaced === undefined || hasOtherBytes?.() !== true) return;
  throw new SendctlError("usage", `the argument "${replaced}" is not UTF-8`, {
    hint: "set the terminal to UTF-8, or save the script as UTF-8",
  });
}

/** Returns `help group create` for `--help group create`, for which commander would show the help of `sendctl`. */
function helpAfter(argv: readonly string[]): readonly string[] {
  const [first = "", second] = argv;
  const isFirst = ["-h", "--help"].includes(first) && second !== undefined;
  return isFirst && !second.startsWith("-") ? ["help", ...argv.slice(1)] : argv;
}

/** Opens the menu if there is a person to use it. */
async function offerMenu(
  open: () => OpenSession,
  options: Pick<MenuOptions, "given" | "tree" | "run">,
): Promise<ExitCode | undefined> {
  let context = open();
  try {
    const prompter = context.ask.prompter();
    if (prompter === undefined) return undefined;
    const { openMenu } = await import("./menu/menu.ts");
    const reopen = async (): Promise<void> => {
      await context.close();
      context = open();
    };
    return await openMenu({ ...options, context: () => context, reopen, prompter });
  } finally {
    await context.close();
  }
}

interface Printed {
  out: string;
  err: string;
  /** The command that ended the parsing. */
  endedBy: Command | undefined;
}

interface Reporting {
  readonly writers: Writers;
  readonly json: boolean;
  readonly argv: readonly string[];
  readonly runtime: Runtime;
  readonly tree: Tree;
  /** Removes secrets. */
  readonly hide: (text: string) => string;
}

/** Collects the output of commander, which is printed once its outcome is known. */
function printingTo(printed: Printed, runtime: Runtime): Printing {
  return {
    writeOut: (text) => void (printed.out += text),
    writeErr: (text) => void (printed.err += text),
    endedBy: (command) => void (printed.endedBy = command),
    getOutHelpWidth: () => runtime.stdout.columns || defaultWidth,
    getErrHelpWidth: () => runtime.stderr.columns || defaultWidth,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    outputError: () => {},
  };
}

/** Reports a thrown error: prints its lines or its envelope, and returns the exit code. */
async function report(error: unknown, printed: Printed, reporting: Reporting): Promise<ExitCode> {
  try {
    if (error instanceof DryRunEnded) {
      await error.show();
      return exitCodes.done;
    }
    if (!(error instanceof CommanderError)) return await reportFailure(error, reporting);
    if (printed.out !== "") return await printRequested(error, printed, reporting);
    const { tree } = reporting;
    const command = printed.endedBy ?? tree.program;
    if (isMissingCommand(error, printed)) {
      return await reportMissingCommand(command, printed.err, reporting);
    }
    const { usageError } = await import("./help/usage-error.ts");
    return await reportFailure(await usageError(error, command, tree), reporting);
  } catch (failure) {
    // If standard output cannot be written, this goes to stderr only.
    const isWritable = failure instanceof SendctlError && failure.kind !== "output";
    return reportFailure(failure, { ...reporting, json: reporting.json && isWritable });
  }
}

/** Returns whether a command was given without its subcommand: commander then prints its help on stderr. */
function isMissingCommand(error: unknown, { out }: Printed): boolean {
  return error instanceof CommanderError && error.code === "commander.help" && out === "";
}

/** Wraps a text between words for the terminal that shows a stream, without secrets, which a line could divide. */
function fitted(
  text: string,
  stream: Runtime["stdout"],
  { hide }: Pick<Reporting, "hide">,
): Promise<string> {
  const shown = hide(text);
  // If the part of the program that wraps is missing, the error that says so is printed all the same.
  return wrapLines(shown, terminalWidth(stream)).catch(() => shown);
}

/** Prints help or the version. */
async function printRequested(
  { code }: CommanderError,
  { out: text, endedBy }: Pick<Printed, "out" | "endedBy">,
  { writers, json, runtime, hide, tree }: Reporting,
): Promise<ExitCode> {
  if (!json) await writers.out.write(await fitted(text, runtime.stdout, { hide }));
  else if (code === "commander.version") {
    const message = `sendctl ${version}`;
    await printEnvelope(writers, { status: true, message, data: { version } });
  } else {
    const { machineHelp } = await import("./help/machine-help.ts");
    const details = endedBy === undefined ? {} : await machineHelp(tree, endedBy);
    await printEnvelope(writers, {
      status: true,
      message: "Help",
      data: { help: text, ...details },
    });
  }
  return exitCodes.done;
}

/** Reports a missing command. For `sendctl` alone, its help is the result. */
async function reportMissingCommand(
  command: Command,
  help: string,
  reporting: Reporting,
): Promise<ExitCode> {
  if (command.parent === null) {
    const requested = new CommanderError(0, "commander.helpDisplayed", "");
    return printRequested(requested, { out: help, endedBy: command }, reporting);
  }
  const { writers, runtime } = reporting;
  if (!reporting.json) await writers.err.write(await fitted(help, runtime.stderr, reporting));
  const path = pathOf(command).join(" ");
  const details = { hint: `${path} --help` };
  const failure = new SendctlError("usage", `missing command after "${path}"`, details);
  return reportFailure(failure, reporting);
}

async function reportFailure(error: unknown, reporting: Reporting): Promise<ExitCode> {
  const { writers, json, argv, runtime } = reporting;
  const failure = error instanceof SendctlError ? error : defect(error);
  const { kind, hint, details } = failure;
  const { created, diagnostics = [] } = details;
  const message = visibleText(failure.message);
  if (json) {
    const shown = { ...errorObject(failure), message };
    const envelope = { status: false, message, data: created ?? null, error: shown };
    await printEnvelope(writers, envelope);
  }
  // A hint follows an error: an interrupted request whose outcome is unknown.
  const prefix = kind === "cancelled" && hint === undefined ? "" : "sendctl: ";
  const advice = hint === undefined ? "" : `hint: ${safeText(hint)}\n`;
  const lines = diagnostics.map(
    ({ file, line, column, message: text }) =>
      `${visibleText(`${file}:${line}:${column}: ${text}`)}\n`,
  );
  const trail = trailText(details.trail, runtime.stderr.isTTY === true);
  const text = `${prefix}${failureText(failure, undefined)}${trail}\n${lines.join("")}${advice}`;
  await writers.err.write(annotations(diagnostics, runtime));
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

/** Returns the file of the program that the launcher, or Node in its place, has not found; undefined for another error. */
function missingFile({ code, path = "", message }: NodeJS.ErrnoException): string | undefined {
  const named = code === "MODULE_NOT_FOUND" ? /'(.+)'/.exec(message)?.[1] : undefined;
  if (named !== undefined) return resolve(import.meta.dirname, named);
  return code === "ENOENT" && dirname(path) === import.meta.dirname ? path : undefined;
}

function stackOf(error: Error): string {
  const stack = (error.stack ?? "").split("\n").map(safeText).join("\n");
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}

async function printEnvelope(writers: Writers, envelope: object): Promise<void> {
  await writers.out.writeJson(indentedJson(jsonText(envelope)));
}
