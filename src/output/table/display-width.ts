/** Characters that take one column each, as every terminal has it: printable Latin, dashes, quotes, ellipsis. */
const oneColumnEach = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2013\u2014\u2018-\u201d\u2026]*$/;

/** The colours that cells are painted with. */
// oxlint-disable-next-line no-control-regex -- an escape sequence is what is looked for
const colours = /\u001b\[\d+m/g;

let measure: ((line: string) => number) | undefined;
let segmenter: Intl.Segmenter | undefined;

/** To be awaited before any of these lines is measured: what wide characters take costs time to load. */
export async function prepareToMeasure(lines: Iterable<string>): Promise<void> {
  if (measure !== undefined) return;
  for (const line of lines) {
    if (!oneColumnEach.test(line)) {
      const { default: stringWidth } = await import("string-width");
      measure = stringWidth;
      segmenter = new Intl.Segmenter();
      return;
    }
  }
}

/** Terminal columns that a line takes: wide characters and emoji take two, colours none. */
export function displayWidth(line: string): number {
  const text = line.includes("\u001b") ? line.replace(colours, "") : line;
  if (oneColumnEach.test(text)) return text.length;
  return measure === undefined ? text.length : measure(text);
}

/** What a person sees as one character each; never half of an emoji or an accented letter. */
function graphemes(line: string): string[] {
  if (segmenter === undefined || oneColumnEach.test(line)) return Array.from(line);
  return Array.from(segmenter.segment(line), ({ segment }) => segment);
}

/** The most of a line that fits into `width` columns (at least one character), and the rest. */
function splitAt(line: string, width: number): [head: string, rest: string] {
  const parts = graphemes(line);
  let used = displayWidth(parts[0] ?? "");
  let count = 1;
  while (count < parts.length) {
    used += displayWidth(parts[count]!);
    if (used > width) break;
    count += 1;
  }
  return [parts.slice(0, count).join(""), parts.slice(count).join("")];
}

/** Cut to `width` columns, the last of them an ellipsis where anything is missing. */
export function cutToWidth(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  return width <= 1 ? "…" : `${splitAt(line, width - 1)[0]}…`;
}

/** Broken into lines of at most `width` columns, between words where that is possible. */
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
