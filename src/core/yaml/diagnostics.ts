import { diagnosticLimit, type Diagnostic, type Location } from "../error.ts";
import { isAlias, isMap, isScalar, isSeq, type Scalar } from "yaml";
import { cut } from "./documents.ts";

/** Collects diagnostics of several files in any order. */
export interface Diagnostics {
  readonly add: (location: Location, message: string) => void;
  readonly isEmpty: () => boolean;
  /** Returns them sorted by location. Over the limit, the last one is a count of the rest. */
  readonly list: () => readonly Diagnostic[];
}

/** Creates an empty collection. @param files names in reading order */
export function createDiagnostics(files: readonly string[]): Diagnostics {
  const order = new Map(files.map((file, index) => [file, index]));
  let stored: Diagnostic[] = [];
  let count = 0;
  const inOrder = (): Diagnostic[] =>
    stored.toSorted(
      (a, b) => order.get(a.file)! - order.get(b.file)! || a.line - b.line || a.column - b.column,
    );
  return {
    add: ({ file, line, column }, message) => {
      count += 1;
      stored.push({ file, line, column, message });
      // One more than the limit: the count of the rest has its location.
      if (stored.length > diagnosticLimit * 20) stored = inOrder().slice(0, diagnosticLimit + 1);
    },
    isEmpty: () => count === 0,
    list: () => {
      const sorted = inOrder();
      const first = sorted[diagnosticLimit];
      if (first === undefined) return sorted;
      const message = `and ${count - diagnosticLimit} more`;
      return [...sorted.slice(0, diagnosticLimit), { ...first, message }];
    },
  };
}

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
