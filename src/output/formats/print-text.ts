import { safeLines } from "../safe-text.ts";
import type { Report, Sheet } from "./format.ts";

/** Approximate length in characters of the pieces in which a long text is written. */
const pieceLength = 64 * 1024;

/** Prints the text of a report, if it has one. */
export async function printText({ text = "" }: Report, sheet: Sheet): Promise<void> {
  if (typeof text === "string") {
    return sheet.print(sheet.width === undefined ? text : safeLines(text));
  }
  let piece = "";
  for (const part of await text({ width: sheet.width, style: await sheet.style() })) {
    piece += part;
    if (piece.length < pieceLength) continue;
    await sheet.print(piece);
    piece = "";
  }
  return sheet.print(piece);
}
