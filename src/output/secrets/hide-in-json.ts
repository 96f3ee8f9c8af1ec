import { stringEnd } from "../../contract/json-text.ts";
/** What is hidden. */
export interface Hiding {
  readonly isIn: (text: string) => boolean;
  readonly hide: (text: string) => string;
  /** Returns the string of JSON in place of a number; without it, numbers stay. */
  readonly hideNumber?: () => string;
}

/** A character of a string's own content, written as an escape: what the string says is seen only once it is read. */
const escapedAscii = /\\u00[2-7]/;

/** What JSON has outside its strings. */
const otherThanJson = /[^\s{}[\]:,\d.eE+\-truefalsn]/;

/**
 * Returns JSON with secrets taken out of its strings and numbers. What was JSON still is, and a string without a
 * secret stays as it came. Text that is not JSON, between or instead of such strings, is hidden as text.
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

/** The same for a text that may be anything: HTML, say, has quotes that mean something else. */
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

/** Returns what a string of JSON says; undefined where it is not one. */
function read(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

/** A number becomes a string, so that the whole can still be read. */
function hiddenBetween(text: string, { isIn, hide, hideNumber }: Hiding): string {
  if (!isIn(text)) return text;
  if (otherThanJson.test(text)) return hide(text);
  if (hideNumber === undefined) return text;
  return text.replace(/-?\d[\d.eE+-]*/g, (number) => (isIn(number) ? hideNumber() : number));
}
