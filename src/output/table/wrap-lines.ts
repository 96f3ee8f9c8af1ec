/**
 * Wraps the lines of a text between words. A terminal breaks lines within words.
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
  return lines.flatMap((line) => wrapLine(line, width)).join("\n");
}
