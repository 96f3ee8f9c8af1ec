import { isScalar, isSeq } from "yaml";
import { expansionLimit } from "../yaml/limits.ts";
import { quotingHint, wrongType } from "../yaml/messages.ts";
import { find, grow, isTagged, type Found, type Walk as AnyWalk } from "../yaml/nodes.ts";
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
