import type { Command } from "commander";
import { SendctlError } from "../../core/error.ts";
import type { ShownRecord } from "../../contract/service.ts";
import type { Prompter } from "../../output/prompts/questions.ts";
import type { Session } from "../../command/session.ts";
import { optionWords } from "../../config/target.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { isGlobalOption } from "../program/build-command.ts";

/** A command line after `sendctl`: the command, then its arguments and options. */
export interface Line {
  readonly path: readonly string[];
  readonly args: readonly string[];
}

/** What the user has chosen to do: a command, and what is known of its arguments. */
export interface Choice {
  readonly command: Command;
  /** The words of the command after `sendctl`. */
  readonly path: readonly string[];
  /** Its first arguments, which are not asked for. */
  readonly keys: readonly string[];
  /** The record that it works on, whose values can be edited. */
  readonly record: ShownRecord;
}

/** The context of the questions of the menu. */
export interface MenuSession {
  /** Returns the context to read records in. It is reopened after each command, which may have changed anything. */
  readonly context: () => Session;
  readonly prompter: Prompter;
  /** Asks for the other arguments of a command, then opens its list or runs it. @param name its words after `sendctl` */
  readonly perform: (name: string, keys: readonly string[], record: ShownRecord) => Promise<void>;
  /** Runs a command like a typed one, then shows its command line. */
  readonly run: (line: Line) => Promise<void>;
  /** Shows a text, wrapped between words. */
  readonly say: (text: string) => Promise<void>;
  /** Shows the command line that is equivalent to what the menu has just shown. */
  readonly show: (line: Line) => Promise<void>;
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

/** Returns the line of a command for records, whose keys may start with a dash. */
export function lineFor(
  path: readonly string[],
  keys: readonly string[],
  options: readonly string[],
): Line {
  const hasDash = keys.some((key) => key.startsWith("-") && key !== "-");
  return { path, args: hasDash ? [...options, "--", ...keys] : [...keys, ...options] };
}

/** The options that select the target, which each line has as its command needs them. */
const targetNames: ReadonlySet<string> = new Set(["profile", "local", "baseUrl", "database"]);

/** Returns the words of the given global options, except those that select the target. */
export function givenWords(program: Command, given: GlobalOptions): readonly string[] {
  const values = given as Readonly<Record<string, string | boolean | undefined>>;
  return program.options.flatMap((option) => {
    const value = values[option.attributeName()];
    const isLeftOut = !isGlobalOption(option) || targetNames.has(option.attributeName());
    if (isLeftOut || value === undefined) return [];
    return typeof value === "boolean" ? [option.long!] : optionWords(option.long!, value);
  });
}
