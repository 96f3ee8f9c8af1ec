import { stringEnd } from "./json-text.ts";

/** Maximum nesting of JSON from outside. Most code that reads its values is recursive; a page of records has 3 levels. */
const maxDepth = 100;

/** Maximum number of characters in a number of such JSON. Converting it takes time that grows with their square. */
const maxNumberLength = 1000;

/** Matches numbers that a double may not represent exactly. */
export const longNumber = /[0-9]{16}/;

/** Parses JSON from outside; undefined for other text and for JSON beyond the limits. */
export function readJson(text: string): unknown {
  if (excessOf(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the limit that JSON from outside exceeds, to follow a colon; undefined if it keeps all of them. */
export function excessOf(json: string): string | undefined {
  // A body with few brackets cannot nest deep. This spares most of them the search.
  const hasFewBrackets = json.split(/[[{]/, maxDepth + 1).length <= maxDepth;
  if (hasFewBrackets && !longNumber.test(json)) return undefined;
  let depth = 0;
  let numberLength = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]!;
    if (character === '"') at = stringEnd(json, at) - 1;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    numberLength = character >= "0" && character <= "9" ? numberLength + 1 : 0;
    if (depth > maxDepth) return `it is nested deeper than ${maxDepth} levels`;
    if (numberLength > maxNumberLength)
      return `a number has more than ${maxNumberLength} digits in a row`;
  }
  return undefined;
}
