import type { Command } from "commander";
import { optionWords } from "../../config/target.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { isGlobalOption } from "../program/global-options.ts";
import type { Line } from "./session.ts";

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
