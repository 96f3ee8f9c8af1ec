import { shellWord } from "../../output/shell-word.ts";

/** The command line that does what the menu did. */
export function commandLine(words: readonly string[]): string {
  return ["sendctl", ...words.map(shellWord)].join(" ");
}

/** An option and its value, which may begin with a dash. */
export function optionWords(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

/** A command, the record that it is about, which may begin with a dash, and its options. */
export function words(
  command: readonly string[],
  key: string,
  options: readonly string[] = [],
): readonly string[] {
  return key.startsWith("-") ? [...command, ...options, "--", key] : [...command, key, ...options];
}
