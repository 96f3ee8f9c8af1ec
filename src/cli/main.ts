import { CommanderError } from "commander";
import { version } from "../../package.json";
import { asksForJson } from "../config/settings.ts";
import type { Context } from "./context.ts";
import { createWriters, widthUntold, type Writers } from "./writers.ts";
import { Shown } from "../service/shown.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { SendctlError } from "../contract/error.ts";
import { indentedJson } from "../contract/json-text.ts";
import { safeJson, safeText } from "../output/safe-text.ts";
import { createSecrets } from "../output/secrets.ts";
import { globalOptionsOf } from "./program/global-options.ts";
import { createProgram, type Printing } from "./program/program.ts";
import type { Tree } from "./program/tree.ts";
import type { Runtime } from "../runtime/runtime.ts";

export { processRuntime } from "../runtime/runtime.ts";

/**
 * Runs one command line.
 *
 * @param argv the words after `sendctl`
 * @returns the exit code, once all output has left the process
 */
export async function main(argv: readonly string[], runtime: Runtime): Promise<ExitCode> {
  const secrets = createSecrets();
  secrets.add(runtime.env["SENDCTL_SECRET_KEY"]);
  const writers = createWriters(runtime, secrets);
  const printed = { out: "", err: "" };
  let exitCode: ExitCode = exitCodes.done;
  const { program } = createProgram(
    version,
    async (options, run, usesProfiles) => {
      const { createContext } = await import("./context.ts");
      const context = createContext(options, runtime, writers, secrets, usesProfiles);
      try {
        exitCode = await run(context);
      } finally {
        await context.close();
      }
    },
    printingTo(printed, runtime),
  );
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    const telling: Telling = { writers, json: asksForJson(argv, runtime.env), argv, runtime };
    if (telling.json || !isBare(error, printed)) return await tell(error, printed, telling);
    try {
      const run = (words: readonly string[]): Promise<ExitCode> =>
        main([...argv, ...words], runtime);
      const { createContext } = await import("./context.ts");
      const context = createContext(globalOptionsOf(program), runtime, writers, secrets, true);
      return (await offerMenu(context, wholeTree(), run)) ?? (await tell(error, printed, telling));
    } catch (failure) {
      return await tell(failure, printed, telling);
    }
  }
}

/** Nothing was asked of sendctl: no command, and no help. */
function isBare(error: unknown, { out, err }: Printed): boolean {
  const isMissing = error instanceof CommanderError && error.code === "commander.help";
  return isMissing && out === "" && err.startsWith("Usage: sendctl [");
}

/** The menu, where there is somebody to use it. */
async function offerMenu(
  context: Context,
  tree: Tree,
  run: (words: readonly string[]) => Promise<ExitCode>,
): Promise<ExitCode | undefined> {
  const prompter = context.ask.prompter();
  try {
    if (prompter === undefined) return undefined;
    const { openMenu } = await import("./menu/menu.ts");
    return await openMenu(context, prompter, tree, run);
  } finally {
    await context.close();
  }
}

/**
 * The manual page, for the build (rolldown.config.mjs).
 *
 * @param date as 2026-01-31
 */
export async function manual(date: string): Promise<string> {
  const { manualPage } = await import("./help/manual-page.ts");
  return manualPage(wholeTree(), version, date);
}

/** The command reference, docs/reference.md: `npm run reference` writes it. */
export async function reference(): Promise<string> {
  const { referencePage } = await import("./help/reference.ts");
  return referencePage(wholeTree());
}

/** The commands, for what describes them and runs none. */
function wholeTree(): Tree {
  return createProgram(version, async () => {}, {});
}

interface Printed {
  out: string;
  err: string;
}

interface Telling {
  readonly writers: Writers;
  readonly json: boolean;
  readonly argv: readonly string[];
  readonly runtime: Runtime;
}

/** Commander's words are kept until it is known what became of them. */
function printingTo(printed: Printed, runtime: Runtime): Printing {
  return {
    writeOut: (text) => void (printed.out += text),
    writeErr: (text) => void (printed.err += text),
    getOutHelpWidth: () => runtime.stdout.columns || widthUntold,
    getErrHelpWidth: () => runtime.stderr.columns || widthUntold,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    outputError: () => {},
  };
}

/** The one place where what was thrown becomes words and an exit code. */
async function tell(error: unknown, printed: Printed, telling: Telling): Promise<ExitCode> {
  try {
    if (error instanceof Shown) return exitCodes.done;
    if (!(error instanceof CommanderError)) return await tellFailure(error, telling);
    if (printed.out !== "") return await tellWhatWasAsked(error, printed.out, telling);
    if (error.code === "commander.help") return await tellOfMissingCommand(printed.err, telling);
    const [line] = error.message.replace(/^error: /, "").split("\n(", 1);
    const hint = /\(Did you mean .*\?\)/s.exec(error.message)?.[0];
    const advice = hint ?? (error.code === "commander.excessArguments" ? quoteAdvice : undefined);
    const message = advice === undefined ? line! : `${line} ${advice}`;
    return await tellFailure(new SendctlError("usage", message), telling);
  } catch (failure) {
    // Standard output can't be written, so this can only go to stderr.
    return tellFailure(failure, { ...telling, json: false });
  }
}

const quoteAdvice = "Put quotes round a text with spaces.";

/** Help or the version. */
async function tellWhatWasAsked(
  { code }: CommanderError,
  text: string,
  telling: Telling,
): Promise<ExitCode> {
  if (!telling.json) await telling.writers.out.write(text);
  else if (code === "commander.version") {
    await tellEnvelope(telling, { status: true, message: `sendctl ${version}`, data: { version } });
  } else await tellEnvelope(telling, { status: true, message: "Help", data: { help: text } });
  return exitCodes.done;
}

/** Nothing at all is a question; half a command is a mistake. */
async function tellOfMissingCommand(help: string, telling: Telling): Promise<ExitCode> {
  const words = telling.argv.filter((word) => !word.startsWith("-"));
  const asked = new CommanderError(0, "commander.helpDisplayed", "");
  if (!help.includes("Usage: sendctl ")) return exitCodes.done;
  if (help.startsWith("Usage: sendctl [")) return tellWhatWasAsked(asked, help, telling);
  if (!telling.json) await telling.writers.err.write(help);
  return tellFailure(
    new SendctlError("usage", `a command is missing after ${words.join(" ")}`),
    telling,
  );
}

async function tellFailure(error: unknown, telling: Telling): Promise<ExitCode> {
  const { writers, json, argv } = telling;
  const failure = error instanceof SendctlError ? error : undefined;
  const kind = failure?.kind ?? "defect";
  const message = failure?.message ?? `A defect in sendctl: ${String(error)}`;
  if (json) {
    await tellEnvelope(telling, { status: false, message, data: null, error: { kind } });
  }
  await writers.err.write(
    kind === "cancelled" ? `${message}\n` : `sendctl: ${safeText(message)}\n`,
  );
  if (argv.includes("--debug") && error instanceof Error && kind !== "cancelled") {
    await writers.err.write(`${stackOf(error)}\n`);
  }
  return failure === undefined ? exitCodes.defect : exitCodeOfKind(failure.kind);
}

function stackOf(error: Error): string {
  const stack = (error.stack ?? "").split("\n").map(safeText).join("\n");
  return error.cause instanceof Error ? `${stack}\ncaused by ${stackOf(error.cause)}` : stack;
}

async function tellEnvelope({ writers, runtime }: Telling, envelope: object): Promise<void> {
  const text = indentedJson(JSON.stringify(envelope));
  await writers.out.write(runtime.stdout.isTTY === true ? safeJson(text) : text);
}
