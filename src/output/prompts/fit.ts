import type { Choice } from "./questions.ts";
import { displayWidth, prepareToMeasure, wrapWords } from "../table/display-width.ts";

/** The width of the mark before a question, and of the cursor before a choice. */
const indent = "  ";

/**
 * Wraps a question between words. The prompt library breaks lines anywhere.
 *
 * @param columns width of the terminal
 * @param reserved columns for what follows the question on its line, like `(y/N)`
 */
export async function fitQuestion(
  text: string,
  columns: number,
  reserved: number,
): Promise<string> {
  await prepareToMeasure([text]);
  const width = usableWidth(columns);
  const lines = wrapWords(text, width);
  const last = displayWidth(lines.at(-1)!);
  return [...lines, ...(last + reserved > width ? [""] : [])].join(`\n${indent}`);
}

/**
 * Returns choices as the prompt library takes them, wrapped between words. Descriptions are beside the choices if there is
 * room, otherwise below the list; `short` is shown once the question is answered.
 */
export async function fitChoices(question: string, choices: readonly Choice[], columns: number) {
  await prepareToMeasure([question, ...choices.map(({ name, about = "" }) => `${name}${about}`)]);
  const width = usableWidth(columns);
  const longest = Math.max(0, ...choices.map(({ name }) => displayWidth(name)));
  const abouts = choices.map(({ about = "" }) => displayWidth(about));
  const isBeside = longest + indent.length + Math.max(0, ...abouts) <= width;
  const left = width - 1 - displayWidth(question.slice(question.lastIndexOf("\n") + 1));
  return choices.map(({ value, name, about }) => {
    const lines = wrapWords(name, width).join(`\n${indent}`);
    const short = displayWidth(name) > left ? `\n${indent}${lines}` : name;
    if (about === undefined) return { value, name: lines, short };
    if (!isBeside)
      return { value, name: lines, short, description: wrapWords(about, columns).join("\n") };
    const padding = " ".repeat(longest - displayWidth(name));
    return { value, name: `${name}${padding}${indent}${about}`, short };
  });
}

/** Returns the width of a line after its indent. The last column is left free for the cursor. */
function usableWidth(columns: number): number {
  return Math.max(1, columns - indent.length - 1);
}
