import { stripVTControlCharacters } from "node:util";
import { runAtTerminal, type Home } from "../../support/home.ts";

export const up = "\u001b[A";
export const down = "\u001b[B";
export const enter = "\r";
export const ctrlC = "\u0003";
// The mark of an answered question is another one.
export const what = "? What would you like to work with?";
export const which = "? What would you like to do?";

/** What a person presses, each when its question stands there. */
export type Keys = readonly (readonly [question: string, keys: string])[];

/** One key after the other, each of which the prompt answers before the next. */
export function each(question: string, ...keys: readonly string[]): Keys {
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
  return words.flatMap((word, index) => choose(index === 0 ? what : which, word));
}

/** Opens the menu in a terminal, and presses keys. */
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
