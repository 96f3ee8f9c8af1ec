import { isScalar, isSeq } from "yaml";
import { quoted, quotingHint, wrongType } from "../core/yaml/diagnostics.ts";
import {
  expansionLimit,
  find,
  grow,
  isTagged,
  type Found,
  type Walk as AnyWalk,
} from "../core/yaml/nodes.ts";
import { expand, type Expanded, type VariableRules } from "./variables.ts";

/** State that all files share. */
export interface Reading {
  readonly variables: VariableRules;
  expansion: number;
}

/** The context in which one document is read. */
export interface Walk extends AnyWalk {
  readonly reading: Reading;
}

/** Returns the items of a list. Reports any other value and returns no items. */
export function readItems(walk: Walk, { node, offset }: Found, name: string): readonly Found[] {
  if (isSeq(node)) return node.items.flatMap((item) => find(walk, item, offset) ?? []);
  const isNull = isScalar(node) && node.value === null;
  const help = isNull
    ? `write ${name}: [] for none, or remove ${name} to leave the existing ones unchanged`
    : "start each item with a dash";
  const message = `${wrongType(`${name} must be a list`, node)}; ${help}`;
  if (!isTagged(node)) walk.report(offset, message);
  return [];
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
