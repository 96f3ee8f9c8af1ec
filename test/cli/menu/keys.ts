import { stripVTControlCharacters } from "node:util";
import { runAtTerminal, type Home } from "../../support/home.ts";

export const up = "\u001b[A";
export const down = "\u001b[B";
export const enter = "\r";
export const ctrlC = "\u0003";
export const escape = "\u001b";
// An answered question starts with another mark.
export const topQuestion = "? What would you like to work with?";
export const verbQuestion = "? What would you like to do?";

/** The keys to press, each after its question has appeared. */
export type Keys = readonly (readonly [question: string, keys: string])[];

/** Presses keys one by one, each after the prompt has reacted to the one before. */
export function oneByOne(question: string, ...keys: readonly string[]): Keys {
  return keys.map((key, index) => [index === 0 ? question : "", key] as const);
}

/** Types the beginning of a choice, then chooses it. */
export function choose(question: string, choice: string): Keys {
  return [
    [question, choice],
    [`❯ ${choice}`, enter],
  ];
}

/** Chooses a command of the menu. */
export function command(...words: readonly string[]): Keys {
  return words.flatMap((word, index) => choose(index === 0 ? topQuestion : verbQuestion, word));
}

/** Opens the menu at a terminal and presses keys. */
export async function inMenu(
  home: Home,
  keys: Keys,
  {
    args = [],
    columns = 200,
  }: { readonly args?: readonly string[]; readonly columns?: number } = {},
) {
  const ran = await runAtTerminal(home, args, { keys, columns, env: { NO_COLOR: "1" } });
  return { ...ran, stderr: stripVTControlCharacters(ran.stderr) };
}

/** Chooses to change only the first field of a group, its name. */
export const changeName: Keys = [
  ["Fields to change", " "],
  ["❯◉ Name", enter],
];
