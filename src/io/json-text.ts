/**
 * JSON as text: laid out and taken apart without reading its values, so that every number keeps its
 * digits and every member its place. The text given must be one that JSON.parse accepts.
 */

const structure = '{}[]:,"';
const whiteSpace = " \n\r\t";

/** Where each token begins and ends: a string, a number or word, or one character of structure. */
function* tokens(json: string): Generator<readonly [start: number, end: number]> {
  let start = 0;
  while (start < json.length) {
    const first = json[start]!;
    let end = start + 1;
    if (first === '"') end = stringEnd(json, start);
    else if (whiteSpace.includes(first)) {
      start = end;
      continue;
    } else if (!structure.includes(first)) {
      while (
        end < json.length &&
        !structure.includes(json[end]!) &&
        !whiteSpace.includes(json[end]!)
      ) {
        end += 1;
      }
    }
    yield [start, end];
    start = end;
  }
}

function stringEnd(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote >= 0 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote < 0 ? json.length : quote + 1;
}

/** True after an odd number of backslashes. */
function isEscaped(json: string, index: number): boolean {
  let backslashes = 0;
  while (json[index - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** Indented by two spaces, as JSON.stringify would, with one newline at the end. */
export function indentedJson(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let justOpened = false;
  for (const [start, end] of tokens(json)) {
    const token = json.slice(start, end);
    const closes = token === "}" || token === "]";
    const opens = token === "{" || token === "[";
    if (closes) depth -= 1;
    if (closes !== justOpened && (closes || justOpened)) parts.push(newLine(depth));
    if (opens) depth += 1;
    justOpened = opens;
    parts.push(token);
    if (token === ",") parts.push(newLine(depth));
    if (token === ":") parts.push(" ");
  }
  parts.push("\n");
  return parts.join("");
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}

/** The text of each item of `data.data`: the records of a list's envelope. */
export function pageItems(envelope: string): string[] {
  const path = "{/data{/data[";
  const items: string[] = [];
  const openings: string[] = [];
  let key = "";
  let itemStart = -1;
  for (const [start, end] of tokens(envelope)) {
    const token = envelope.slice(start, end);
    const betweenItems = openings.length === 3 && openings.join("/") === path;
    if (betweenItems && (token === "," || token === "]")) {
      if (itemStart >= 0) items.push(envelope.slice(itemStart, start).trimEnd());
      itemStart = -1;
    } else if (betweenItems && itemStart < 0) itemStart = start;
    if (token === "{" || token === "[") {
      openings.push(openings.length === 0 ? token : key + token);
      // Of two members of one name, the later counts.
      if (openings.join("/") === path) items.length = 0;
    }
    if (token === "}" || token === "]") openings.pop();
    else if (token.startsWith('"')) {
      key = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
    }
  }
  return items;
}

/** A value as JSON, on one line; what nests too deep for that is an ellipsis. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) =>
      typeof part === "bigint" ? String(part) : part,
    );
  } catch {
    return "…";
  }
}
