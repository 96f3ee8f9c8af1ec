import { SendctlError } from "../../core/error.ts";
import { safeText, shellWord } from "../../core/text.ts";
import type { Prompter } from "../../output/prompts/questions.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import type { OpenSession } from "../../command/session.ts";
import { optionWords, targetName, targetOptions } from "../../config/target.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import type { CliCommand } from "../program/build-command.ts";
import { nouns, type Noun } from "../registry.ts";

/** What the menu needs of the program. */
export interface MenuOptions {
  readonly prompter: Prompter;
  readonly program: CliCommand;
  /** The global options of the `sendctl` command line. */
  readonly given: GlobalOptions;
  /** Runs a command line, with the same global options. */
  readonly run: (words: readonly string[]) => Promise<ExitCode>;
  readonly open: (options: GlobalOptions, usesProfiles: boolean) => Promise<OpenSession>;
}

/** An open menu. */
export interface Menu extends MenuOptions {
  /** Reads records. It is reopened after each command, which may have changed anything. */
  session: OpenSession;
}

/** A command line: the command, then its arguments and options. */
export interface Line {
  readonly command: CliCommand;
  readonly args: readonly string[];
}

/** Returns the answer to questions, or another value if Escape ends one of them. */
export async function orEscape<Answer, Escaped>(
  ask: () => Promise<Answer>,
  escaped: Escaped,
): Promise<Answer | Escaped> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SendctlError && error.details.isEscape === true) return escaped;
    throw error;
  }
}

/** Returns the words of an option; none if its value is empty. */
export function optionalWords(name: string, value: string): readonly string[] {
  return value === "" ? [] : optionWords(name, value);
}

/** Returns the words after a command for records, whose keys may start with a dash. */
export function wordsFor(keys: readonly string[], options: readonly string[]): readonly string[] {
  const hasDash = keys.some((key) => key.startsWith("-") && key !== "-");
  return hasDash ? [...options, "--", ...keys] : [...keys, ...options];
}

/** Shows a text, wrapped between words. */
export async function say({ session }: Menu, text: string): Promise<void> {
  await session.output.say(safeText(text));
}

/** Shows the service or database that commands work on. */
export async function showTarget(menu: Menu): Promise<void> {
  const { settings } = menu.session.config;
  const { baseUrl, database, protection } = settings;
  const target = baseUrl === undefined ? `embedded engine · ${database}` : targetName(settings);
  const level = { confirm: " · protected", "read-only": " · read-only" };
  const guard = protection.service === undefined ? "" : level[protection.service.level];
  await say(menu, `sendctl · ${target}${guard}`);
}

/** Runs a command like a typed one, then shows its command line. */
export async function runLine(menu: Menu, line: Line): Promise<void> {
  const { settings } = menu.session.config;
  const before = targetName(settings);
  // Without it, a command that works on a database conflicts with the profile of a service.
  const isRemote = menu.given.profile !== undefined && settings.baseUrl !== undefined;
  const local = isRemote && nounOf(line).isEmbedded === true ? ["--local"] : [];
  await menu.run([...local, ...line.command.path, ...line.args]);
  await showLine(menu, line);
  await menu.session.close();
  menu.session = await menu.open(menu.given, true);
  if (targetName(menu.session.config.settings) !== before) await showTarget(menu);
}

/** Shows the command line that is equivalent to what the menu has just shown. */
export async function showLine(menu: Menu, line: Line): Promise<void> {
  const { worksOnProfiles, isEmbedded = false } = nounOf(line);
  const { settings } = menu.session.config;
  const target = worksOnProfiles === true ? [] : targetOptions(settings, isEmbedded);
  const words = [...givenWords(menu), ...line.command.path, ...target, ...line.args];
  // The terminal wraps it, so that it can be copied as one line.
  await menu.session.output.say(`  $ sendctl ${words.map(shellWord).join(" ")}\n`);
}

/** Returns the first word of a command. `version` is not in the registry and has no target. */
function nounOf({ command }: Line): Partial<Noun> {
  return nouns.find(({ name }) => name === command.path[0]) ?? { worksOnProfiles: true };
}

/** The options that select the target, which each line has as its command needs them. */
const targetNames: ReadonlySet<string> = new Set(["profile", "local", "baseUrl", "database"]);

/** Returns the other global options: a line without --dry-run would do more. */
function givenWords({ program, given }: Menu): readonly string[] {
  const values = given as Readonly<Record<string, string | boolean | undefined>>;
  return program.options.flatMap((option) => {
    const value = values[option.attributeName()];
    if (targetNames.has(option.attributeName()) || value === undefined) return [];
    return typeof value === "boolean" ? [option.long!] : optionWords(option.long!, value);
  });
}
