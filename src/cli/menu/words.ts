import type { GlobalOptions } from "../../config/settings.ts";
import { shellWord } from "../../contract/text/shell-word.ts";

/** A command line after `sendctl`: the command, then its arguments and options. */
export interface Line {
  readonly path: readonly string[];
  readonly args: readonly string[];
}

/** Returns the words of an option and its value, which may start with a dash. */
export function optionWords(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

/** Returns the words of an option; none if its value is empty. */
export function optionalWords(name: string, value: string): readonly string[] {
  return value === "" ? [] : optionWords(name, value);
}

/** Returns the line of a command for records, whose keys may start with a dash. */
export function lineFor(
  path: readonly string[],
  keys: readonly string[],
  options: readonly string[] = [],
): Line {
  const hasDash = keys.some((key) => key.startsWith("-") && key !== "-");
  return { path, args: hasDash ? [...options, "--", ...keys] : [...keys, ...options] };
}

/** Returns the words of the given global options, except those that select the target. */
export function givenWords(given: GlobalOptions): readonly string[] {
  const { output, csvSafe, timeout, retries, insecureHttp, dryRun, quiet, color, debug } = given;
  const flags = [
    [csvSafe, "--csv-safe"],
    [insecureHttp, "--insecure-http"],
    [dryRun, "--dry-run"],
    [quiet, "--quiet"],
    [color === false, "--no-color"],
    [debug, "--debug"],
  ] as const;
  return [
    ...optionalWords("--output", output ?? ""),
    ...optionalWords("--timeout", timeout ?? ""),
    ...optionalWords("--retries", retries ?? ""),
    ...flags.flatMap(([isGiven, flag]) => (isGiven === true ? [flag] : [])),
  ];
}

const start = "  $ sendctl";
const continuation = "      ";

/**
 * Returns a command line quoted for a shell. A line that is wider than the terminal is continued with backslashes.
 */
export function shownLine(words: readonly string[], columns: number): string {
  const lines: string[] = [];
  let line = start;
  for (const part of partsOf(words)) {
    const longer = `${line} ${part}`;
    if (longer.length + " \\".length < columns) line = longer;
    else {
      lines.push(`${line} \\`);
      line = `${continuation}${part}`;
    }
  }
  return [...lines, line].join("\n");
}

/** Quotes words for a shell. An option and its value stay together. */
function partsOf(words: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    const isValue = before !== undefined && /^--\w[^=]*$/.test(before) && !word.startsWith("-");
    if (isValue) parts.push(`${parts.pop()} ${shellWord(word)}`);
    else parts.push(shellWord(word));
  }
  return parts;
}
