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

/** Returns where a JSON string that begins at `start` ends: the index behind its last quote. */
export function stringEnd(json: string, start: number): number {
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

/** In characters: no string can be twice as long. What nests deep takes more than its depth squared. */
const maxLayoutLength = 2 ** 28;

/**
 * Indented by two spaces, as JSON.stringify would, with one newline at the end; as it came where that would
 * be longer than a text can be.
 */
export function indentedJson(json: string): string {
  const parts: string[] = [];
  let length = json.length;
  let depth = 0;
  let justOpened = false;
  for (const [start, end] of tokens(json)) {
    const token = json.slice(start, end);
    length += 2 * depth;
    if (length > maxLayoutLength) return `${json}\n`;
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

const quote = 34;
const comma = 44;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** The text of each item of `data.data`: the records of a list's envelope. */
export function pageItems(envelope: string): string[] {
  const items: string[] = [];
  /** Whether what is open at each depth is on the way to the records: the envelope, its data, their array. */
  const isOnWay = [false, false, false, false];
  let depth = 0;
  let key = "";
  let itemStart = -1;
  const endItem = (end: number): void => {
    if (itemStart >= 0) items.push(envelope.slice(itemStart, end).trimEnd());
    itemStart = -1;
  };
  // Character by character, because a million records have to be read in seconds.
  for (let at = 0; at < envelope.length; at += 1) {
    const character = envelope.charCodeAt(at);
    const isBetween = depth === 3 && isOnWay[3]!;
    if (character === quote) {
      const end = stringEnd(envelope, at);
      if (isBetween && itemStart < 0) itemStart = at;
      if (depth < 3) key = nameOf(envelope.slice(at, end));
      at = end - 1;
    } else if (character === openBrace || character === openBracket) {
      if (isBetween && itemStart < 0) itemStart = at;
      depth += 1;
      if (depth <= 3) {
        const wanted = depth === 3 ? openBracket : openBrace;
        const isNamed = depth === 1 || (isOnWay[depth - 1]! && key === "data");
        isOnWay[depth] = isNamed && character === wanted;
        // Of two members of one name, the later counts.
        if (depth === 3 && isOnWay[3]) items.length = 0;
      }
    } else if (character === closeBrace || character === closeBracket) {
      if (isBetween) endItem(at);
      depth -= 1;
    } else if (isBetween) {
      if (character === comma) endItem(at);
      else if (itemStart < 0 && !whiteSpace.includes(envelope[at]!)) itemStart = at;
    }
  }
  return items;
}

/** The name that a string of JSON writes. */
function nameOf(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** The text of `data`: the record of an envelope. */
export function dataText(envelope: string): string {
  let depth = 0;
  let key = "";
  let start = -1;
  let text = "null";
  for (const [from, to] of tokens(envelope)) {
    const token = envelope.slice(from, to);
    if (depth === 1 && start >= 0 && (token === "," || token === "}")) {
      text = envelope.slice(start, from).trimEnd();
      start = -1;
    } else if (depth === 1 && token === ":" && key === "data") start = to;
    else if (depth === 1 && start < 0 && token.startsWith('"')) key = JSON.parse(token) as string;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
  }
  return text.trim();
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
