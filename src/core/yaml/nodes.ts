import { type Alias, type Node, type Scalar, isAlias, isMap, isScalar, isSeq } from "yaml";
import { type Diagnostic, type Location, diagnosticLimit } from "../error.ts";
import { cut, nearest } from "../text.ts";
import {
  createLocations,
  decodeText,
  flowHint,
  yamlDocuments,
  type FileLimit,
  type Report,
  type YamlDocument,
} from "./documents.ts";

/** Most UTF-16 units and fields that variables and aliases may add to the text of the files. */
export const expansionLimit = 16 * 1024 * 1024;

/** A value of a document and its offset. For an alias, that is the offset of the alias. */
export interface Found {
  readonly node: Node | null;
  readonly offset: number;
}

/** The context in which one document is read. */
export interface Walk {
  /** Shared by all files. `expansion` counts what aliases and variables add: `expansionLimit`. */
  readonly reading: { expansion: number };
  readonly targets: YamlDocument["targets"];
  readonly report: Report;
  readonly locationOf: (offset: number) => Location;
}

/** The bytes of a file, and its name for locations. */
export interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Calls `read` for each document that is not empty. Reports files too large, not text, or empty.
 *
 * @param reading what all files share
 * @param ifEmpty what to write instead of an empty file
 */
export function readDocuments<Reading extends Walk["reading"]>(
  { name: file, bytes }: Source,
  limit: FileLimit,
  diagnostics: Diagnostics,
  reading: Reading,
  ifEmpty: string,
  read: (walk: Walk & { readonly reading: Reading }, top: Found) => void,
): void {
  const decoded = decodeText(bytes, limit);
  if ("message" in decoded) {
    return diagnostics.add({ file, line: 1, column: 1 }, decoded.message);
  }
  const locate = createLocations(decoded.text);
  const locationOf = (offset: number): Location => ({ file, ...locate(offset) });
  let isEmpty = true;
  const report: Report = (offset, message) => {
    isEmpty = false;
    diagnostics.add(locationOf(offset), message);
  };
  for (const { contents, targets } of yamlDocuments(decoded.text, report)) {
    if (isNothing(contents)) continue;
    isEmpty = false;
    const walk = { reading, targets, report, locationOf };
    const top = find(walk, contents, 0);
    if (top !== undefined) read(walk, top);
  }
  if (isEmpty) report(0, `the file is empty; ${ifEmpty}`);
}

function offsetOf(node: unknown, fallback: number): number {
  return (node as Node | null)?.range?.[0] ?? fallback;
}

/**
 * Returns a node, or the target of an alias. Reports an alias without a valid target, or over the
 * expansion limit, and returns undefined.
 *
 * @param fallback offset for a node without text
 */
export function find(walk: Walk, node: unknown, fallback: number): Found | undefined {
  const offset = offsetOf(node, fallback);
  if (!isAlias(node)) return { node: node as Node | null, offset };
  const target = walk.targets.get(node);
  const name = cut(node.source);
  if (target === undefined) {
    walk.report(offset, `unknown alias *${name}: no anchor &${name} precedes it`);
    return undefined;
  }
  if (contains(target, node)) {
    walk.report(offset, `the alias *${name} is inside its own anchor &${name}`);
    return undefined;
  }
  return grow(walk, offset, sizeOf(target)) ? { node: target, offset } : undefined;
}

function contains(target: Node, alias: Alias): boolean {
  const [start, , end] = target.range ?? [0, 0, 0];
  const offset = alias.range?.[0] ?? -1;
  return start <= offset && offset < end;
}

function sizeOf(node: Node): number {
  if (isMap(node) || isSeq(node)) return node.items.length;
  return isScalar(node) && typeof node.value === "string" ? node.value.length : 1;
}

/** Counts what an alias or variable adds; reports the first excess. @returns if it is allowed */
export function grow({ reading, report }: Walk, offset: number, by: number): boolean {
  if (reading.expansion > expansionLimit) return false;
  reading.expansion += by;
  if (reading.expansion <= expansionLimit) return true;
  report(offset, "aliases and variables add too much text; use fewer of them");
  return false;
}

/** How messages name the fields of a mapping, and the known ones. */
interface FieldWords {
  readonly noun: string;
  readonly help: string;
}

