import { jsonText } from "../contract/text/json-text.ts";

const maxLength = 60;

/** Returns any value of a response as short text. */
export function shortText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = jsonText(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
