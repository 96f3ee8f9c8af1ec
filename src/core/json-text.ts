/**
 * Formats and splits JSON as text without parsing its values, so that numbers keep their digits and
 * fields their order. The input must be valid for JSON.parse.
 */

const structure = '{}[]:,"';
const whiteSpace = " \n\r\t";

/** Yields the range of each token: a string, a number, a literal, or one structural character. */
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

/** Returns the end of the JSON string that starts at `start`: the index after its closing quote. */
export function stringEnd(json: string, start: number): number {
  let quote = json.indexOf('"', start + 1);
  while (quote >= 0 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote < 0 ? json.length : quote + 1;
}

/** Returns whether an odd number of backslashes precedes the index. */
function isEscaped(json: string, index: number): boolean {
  let backslashes = 0;
  while (json[index - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

/** In characters; no string can be twice as long. Layout grows with the square of the depth. */
const maxLayoutLength = 2 ** 28;

/**
 * Indents JSON by two spaces like JSON.stringify, with a newline at the end. Returns it unformatted
 * if the result would be longer than a string can be.
 */
export function indentedJson(json: string): string {
  return nativelyIndented(json) ?? indentTokens(json);
}

/** In characters. A page of records is shorter; longer text is not worth a copy in memory. */
const maxNativeLength = 2 ** 16;

/**
 * Indents JSON by JSON.stringify if that loses nothing: to print one page, the code below is not
 * compiled. Returns undefined for numbers with more digits, duplicate fields and the like.
 */
function nativelyIndented(json: string): string | undefined {
  if (json.length > maxNativeLength) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) === json ? `${JSON.stringify(value, null, 2)}\n` : undefined;
  } catch {
    // It is nested too deeply.
    return undefined;
  }
}

function indentTokens(json: string): string {
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

/** Returns the text of each item of `data.data`: the records in the envelope of a list. */
export function pageItems(envelope: string): string[] {
  const items: string[] = [];
  /** Whether the open value at each depth leads to the records: envelope, data, array. */
  const isOnPath = [false, false, false, false];
  let depth = 0;
  let key = "";
  let itemStart = -1;
  const endItem = (end: number): void => {
    if (itemStart >= 0) items.push(envelope.slice(itemStart, end).trimEnd());
    itemStart = -1;
  };
  // Character by character, which is fast enough for a million records in seconds.
  for (let at = 0; at < envelope.length; at += 1) {
    const character = envelope.charCodeAt(at);
    const isBetween = depth === 3 && isOnPath[3]!;
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
        const isNamed = depth === 1 || (isOnPath[depth - 1]! && key === "data");
        isOnPath[depth] = isNamed && character === wanted;
        // The last of duplicate fields wins.
        if (depth === 3 && isOnPath[3]) items.length = 0;
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

/** Decodes a field name from its JSON string. */
function nameOf(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** Returns the text of `data`: the record in an envelope. */
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

/** Formats a value as JSON on one line, or as an ellipsis if it is nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) =>
      typeof part === "bigint" ? String(part) : part,
    );
  } catch {
    return "…";
  }
}

/** Replaces line ends and white space around them. A pattern with `\s*` first is quadratic. */
export function joinLines(text: string, separator: string): string {
  return text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? separator : space));
}

/** Maximum nesting of outside JSON. Most readers are recursive; a page of records has 3 levels. */
const maxDepth = 100;

/** Maximum length of a number in such JSON, in characters. Its conversion takes quadratic time. */
const maxNumberLength = 1000;

/** Maximum number of digits that a double represents exactly. */
const maxExactLength = 15;

/** Also matches in strings, where digits are harmless. */
const longNumber = new RegExp(`[0-9]{${maxExactLength + 1}}`);

/** Parses JSON from outside; undefined for other text and for JSON beyond the limits. */
export function readJson(text: string): unknown {
  if (excessOf(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns whether JSON has a number that a double may not represent exactly. */
export function hasLongNumber(json: string): boolean {
  return longNumber.test(json) && extentOf(json).digits > maxExactLength;
}

/** Returns the limit that JSON from outside exceeds, to follow a colon; undefined if none. */
export function excessOf(json: string): string | undefined {
  // A body with few brackets cannot nest deep. This spares most of them the search.
  const hasFewBrackets = json.split(/[[{]/, maxDepth + 1).length <= maxDepth;
  if (hasFewBrackets && !longNumber.test(json)) return undefined;
  const { depth, digits } = extentOf(json);
  if (depth > maxDepth) return `it is nested deeper than ${maxDepth} levels`;
  if (digits > maxNumberLength) {
    return `a number has more than ${maxNumberLength} digits in a row`;
  }
  return undefined;
}

/** Returns how deep JSON nests, and the largest number of digits in a row, both outside strings. */
function extentOf(json: string): { readonly depth: number; readonly digits: number } {
  let depth = 0;
  let now = 0;
  let digits = 0;
  let inRow = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]!;
    if (character === '"') at = stringEnd(json, at) - 1;
    else if (character === "[" || character === "{") depth = Math.max(depth, (now += 1));
    else if (character === "]" || character === "}") now -= 1;
    inRow = character >= "0" && character <= "9" ? inRow + 1 : 0;
    digits = Math.max(digits, inRow);
  }
  return { depth, digits };
}
