import { displayWidth, wrapToWidth } from "./display-width.ts";

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
