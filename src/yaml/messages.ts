import { isAlias, isMap, isScalar, isSeq, type Scalar } from "yaml";
import type { Location } from "../contract/error.ts";
import { cut } from "./documents.ts";

/** Returns a location as `FILE:LINE:COLUMN`. */
export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** Returns the message for a value of another type: "name must be text, not a list". */
export function wrongType(rule: string, node: unknown): string {
  return isEmpty(node) ? `${rule}, but the value is missing` : `${rule}, not ${kindOf(node)}`;
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
