import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Scalar } from "yaml";
import { cut, type Report, type YamlDocument } from "./yaml/documents.ts";
import { expansionLimit } from "./limits.ts";
import type { Location } from "./manifest.ts";
import { nearest } from "./nearest.ts";
import { expand, type Expanded, type VariableRules } from "./variables.ts";

/** A value of a document, and the offset where it stands: that of the alias, where it is one. */
export interface Found {
  readonly node: Node | null;
  readonly offset: number;
}

/** What is read of all files; what aliases and variables add to them is bounded. */
export interface Reading {
  readonly variables: VariableRules;
  expansion: number;
}

/** One document, while it is read. */
export interface Walk {
  readonly reading: Reading;
  readonly targets: YamlDocument["targets"];
  readonly report: Report;
  readonly locationOf: (offset: number) => Location;
}

/** Where a node stands; where it has no text, `otherwise`. */
function offsetOf(node: unknown, otherwise: number): number {
  return (node as Node | null)?.range?.[0] ?? otherwise;
}

/** Follows an alias. Undefined, and reported, where that leads nowhere, or too far. */
export function find(walk: Walk, node: unknown, otherwise: number): Found | undefined {
  const offset = offsetOf(node, otherwise);
  if (!isAlias(node)) return { node: node as Node | null, offset };
  const target = walk.targets.get(node);
  const name = cut(node.source);
  if (target === undefined) {
    walk.report(offset, `*${name} stands for nothing: there is no &${name} before it`);
    return undefined;
  }
  if (holds(target, node)) {
    walk.report(offset, `*${name} is within what it stands for: write out what is meant`);
    return undefined;
  }
  return grow(walk, offset, sizeOf(target)) ? { node: target, offset } : undefined;
}

function holds(target: Node, alias: Alias): boolean {
  const [start, , end] = target.range ?? [0, 0, 0];
  const offset = alias.range?.[0] ?? -1;
  return start <= offset && offset < end;
}

function sizeOf(node: Node): number {
  if (isMap(node) || isSeq(node)) return node.items.length;
  return isScalar(node) && typeof node.value === "string" ? node.value.length : 1;
}

/** @returns whether so much more may be read than is written */
function grow({ reading, report }: Walk, offset: number, by: number): boolean {
  if (reading.expansion > expansionLimit) return false;
  reading.expansion += by;
  if (reading.expansion <= expansionLimit) return true;
  report(offset, "aliases and variables stand for too much: write out what is meant");
  return false;
}

/** The members of a mapping by name. Keys that are none, unknown or given twice are reported. */
export function readFields(
  walk: Walk,
  { node, offset }: Found,
  what: string,
  known: readonly string[],
): ReadonlyMap<string, Found> | undefined {
  if (!isMap(node)) {
    if (!isTagged(node)) walk.report(offset, `${what} must be a mapping, and is ${kindOf(node)}`);
    return undefined;
  }
  const found = new Map<string, Found>();
  const places = new Map<string, number>();
  for (const { key, value } of node.items) {
    const keyOffset = offsetOf(key, offset);
    if (!isScalar(key)) {
      const fault = `a key must be a word, and is ${kindOf(key)}`;
      if (!isTagged(key as Node)) walk.report(keyOffset, fault);
      continue;
    }
    const name = keyName(key);
    const first = places.get(name);
    if (first !== undefined) {
      walk.report(keyOffset, `${shown(name, known)} is given twice: ${firstAt(walk, first)}`);
      continue;
    }
    places.set(name, keyOffset);
    if (!known.includes(name)) {
      walk.report(keyOffset, unknownField(name, what, known));
      continue;
    }
    const member = find(walk, value, keyOffset);
    // What can't be followed is reported; that the member is missing would be one fault too many.
    found.set(name, member ?? { node: null, offset: -1 });
  }
  return found;
}

/** An item that `find` or `readFields` has reported already. */
export function isReported({ offset }: Found): boolean {
  return offset < 0;
}

function keyName(key: Scalar): string {
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

function unknownField(name: string, what: string, known: readonly string[]): string {
  if (name === "<<") return "merge keys (<<) have no meaning here: write the members out";
  const near = nearest(name, known);
  const right = near === undefined ? `${what} has ${known.join(", ")}` : `did you mean ${near}?`;
  return `unknown member ${quoted(name)}: ${right}`;
}

function shown(name: string, known: readonly string[]): string {
  return known.includes(name) ? name : quoted(name);
}

function firstAt(walk: Walk, offset: number): string {
  return `first at ${locationText(walk.locationOf(offset))}`;
}

export function locationText({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** The items of a list; undefined, and reported, where it is none. */
export function readItems(
  walk: Walk,
  { node, offset }: Found,
  name: string,
): readonly Found[] | undefined {
  if (isSeq(node)) {
    return node.items.flatMap((item) => find(walk, item, offset) ?? []);
  }
  const isNothing = isScalar(node) && node.value === null;
  const right = isNothing
    ? `write ${name}: [] for none, or leave it out to leave them as they are`
    : "put a dash before each of its items";
  const fault = `${name} must be a list, and is ${kindOf(node)}: ${right}`;
  if (!isTagged(node)) walk.report(offset, fault);
  return undefined;
}

/** A text with its variables replaced; undefined, and reported, where it is none. */
export function readText(walk: Walk, found: Found, name: string): Expanded | undefined {
  const { node, offset } = found;
  if (!isScalar(node) || typeof node.value !== "string") {
    const fault = `${name} must be text, and is ${kindOf(node)}${hint(node)}`;
    if (!isTagged(node)) walk.report(offset, fault);
    return undefined;
  }
  return readExpanded(walk, node.value, offset);
}

/** A text of a manifest with its variables replaced; undefined, and reported, where that can't be done. */
export function readExpanded(walk: Walk, text: string, offset: number): Expanded | undefined {
  const expanded = expand(text, walk.reading.variables, expansionLimit);
  if ("messages" in expanded) {
    for (const message of expanded.messages) walk.report(offset, message);
    return undefined;
  }
  const added = Math.max(0, expanded.text.length - text.length);
  return grow(walk, offset, added) ? expanded : undefined;
}

/** How a value is named: by its variables, whose values may be no one's business, or as it is. */
export function named({ text, names }: Expanded): string {
  if (names.length === 0) return quoted(text);
  return `the value of ${names.map((name) => `\${${name}}`).join(" and ")}`;
}

function quoted(text: string): string {
  return JSON.stringify(cut(text));
}

/** A tag is told where it stands; what it makes of a value is no second fault. */
export function isTagged(node: Node | null): boolean {
  return node !== null && "tag" in node && node.tag !== undefined;
}

function hint(node: Node | null): string {
  if (!isScalar(node) || node.source === undefined || node.source === "") return "";
  return `: write ${quoted(node.source)}`;
}

/** What a value is, in words. */
export function kindOf(node: unknown): string {
  if (isMap(node)) return "a mapping";
  if (isSeq(node)) return "a list";
  if (isAlias(node)) return "an alias";
  const { value, source } = (node ?? { value: null }) as Partial<Scalar>;
  if (value === null || value === undefined) return source ? "null" : "left empty";
  if (typeof value === "string") return `the text ${quoted(value)}`;
  return `the ${typeof value} ${cut(source ?? JSON.stringify(value))}`;
}
