import { quoted } from "../yaml/messages.ts";
import type { Expanded } from "./variables.ts";

/** Returns a value as messages show it. The values of variables may be confidential, so only their names are shown. */
export function valueText({ text, names }: Expanded): string {
  if (names.length === 0) return quoted(text);
  return `the value of ${names.map((name) => `\${${name}}`).join(" and ")}`;
}

/** Returns the message for a text with an invalid value: `id must be a positive whole number, not "x"`. */
export function wrongValue(rule: string, expanded: Expanded): string {
  const value = valueText(expanded);
  return expanded.names.length === 0 ? `${rule}, not ${value}` : `${rule}, but ${value} is not`;
}

/** Returns the message for an empty text. */
export function emptyValue(field: string, expanded: Expanded): string {
  const rule = `${field} must not be empty`;
  return expanded.names.length === 0 ? rule : `${rule}, but ${valueText(expanded)} is`;
}
