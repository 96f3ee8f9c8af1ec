/**
 * Characters that take one column in every terminal and combine with no others: printable Latin,
 * dashes, quotes, ellipsis, and letters of the Greek, Cyrillic, Armenian, Hebrew, Arabic and
 * Georgian scripts.
 */
const narrow = String.raw`\x20-\x7e\xa0-\xac\xae-\u02ff\u0388-\u038a\u038e-\u03a1\u03a3-\u0482\u048a-\u052f\u0531-\u0556\u0561-\u0586\u05d0-\u05ea\u0621-\u064a\u0660-\u0669\u0671-\u06d3\u10d0-\u10fa\u1e00-\u1eff\u2013\u2014\u2018-\u201d\u2026`;

/** Characters of two columns that combine with no others: kana, ideographs and Hangul. */
const wide = String.raw`\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const onlyNarrow = new RegExp(`^[${narrow}]*$`);
const ofKnownWidth = new RegExp(`^[${narrow}${wide}]*$`);
const eachWide = new RegExp(`[${wide}]`, "g");

/** The colour sequences of cells. */
// oxlint-disable-next-line no-control-regex -- matches an escape sequence
const colours = /\u001b\[\d+m/g;

/**
 * What measures and splits all other text. Loading it and its first use take up to 60 ms:
 * string-width has a pattern of all emoji, and Intl.Segmenter reads its rules.
 */
let measures:
  | {
      readonly widthOf: (text: string) => number;
      readonly segmenter: Intl.Segmenter;
    }
  | undefined;

/** Returns whether a line can be measured without more preparation. */
export function isMeasurable(line: string): boolean {
  return measures !== undefined || ofKnownWidth.test(line);
}

/** Loads properties of characters if the lines need them. Must precede their measuring. */
export async function prepareToMeasure(lines: Iterable<string>): Promise<void> {
  if (measures !== undefined) return;
  for (const line of lines) {
    if (!isMeasurable(line)) {
      const { default: widthOf } = await import("string-width");
      measures = { widthOf, segmenter: new Intl.Segmenter() };
      return;
    }
  }
}

/**
 * A letter that belongs to the one before it, as in क्ष or the Thai ำ, has columns of its
 * own in terminals, but string-width counts both once. So letters are measured apart, except Hangul
 * letters that make up syllables.
 */
const letters = /[^\P{Lo}\u1100-\u11ff]/gu;

/** In UTF-16 units. Longer lines are not measured: Intl.Segmenter takes quadratic time. */
const maxMeasured = 10_000;

/** Widths of recent texts: a list often has the same message in many records. */
const widths = new Map<string, number>();
const maxWidths = 1000;

/** Returns the width of a line in columns: two for wide characters and emoji, none for colours. */
export function displayWidth(line: string): number {
  const text = line.includes("\u001b") ? line.replace(colours, "") : line;
  if (onlyNarrow.test(text)) return text.length;
  if (ofKnownWidth.test(text)) return text.length + text.match(eachWide)!.length;
  if (measures === undefined || text.length > maxMeasured) return text.length;
  const known = widths.get(text);
  if (known !== undefined) return known;
  const width = measures.widthOf(text.replace(letters, "\0$&"));
  if (widths.size === maxWidths) widths.clear();
  widths.set(text, width);
  return width;
}

/** Returns the width of the widest line in columns. */
export function widest(lines: readonly string[]): number {
  return lines.reduce((most, line) => Math.max(most, displayWidth(line)), 0);
}

/** In UTF-16 units. Intl.Segmenter copies its whole text for each part of it. */
const maxSegmented = 500;

/** Yields what must stay together in a line, like emoji, and letters with their accents. */
function* partsOf(line: string): Generator<string, void> {
  if (measures === undefined || ofKnownWidth.test(line)) {
    yield* line;
    return;
  }
  for (let start = 0; start < line.length;) {
    const end = start + maxSegmented;
    const segments = measures.segmenter.segment(line.slice(start, end));
    const parts = Array.from(segments, ({ segment }) => segment);
    // The last part may go on.
    if (end < line.length && parts.length > 1) parts.pop();
    yield* parts;
    start += parts.join("").length;
  }
}

/** Yields the lines that parts fill, each of at most `width` columns or a single part. */
function* filledLines(parts: Iterable<string>, width: number): Generator<string> {
  let line = "";
  let used = 0;
  for (const part of parts) {
    const own = displayWidth(part);
    if (used + own > width && line !== "") {
      yield line;
      line = "";
      used = 0;
    }
    line += part;
    used += own;
  }
  yield line;
}

/** Truncates a line to `width` columns, including an ellipsis. */
export function cutToWidth(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  if (width <= 1) return "…";
  const [first] = filledLines(partsOf(line), width - 1);
  return `${first}…`;
}

export type Alignment = "left" | "right";

/** Adds spaces to a text up to a width in columns. */
export function padded(text: string, width: number, alignment: Alignment = "left"): string {
  const missing = " ".repeat(Math.max(0, width - displayWidth(text)));
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
      for (const filled of filledLines(partsOf(part), width)) {
        if (line !== undefined) lines.push(line);
        line = filled;
      }
    }
  };
  for (const word of text.split(" ")) {
    if (displayWidth(word) <= width) add(word, " ");
    else for (const [index, part] of word.split(breakPoints).entries()) add(part, index ? "" : " ");
  }
  return [...lines, line ?? ""];
}

/** Wraps a line between words, each part indented like it, after `prepareToMeasure`. */
export function wrapLine(line: string, width: number): readonly string[] {
  if (displayWidth(line) <= width) return [line];
  const margin = " ".repeat(line.search(/[^ ]|$/));
  const parts = wrapWords(line.slice(margin.length), Math.max(1, width - margin.length));
  return parts.map((part) => `${margin}${part}`);
}
