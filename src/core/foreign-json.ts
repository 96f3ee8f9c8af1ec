import { stringEnd } from "./json-text.ts";

/** Maximum nesting of JSON from outside. Most code that reads its values is recursive; a page of records has 3 levels. */
const maxDepth = 100;

/** Maximum number of characters in a number of such JSON. Converting it takes time that grows with their square. */
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

/** Returns the limit that JSON from outside exceeds, to follow a colon; undefined if it keeps all of them. */
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
