/** Matches a hint with a command of sendctl. */
const command = /^hint: .*\bsendctl [a-z]/;

/**
 * Wraps the lines of a text between words. A terminal breaks lines within words. A hint with a command stays on
 * one line, so that the command can be copied.
 *
 * @param width columns of the terminal; undefined for a pipe or a file, for which nothing is wrapped
 */
export async function wrapLines(text: string, width: number | undefined): Promise<string> {
  if (width === undefined) return text;
  const lines = text.split("\n");
  // No character is wider than two columns.
  if (lines.every((line) => line.length * 2 <= width)) return text;
  const { prepareToMeasure } = await import("./display-width.ts");
  const { wrapLine } = await import("./wrap-words.ts");
  await prepareToMeasure(lines);
  return lines.flatMap((line) => (command.test(line) ? [line] : wrapLine(line, width))).join("\n");
}
