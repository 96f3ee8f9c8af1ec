import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Scalar } from "yaml";
import { cut, type Report, type YamlDocument } from "./yaml/documents.ts";
import { expansionLimit } from "./limits.ts";
import type { Location } from "./manifest.ts";
import { locationText, quoted, quotingHint, wrongType } from "./messages.ts";
import { nearest } from "../contract/nearest.ts";
import { expand, type Expanded, type VariableRules } from "./variables.ts";

/** A value of a document and its offset. For an alias, that is the offset of the alias. */
export interface Found {
  readonly node: Node | null;
  readonly offset: number;
}

/** State that all files share. `expansion` counts what aliases and variables have added: see `expansionLimit`. */
export interface Reading {
  readonly variables: VariableRules;
  expansion: number;
}

/** The context in which one document is read. */
export interface Walk {
  readonly reading: Reading;
  readonly targets: YamlDocument["targets"];
  readonly report: Report;
  readonly locationOf: (offset: number) => Location;
}

function offsetOf(node: unknown, fallback: number): number {
  return (node as Node | null)?.range?.[0] ?? fallback;
}

/**
 * Returns a node, or the target of an alias. Reports an alias without a valid target, or over the expansion limit, and
 * returns undefined.
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

/** Counts what an alias or variable adds. Reports the first one over the limit. @returns whether it is allowed */
function grow({ reading, report }: Walk, offset: number, by: number): boolean {
  if (reading.expansion > expansionLimit) return false;
  reading.expansion += by;
  if (reading.expansion <= expansionLimit) return true;
  report(offset, "aliases and variables add too much text; use fewer of them");
  return false;
}

/** Returns the fields of a mapping by name. Reports invalid, unknown and duplicate keys. */
export function readFields(
  walk: Walk,
  { node, offset }: Found,
  what: string,
  known: readonly string[],
): ReadonlyMap<string, Found> | undefined {
  if (!isMap(node)) {
    if (!isTagged(node)) walk.report(offset, wrongType(`${what} must be a mapping`, node));
    return undefined;
  }
  const found = new Map<string, Found>();
  const offsets = new Map<string, number>();
  for (const { key, value } of node.items) {
    const keyOffset = offsetOf(key, offset);
    if (!isScalar(key)) {
      const message = wrongType("a field name must be text", key);
      if (!isTagged(key as Node)) walk.report(keyOffset, message);
      continue;
    }
    const name = keyName(key);
    const first = offsets.get(name);
    if (first !== undefined) {
      const location = locationText(walk.locationOf(first));
      walk.report(keyOffset, `duplicate field ${shown(name, known)} (first at ${location})`);
      continue;
    }
    offsets.set(name, keyOffset);
    if (!known.includes(name)) {
      walk.report(keyOffset, unknownField(name, what, known));
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

function unknownField(name: string, what: string, known: readonly string[]): string {
  if (name === "<<") return "merge keys (<<) are not supported; write out the fields";
  const near = nearest(name, known);
  const help =
    near === undefined ? `${what} can have ${known.join(", ")}` : `did you mean ${near}?`;
  return `unknown field ${quoted(name)}; ${help}`;
}

function shown(name: string, known: readonly string[]): string {
  return known.includes(name) ? name : quoted(name);
}

/** Returns the items of a list. Reports any other value and returns undefined. */
export function readItems(
  walk: Walk,
  { node, offset }: Found,
  name: string,
): readonly Found[] | undefined {
  if (isSeq(node)) {
    return node.items.flatMap((item) => find(walk, item, offset) ?? []);
  }
  const isNull = isScalar(node) && node.value === null;
  const help = isNull
    ? `write ${name}: [] for none, or remove ${name} to leave the existing ones unchanged`
    : "start each item with a dash";
  const message = `${wrongType(`${name} must be a list`, node)}; ${help}`;
  if (!isTagged(node)) walk.report(offset, message);
  return undefined;
}

/** Returns a text with its variables replaced. Reports any other value and returns undefined. */
export function readText(walk: Walk, found: Found, name: string): Expanded | undefined {
  const { node, offset } = found;
  if (!isScalar(node) || typeof node.value !== "string") {
    const message = `${wrongType(`${name} must be text`, node)}${quotingHint(node)}`;
    if (!isTagged(node)) walk.report(offset, message);
    return undefined;
  }
  return readExpanded(walk, node.value, offset);
}

/** Replaces the variables of a text. Reports those that cannot be replaced and returns undefined. */
export function readExpanded(walk: Walk, text: string, offset: number): Expanded | undefined {
  const expanded = expand(text, walk.reading.variables, expansionLimit);
  if ("messages" in expanded) {
    for (const message of expanded.messages) walk.report(offset, message);
    return undefined;
  }
  const added = Math.max(0, expanded.text.length - text.length);
  return grow(walk, offset, added) ? expanded : undefined;
}

/** Returns whether a node has a tag. Tags are reported on their own, so the tagged value needs no second diagnostic. */
export function isTagged(node: Node | null): boolean {
  return node !== null && "tag" in node && node.tag !== undefined;
}