/** Reads a mapping by field. Reports invalid, unknown, duplicate keys. @param subject "a group" */
export function readFields(
  walk: Walk,
  { node, offset }: Found,
  subject: string,
  known: readonly string[],
  { noun, help }: FieldWords = { noun: "field", help: `${subject} can have ${known.join(", ")}` },
): ReadonlyMap<string, Found> | undefined {
  if (!isMap(node)) {
    if (!isTagged(node)) walk.report(offset, wrongType(`${subject} must be a mapping`, node));
    return undefined;
  }
  const found = new Map<string, Found>();
  const offsets = new Map<string, number>();
  for (const { key, value } of node.items) {
    const keyOffset = offsetOf(key, offset);
    if (!isScalar(key)) {
      const message = wrongType(`a ${noun} name must be text`, key);
      if (!isTagged(key as Node)) walk.report(keyOffset, message);
      continue;
    }
    const name = keyName(key);
    const first = offsets.get(name);
    if (first !== undefined) {
      const location = locationText(walk.locationOf(first));
      walk.report(keyOffset, `duplicate ${noun} ${shown(name, known)} (first at ${location})`);
      continue;
    }
    offsets.set(name, keyOffset);
    if (!known.includes(name)) {
      walk.report(keyOffset, unknownField(name, known, { noun, help }));
      continue;
    }
    const field = find(walk, value, keyOffset);
    // An invalid alias is already reported; the field must not be reported as missing as well.
    found.set(name, field ?? { node: null, offset: -1 });
  }
  return found;
}

/** Returns whether a field is an invalid alias, which `readFields` has reported. */
export function isReported({ offset }: Found): boolean {
  return offset < 0;
}

function keyName(key: Scalar): string {
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

function unknownField(name: string, known: readonly string[], words: FieldWords): string {
  if (name === "<<") return `merge keys (<<) are not supported; write out the ${words.noun}s`;
  const near = nearest(name, known);
  const help = near === undefined ? words.help : `did you mean ${near}?`;
  return `unknown ${words.noun} ${quoted(name)}; ${help}`;
}

function shown(name: string, known: readonly string[]): string {
  return known.includes(name) ? name : quoted(name);
}

/** Returns whether a node has a tag. Tags are reported apart: the value needs no diagnostic. */
export function isTagged(node: Node | null): boolean {
  return node !== null && "tag" in node && node.tag !== undefined;
}

/** Returns whether nothing is written, as between two `---`. A written null is something. */
function isNothing(node: unknown): boolean {
  if (node === null || node === undefined) return true;
  return isScalar(node) && node.value === null && !node.source;
}

/** Collects the first diagnostics of several files, and counts the others. */
export type Diagnostics = ReturnType<typeof createDiagnostics>;

/** Creates an empty collection. @param files names in reading order */
export function createDiagnostics(files: readonly string[]) {
  const stored: Diagnostic[] = [];
  let count = 0;
  return {
    add: ({ file, line, column }: Location, message: string): void => {
      count += 1;
      if (count <= diagnosticLimit) stored.push({ file, line, column, message });
    },
    isEmpty: (): boolean => count === 0,
    /** Returns them sorted by location. Over the limit, the last one is a count of the rest. */
    list: (): readonly Diagnostic[] => {
      const sorted = stored.toSorted(
        (a, b) =>
          files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
      );
      const rest = count - sorted.length;
      return rest === 0 ? sorted : [...sorted, { ...sorted.at(-1)!, message: `and ${rest} more` }];
    },
  };
}

/** Returns a location as `FILE:LINE:COLUMN`. */
export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** Returns the message for a value of another type: "name must be text, not a list". */
export function wrongType(rule: string, node: unknown): string {
  return isNothing(node) ? `${rule}, but the value is missing` : `${rule}, not ${kindOf(node)}`;
}

/** Returns a quoted and shortened text. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text));
}

/** Returns the hint to quote a value that is not text. */
export function quotingHint(node: unknown): string {
  if (isMap(node) && node.flow === true && node.items.length > 0) return flowHint;
  if (!isScalar(node) || node.source === undefined || node.source === "") return "";
  return `; write ${quoted(node.source)}`;
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
