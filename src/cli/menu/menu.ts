import type { Command } from "commander";
import { SendctlError, isStop } from "../../core/error.ts";
import { safeText, shellWord, visibleText } from "../../core/text.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { targetName, targetOptions } from "../../config/target.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Prompter } from "../../output/prompts/questions.ts";
import type { Session } from "../../command/session.ts";
import { commandNamed, pathOf, type Tree } from "../program/build-command.ts";
import { nouns, type Noun } from "../registry.ts";
import { browse, listings } from "./listings.ts";
import { askFor } from "./questions.ts";
import { type Choice, type Line, type MenuSession, givenWords, orEscape } from "./session.ts";

/** The options of the menu. */
export interface MenuOptions {
  /** Returns the context to read records in. */
  readonly context: () => Session;
  /** Reopens the context, with the current settings and records. */
  readonly reopen: () => Promise<void>;
  readonly prompter: Prompter;
  readonly tree: Tree;
  /** The global options of the `sendctl` command line. */
  readonly given: GlobalOptions;
  /** Runs a command line, with the same global options. */
  readonly run: (words: readonly string[]) => Promise<ExitCode>;
}

/**
 * Offers every command until "Quit" is chosen. Asks for the arguments of a command, runs it like a typed one, and shows
 * its command line with the options that select the same target.
 *
 * Escape goes one step back.
 *
 * @throws SendctlError "cancelled" on Ctrl-C at any question of the menu
 */
export async function openMenu(options: MenuOptions): Promise<ExitCode> {
  const { prompter, tree } = options;
  const session = sessionOf(options);
  await showTarget(session);
  let from = tree.program;
  for (;;) {
    const command = await chooseCommand(prompter, tree, from);
    if (command === undefined) return exitCodes.done;
    from = tree.program;
    if (command === tree.program) continue;
    try {
      const path = pathOf(command).slice(1);
      const performed = perform(session, { command, path, keys: [], record: {} });
      if (await orEscape(() => performed.then(() => false), true)) from = command.parent!;
    } catch (error) {
      await reportFailure(session, error);
    }
  }
}

/** Asks for a command below another. @returns the program itself for "Back", undefined for "Quit" */
async function chooseCommand(
  prompter: Prompter,
  { program, declare }: Tree,
  from: Command,
): Promise<Command | undefined> {
  let command = from;
  for (;;) {
    await declare(command);
    const inner = command
      .createHelp()
      .visibleCommands(command)
      .filter((child) => child.name() !== "help");
    if (inner.length === 0) return command;
    const isTop = command === program;
    const question = isTop ? "What would you like to work with?" : "What would you like to do?";
    const choices = [
      ...inner.map((child) => ({
        value: child.name(),
        name: child.name(),
        about: child.summary(),
      })),
      { value: "", name: isTop ? "Quit" : "Back" },
    ];
    const name = await orEscape(() => prompter.select(question, choices), "");
    const next = inner.find((child) => child.name() === name);
    if (next === undefined) return isTop ? undefined : program;
    command = next;
  }
}

/** Asks for the other arguments of a command, then opens its list or runs it. */
async function perform(session: MenuSession, choice: Choice): Promise<void> {
  const line = await askFor(session, choice);
  if (line === undefined) return;
  const listing = listings[line.path.join(" ")];
  await (listing === undefined ? session.run(line) : browse(session, listing, line));
}

function sessionOf({ context, reopen, prompter, run, given, tree }: MenuOptions): MenuSession {
  const { program, declare } = tree;
  const show = async (line: Line): Promise<void> => {
    const noun = nounOf(line.path);
    const options =
      noun === undefined || noun.worksOnProfiles === true
        ? []
        : targetOptions(context().config.settings, noun.isEmbedded === true);
    const start = [...givenWords(program, given), ...line.path, ...options];
    const words = [...start, ...line.args].map(shellWord);
    // The terminal wraps it, so that it can be copied as one line.
    await context().output.say(`  $ sendctl ${words.join(" ")}\n`);
  };
  const say = (text: string): Promise<void> => context().output.say(safeText(text));
  const session: MenuSession = {
    context,
    prompter,
    say,
    show,
    perform: async (name, keys, record) => {
      const path = name.split(" ");
      let command = program;
      for (const word of path) {
        command = commandNamed(command, word)!;
        await declare(command);
      }
      await perform(session, { command, path, keys, record });
    },
    run: async (line) => {
      const before = targetName(context().config.settings);
      // Without it, a command that works on a database conflicts with the profile of a service.
      const isRemote =
        given.profile !== undefined && context().config.settings.baseUrl !== undefined;
      const local = isRemote && nounOf(line.path)?.isEmbedded === true ? ["--local"] : [];
      await run([...local, ...line.path, ...line.args]);
      await show(line);
      await reopen();
      if (targetName(context().config.settings) !== before) await showTarget(session);
    },
  };
  return session;
}

function nounOf([first]: Line["path"]): Noun | undefined {
  return nouns.find(({ name }) => name === first);
}

/** Reports an error and returns to the menu; rethrows errors that end the program. */
async function reportFailure({ context, say }: MenuSession, error: unknown): Promise<void> {
  if (!(error instanceof SendctlError) || isStop(error.kind)) throw error;
  if (error.kind === "output" || error.kind === "defect") throw error;
  await context().output.printError(visibleText(error.message));
  if (error.hint !== undefined) await say(`hint: ${error.hint}`);
}

async function showTarget({ context, say }: MenuSession): Promise<void> {
  const { settings } = context().config;
  const { baseUrl, database, protection } = settings;
  const target = baseUrl === undefined ? `embedded engine · ${database}` : targetName(settings);
  const level = { confirm: " · protected", "read-only": " · read-only" };
  const guard = protection.service === undefined ? "" : level[protection.service.level];
  return say(`sendctl · ${target}${guard}`);
}
