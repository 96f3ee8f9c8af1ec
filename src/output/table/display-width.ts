import type * as Clusters from "./clusters.ts";

/**
 * Characters that take one column in every terminal and combine with no others: printable Latin, dashes, quotes,
 * ellipsis, and letters of the Greek, Cyrillic, Armenian, Hebrew, Arabic and Georgian scripts.
 */
const narrow = String.raw`\x20-\x7e\xa0-\xac\xae-\u02ff\u0388-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u0531-\u0556\u0561-\u0586\u05d0-\u05ea\u0621-\u064a\u0660-\u0669\u0671-\u06d3\u10d0-\u10fa\u1e00-\u1eff\u2013\u2014\u2018-\u201d\u2026`;

/** Characters that take two columns in every terminal and combine with no others: kana, ideographs and Hangul. */
const wide = String.raw`\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const onlyNarrow = new RegExp(`^[${narrow}]*$`);
const ofKnownWidth = new RegExp(`^[${narrow}${wide}]*$`);
const eachWide = new RegExp(`[${wide}]`, "g");

/** The colour sequences of cells. */
// oxlint-disable-next-line no-control-regex -- matches an escape sequence
const colours = /\u001b\[\d+m/g;

let measures: typeof Clusters | undefined;

/** Loads the properties of characters if any of the lines needs them. Must be awaited before the lines are measured. */
export async function prepareToMeasure(lines: Iterable<string>): Promise<void> {
  if (measures !== undefined) return;
  for (const line of lines) {
    if (!ofKnownWidth.test(line)) {
      measures = await import("./clusters.ts");
      return;
    }
  }
}

/** Returns the width of a line in columns: two for wide characters and emoji, none for colours. */
export function displayWidth(line: string): number {
  const text = line.includes("\u001b") ? line.replace(colours, "") : line;
  if (onlyNarrow.test(text)) return text.length;
  if (ofKnownWidth.test(text)) return text.length + text.match(eachWide)!.length;
  return measures === undefined ? text.length : measures.clustersWidth(text);
}

/** Splits a line into what must stay together, like emoji, and letters with their accents. */
function clusters(line: string): string[] {
  if (measures === undefined || ofKnownWidth.test(line)) return Array.from(line);
  return measures.clusters(line);
}

/** Splits a line after the characters that fit into `width` columns, at least one. */
function splitAt(line: string, width: number): [head: string, rest: string] {
  let head = "";
  let used = 0;
  for (const part of clusters(line)) {
    used += displayWidth(part);
    if (used > width && head !== "") break;
    // Joiners can make any number of letters one part, which is then wider than the line.
    head += used > Math.max(width, 2) ? start(part, width) : part;
  }
  return [head, line.slice(head.length)];
}

/** Returns the characters at the start of a part that fit into `width` columns, at least one. */
function start(part: string, width: number): string {
  const [first = "", ...others] = part;
  let head = first;
  for (const character of others) {
    if (displayWidth(head + character) > width) break;
    head += character;
  }
  return head;
}

/** Truncates a line to `width` columns, including an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  return width <= 1 ? "…" : `${splitAt(line, width - 1)[0]}…`;
}

/** Wraps a line to at most `width` columns, between words if possible. */
export function wrapToWidth(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (displayWidth(rest) > width) {
    const [head, tail] = splitAt(rest, width);
    const space = tail.startsWith(" ") ? head.length : head.lastIndexOf(" ");
    const length = space > 0 ? space : head.length;
    lines.push(rest.slice(0, length).trimEnd());
    rest = rest.slice(length).replace(/^ /, "");
  }
  lines.push(rest);
  return lines;
}

export type Alignment = "left" | "right";

/**
 * Adds spaces to a text up to a width in columns.
 *
 * @param natural width of the text, if it is known
 */
export function padded(
  text: string,
  width: number,
  alignment: Alignment,
  natural = displayWidth(text),
): string {
  const missing = " ".repeat(Math.max(0, width - natural));
  return alignment === "right" ? missing + text : text + missing;
}
