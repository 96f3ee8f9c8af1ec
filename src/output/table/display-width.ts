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

/** Returns whether a line can be measured without more preparation. */
export function isMeasurable(line: string): boolean {
  return measures !== undefined || ofKnownWidth.test(line);
}

/** Loads the properties of characters if any of the lines needs them. Must be awaited before the lines are measured. */
export async function prepareToMeasure(lines: Iterable<string>): Promise<void> {
  if (measures !== undefined) return;
  for (const line of lines) {
    if (!isMeasurable(line)) {
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

/** Returns what must stay together, divided where it is wider than a line: joiners connect any number of letters. */
function pieces(part: string, width: number): string[] {
  if (part.length <= 2 || displayWidth(part) <= Math.max(width, 2)) return [part];
  const found: string[] = [];
  let start = 0;
  let used = 0;
  let at = 0;
  for (const character of part) {
    const own = displayWidth(character);
    if (used + own > width && at > start) {
      found.push(part.slice(start, at));
      start = at;
      used = 0;
    }
    used += own;
    at += character.length;
  }
  return [...found, part.slice(start)];
}

/** Yields the parts of a line that must stay together, and the width of each. */
function* measuredParts(
  line: string,
  width: number,
): Generator<readonly [part: string, width: number]> {
  for (const cluster of clusters(line)) {
    for (const part of pieces(cluster, width)) yield [part, displayWidth(part)];
  }
}

/** Truncates a line to `width` columns, including an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  if (width <= 1) return "…";
  let length = 0;
  let used = 0;
  for (const [part, own] of measuredParts(line, width - 1)) {
    used += own;
    if (used > width - 1 && length > 0) break;
    length += part.length;
  }
  return `${line.slice(0, length)}…`;
}

/** Wraps a line to at most `width` columns, between words if possible. */
export function wrapToWidth(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let at = 0;
  /** Where the current line starts, its width, its last space, and the width after that. */
  let start = 0;
  let used = 0;
  let space = -1;
  let afterSpace = 0;
  const breakAt = (end: number, next: number, usedByNext: number): void => {
    lines.push(line.slice(start, end).trimEnd());
    start = next;
    used = usedByNext;
    space = -1;
  };
  const isOver = (own: number): boolean => used + own > width && at > start;
  for (const [part, own] of measuredParts(line, width)) {
    const isSpace = part === " ";
    // A space at the end of a line is omitted, and takes no column of the next one.
    if (isSpace && isOver(own)) breakAt(at, at + 1, -own);
    if (space > start && isOver(own)) breakAt(space, space + 1, afterSpace);
    if (isOver(own)) breakAt(at, at, 0);
    if (isSpace) {
      space = at;
      afterSpace = 0;
    } else afterSpace += own;
    used += own;
    at += part.length;
  }
  lines.push(line.slice(start));
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

/** The places to break a word that is longer than a line: in a path, an address or an id. */
const breakPoints = /(?<=[/\\:@?&=_.,-])/;

/** Wraps a text between words. `prepareToMeasure` must have been awaited for the text. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  const add = (part: string, gap: string): void => {
    const longer = line === undefined ? part : `${line}${gap}${part}`;
    if (displayWidth(longer) <= width) line = longer;
    else {
      if (line !== undefined) lines.push(line);
      const broken = wrapToWidth(part, width);
      lines.push(...broken.slice(0, -1));
      line = broken.at(-1)!;
    }
  };
  for (const word of text.split(" ")) {
    if (displayWidth(word) <= width) add(word, " ");
    else for (const [index, part] of word.split(breakPoints).entries()) add(part, index ? "" : " ");
  }
  return [...lines, line ?? ""];
}

/** Minimum width of the second column; with less room, its text is below the first one. */
const minTextWidth = 24;

/**
 * Wraps a line between words. An indented line of two columns, like that of an option in a help text, keeps its
 * columns. `prepareToMeasure` must have been awaited for the line.
 */
export function wrapLine(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const [, margin = "", rest = ""] = /^( *)(.*)$/s.exec(line) ?? [];
  const [, term, gap, text] = (margin !== "" && /^(\S.*?)( {2,})(\S.*)$/s.exec(rest)) || [];
  if (term !== undefined && gap !== undefined && text !== undefined) {
    // A short term, like an exit code, needs no more room than its own.
    const gaps = [gap, "  "].map((one) => displayWidth(`${margin}${term}${one}`));
    const column = gaps.find((one) => width - one >= minTextWidth);
    if (column !== undefined) {
      const start = `${margin}${term}`;
      const [first = "", ...others] = wrapWords(text, width - column);
      const between = " ".repeat(column - displayWidth(start));
      return [`${start}${between}${first}`, ...others.map((one) => " ".repeat(column) + one)];
    }
    return [...wrapLine(`${margin}${term}`, width), ...indented(text, `${margin}    `, width)];
  }
  // The lines after the first one of an item are indented further.
  const [first = "", ...others] = wrapWords(rest, Math.max(1, width - margin.length));
  if (others.length === 0 || margin === "") return [`${margin}${first}`, ...others];
  const further = rest.slice(first.length).trimStart();
  return [`${margin}${first}`, ...indented(further, `${margin}  `, width)];
}

function indented(text: string, margin: string, width: number): readonly string[] {
  return wrapWords(text, Math.max(1, width - margin.length)).map((line) => `${margin}${line}`);
}
