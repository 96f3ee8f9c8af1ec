import { stringEnd } from "../../contract/text/json-text.ts";
/** The secrets to hide. */
export interface Hiding {
  readonly isIn: (text: string) => boolean;
  readonly hide: (text: string) => string;
  /** Returns the JSON string that replaces a number; without it, numbers are not hidden. */
  readonly hideNumber?: () => string;
}

/** An escaped printable ASCII character. The text of such a string is known only after it is parsed. */
const escapedAscii = /\\u00[2-7]/;

/** A character that JSON does not allow outside strings. */
const otherThanJson = /[^\s{}[\]:,\d.eE+\-truefalsn]/;

/**
 * Removes secrets from the strings and numbers of JSON. Valid JSON stays valid, and strings without secrets stay
 * unchanged. In text that is not JSON, the parts between strings are handled as plain text.
 */
export function hideInJson(json: string, hiding: Hiding): string {
  const isHidden = json.includes("\\u00") && escapedAscii.test(json);
  if (!isHidden && !hiding.isIn(json)) return json;
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start < 0) break;
    const end = stringEnd(json, start);
    parts.push(hiddenBetween(json.slice(at, start), hiding));
    parts.push(hiddenString(json.slice(start, end), hiding));
    at = end;
  }
  parts.push(hiddenBetween(json.slice(at), hiding));
  return parts.join("");
}

/** Removes secrets from any text. In HTML, for example, quotes do not delimit strings. */
export function hideInText(text: string, hiding: Hiding): string {
  const hidden = hideInJson(text, hiding);
  return hidden === text || isJson(text) ? hidden : hiding.hide(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function hiddenString(token: string, { hide }: Hiding): string {
  const text = token.includes("\\") ? read(token) : token.slice(1, -1);
  if (text === undefined) return hide(token);
  const shown = hide(text);
  return shown === text ? token : JSON.stringify(shown);
}

/** Returns the value of a JSON string; undefined if it is invalid. */
function read(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** Removes secrets from the text between strings. A number becomes a string, so that the JSON stays valid. */
function hiddenBetween(text: string, { isIn, hide, hideNumber }: Hiding): string {
  if (!isIn(text)) return text;
  if (otherThanJson.test(text)) return hide(text);
  if (hideNumber === undefined) return text;
  return text.replace(/-?\d[\d.eE+-]*/g, (number) => (isIn(number) ? hideNumber() : number));
}
