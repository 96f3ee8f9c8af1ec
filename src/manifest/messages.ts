import { isAlias, isMap, isScalar, isSeq, type Scalar } from "yaml";
import type { Location } from "./manifest.ts";
import type { Expanded } from "./variables.ts";
import { cut } from "./yaml/documents.ts";

/** Returns a location as `FILE:LINE:COLUMN`. */
export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** Returns a value as messages show it. The values of variables may be confidential, so only their names are shown. */
export function valueText({ text, names }: Expanded): string {
  if (names.length === 0) return quoted(text);
  return `the value of ${names.map((name) => `\${${name}}`).join(" and ")}`;
}

/** Returns the message for a value of another type: "name must be text, not a list". */
export function wrongType(rule: string, node: unknown): string {
  return isEmpty(node) ? `${rule}, but the value is missing` : `${rule}, not ${kindOf(node)}`;
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

/** Returns a quoted and shortened text. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text));
}

/** Returns the hint to quote a scalar that is not text. */
export function quotingHint(node: unknown): string {
  if (!isScalar(node) || node.source === undefined || node.source === "") return "";
  return `; write ${quoted(node.source)}`;
}

function isEmpty(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  return isScalar(node) && node.value === null && !node.source;
}

function kindOf(node: unknown): string {
  if (isMap(node)) return "a mapping";
  if (isSeq(node)) return "a list";
  if (isAlias(node)) return "an alias";
  const { value, source } = node as Scalar;
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return `the text ${quoted(value)}`;
  return `the ${typeof value} ${cut(source ?? JSON.stringify(value))}`;
}
