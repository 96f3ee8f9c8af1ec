import { readJson } from "../../contract/text/foreign-json.ts";
import { stringEnd } from "../../contract/text/json-text.ts";

/** The secrets to hide. */
export interface Hiding {
  readonly isIn: (text: string) => boolean;
  readonly hide: (text: string) => string;
  /** Returns the JSON string that replaces a number; without it, numbers are not hidden. */
  readonly hideNumber?: () => string;
}

/** Removes secrets from the strings and numbers of JSON or JSON Lines. They stay valid, and other strings unchanged. */
export function hideInJson(json: string, hiding: Hiding): string {
  if (!hiding.isIn(json)) return json;
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start < 0) break;
    const end = stringEnd(json, start);
    parts.push(hiddenNumbers(json.slice(at, start), hiding));
    parts.push(hiddenString(json.slice(start, end), hiding));
    at = end;
  }
  parts.push(hiddenNumbers(json.slice(at), hiding));
  return parts.join("");
}

/** Removes secrets from any text, JSON or not. In HTML, for example, quotes do not delimit strings. */
export function hideInText(text: string, hiding: Hiding): string {
  if (!hiding.isIn(text)) return text;
  return readJson(text) === undefined ? hiding.hide(text) : hideInJson(text, hiding);
}

function hiddenString(token: string, { hide }: Hiding): string {
  const text = JSON.parse(token) as string;
  const shown = hide(text);
  return shown === text ? token : JSON.stringify(shown);
}

function hiddenNumbers(text: string, { isIn, hideNumber }: Hiding): string {
  if (hideNumber === undefined) return text;
  return text.replace(/-?\d[\d.eE+-]*/g, (number) => (isIn(number) ? hideNumber() : number));
}
