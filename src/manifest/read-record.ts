import { isMap, isScalar, isSeq } from "yaml";
import type { Diagnostic, Location } from "../core/error.ts";
import {
  nouns,
  type RecordKind,
  uuidForm,
  resources,
  type Field,
  type Fields,
} from "../contract/resources.ts";
import {
  decimalId,
  formOf,
  isPathSafeName,
  manifestFields,
  type DesiredGroup,
  type DesiredSenderId,
  type Form,
} from "./manifest.ts";
import { expand, isVariable, type Expanded, type VariableRules } from "./variables.ts";
import {
  locationText,
  quoted,
  quotingHint,
  wrongType,
  expansionLimit,
  find,
  grow,
  isReported,
  isTagged,
  readFields,
  type Found,
  type Walk as AnyWalk,
} from "../core/yaml/nodes.ts";

/** Checks of texts beyond the manifest rules; services may differ. Each returns the problem. */
export interface TextChecks {
  /** Returns a predicate: "must not begin or end with white space". */
  readonly error?: ((field: Field, text: string) => string | undefined) | undefined;
  readonly warning?: ((field: Field, text: string) => string | undefined) | undefined;
}

/** State that all files share. */
export interface Reading {
  readonly variables: VariableRules;
  readonly checks: TextChecks;
  /** Collects the warnings of the checks. */
  readonly warnings: Diagnostic[];
  expansion: number;
  /** The records of each section that a document has. */
  readonly records: { [Kind in RecordKind]?: (DesiredSenderId | DesiredGroup)[] };
  /** The first locations of the keys, which must be unique, by kind of record, field and value. */
  readonly keys: Map<string, Location>;
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

/**
 * Reads one record. Its fields and their checks follow from src/contract/resources.ts. Reports
 * problems; the result must not be used if there are any.
 */
export function readRecord(
  walk: Walk,
  item: Found,
  kind: RecordKind,
): DesiredSenderId | DesiredGroup | undefined {
  const noun = nouns[kind];
  const fields: Fields = resources[kind];
  const { known, required } = manifestFields[kind];
  const found = readFields(walk, item, `a ${noun}`, known);
  if (found === undefined) return undefined;
  // A required field that seems to be missing may be one whose name is misspelt, which is reported.
  const isKnown = isMap(item.node) && item.node.items.length === found.size;
  for (const name of isKnown ? required : []) {
    if (!found.has(name)) walk.report(item.offset, `missing required field ${name}`);
  }
  const record: Record<string, unknown> = { location: walk.locationOf(item.offset) };
  for (const [name, node] of found) {
    if (isReported(node)) continue;
    const field = fields[name]!;
    const value = readValue(walk, node, name, field);
    if (value === undefined) continue;
    record[name] = value;
    if (typeof value === "string") {
      const { checks, warnings } = walk.reading;
      const error = checks.error?.(field, value);
      if (error !== undefined) walk.report(node.offset, `${name} ${error}`);
      const message = checks.warning?.(field, value);
      if (message !== undefined) warnings.push({ ...walk.locationOf(node.offset), message });
    }
    if (field.manifest === "key") {
      refuseDuplicate(walk, `${noun} ${name}`, String(value), node.offset);
    }
    if (name === "sender_id") record["senderIdLocation"] = walk.locationOf(node.offset);
  }
  const { name } = record;
  if (kind === "group" && typeof name === "string") {
    const isKeyed = found.has("id") || found.has("uuid");
    refuseDuplicateName(walk, name, found.get("name")!.offset, isKeyed);
  }
  return record as unknown as DesiredSenderId | DesiredGroup;
}

/** A text in the quotes of a word processor, which YAML takes for letters. */
const typographic = /^[“”„‘‚]([^“”„‘]*)[“”‘’]$/;

type Value = string | boolean | null;

/** Returns the value of a field. Reports an invalid one and returns undefined. */
function readValue(
  walk: Walk,
  { node, offset }: Found,
  name: string,
  field: Field,
): Value | undefined {
  // A tag is reported on its own.
  if (isTagged(node)) return undefined;
  const form = formOf(name, field);
  const isNullable = field.null !== undefined;
  const written = isScalar(node) ? node.value : undefined;
  // A missing value is not null: it may have been forgotten.
  if (isScalar(node) && isNullable && written === null && node.source !== "") return null;
  if (form === "flag" && typeof written === "boolean") return written;
  if (form === "id" && isScalar(node) && Number.isInteger(written) && (written as number) > 0) {
    // A double is exact to 15 digits; the source text has all of them.
    const [, digits] = /^\+?([0-9]+)$/.exec(node.source ?? "") ?? [];
    return String(BigInt(digits ?? (written as number)));
  }
  if (typeof written !== "string" || (form === "flag" && !isVariable(written))) {
    const rule = ruleOf(form, name, isNullable);
    const hint = form === "flag" ? flagHint(written) : form === "id" ? "" : quotingHint(node);
    walk.report(offset, `${wrongType(rule, node)}${hint}`);
    return undefined;
  }
  const [, inner] = (isScalar(node) && node.type === "PLAIN" && typographic.exec(written)) || [];
  if (inner !== undefined) {
    const help = `write ${quoted(inner)}, or ${quoted(written)} to keep them`;
    walk.report(offset, `${name} is in typographic quotes; ${help}`);
    return undefined;
  }
  const expanded = readExpanded(walk, written, offset);
  if (expanded === undefined) return undefined;
  if (!expanded.text.isWellFormed()) {
    walk.report(offset, `${name} must not contain half a surrogate pair`);
    return undefined;
  }
  const value = parseText(form, isNullable, expanded.text);
  if (value === undefined) walk.report(offset, problemOf(form, name, isNullable, expanded));
  return value;
}

/** Words the rule for the value of a field. */
function ruleOf(form: Form, name: string, isNullable: boolean): string {
  if (form === "id") return `${name} must be a positive whole number`;
  if (form !== "flag") return `${name} must be text`;
  return `${name} must be ${isNullable ? "true, false or null" : "true or false"}`;
}

/** Returns the value that a text stands for; undefined if it is not valid in its form. */
function parseText(form: Form, isNullable: boolean, text: string): Value | undefined {
  switch (form) {
    case "flag":
      return [true, false, ...(isNullable ? [null] : [])].find((flag) => String(flag) === text);
    case "id":
      return decimalId.test(text) ? text : undefined;
    case "uuid":
      return uuidForm.test(text) ? text.toLowerCase() : undefined;
    case "sender-id":
      return isPathSafeName(text) ? text : undefined;
    case "name":
      return text === "" ? undefined : text;
    default:
      return text;
  }
}

/** Returns why a text is not valid in its form. */
function problemOf(form: Form, name: string, isNullable: boolean, expanded: Expanded): string {
  if (form === "flag" || form === "id") return wrongValue(ruleOf(form, name, isNullable), expanded);
  if (form === "uuid") {
    return wrongValue(`${name} must be like 123e4567-e89b-12d3-a456-426614174000`, expanded);
  }
  if (expanded.text === "") return emptyValue(name, expanded);
  return `${valueText(expanded)} cannot be the name of a sender ID: a URL path cannot contain it`;
}

/** YAML 1.1 read these words as true or false; YAML 1.2 does not. */
function flagHint(value: unknown): string {
  if (typeof value !== "string") return "";
  if (/^(?:yes|on|y|true)$/i.test(value)) return "; write true";
  return /^(?:no|off|n|false)$/i.test(value) ? "; write false" : "";
}

/** Reports a value that another record has. @param key the field, such as "group id" */
function refuseDuplicate(walk: Walk, key: string, value: string, offset: number): void {
  const { keys } = walk.reading;
  const first = keys.get(`${key} ${value}`);
  if (first === undefined) keys.set(`${key} ${value}`, walk.locationOf(offset));
  else walk.report(offset, `duplicate ${key} (first at ${locationText(first)})`);
}

/** Reports a duplicate name of a group, unless both groups have an id or uuid. */
function refuseDuplicateName(walk: Walk, name: string, offset: number, isKeyed: boolean): void {
  const { keys } = walk.reading;
  const any = `group name ${name}`;
  const unkeyed = `group with only the name ${name}`;
  const first = keys.get(isKeyed ? unkeyed : any);
  if (first !== undefined) {
    const message = `duplicate group name (first at ${locationText(first)})`;
    walk.report(offset, `${message}; add the id or uuid to each of them, or remove one`);
  }
  const location = walk.locationOf(offset);
  if (!keys.has(any)) keys.set(any, location);
  if (!isKeyed && !keys.has(unkeyed)) keys.set(unkeyed, location);
}

/** Replaces the variables of a text; undefined, and diagnostics, if one cannot be replaced. */
function readExpanded(walk: Walk, text: string, offset: number): Expanded | undefined {
  const expanded = expand(text, walk.reading.variables, expansionLimit);
  if ("messages" in expanded) {
    for (const message of expanded.messages) walk.report(offset, message);
    return undefined;
  }
  const added = Math.max(0, expanded.text.length - text.length);
  return grow(walk, offset, added) ? expanded : undefined;
}

/** Returns a value for messages: only the names of variables, whose values may be confidential. */
function valueText({ text, names }: Expanded): string {
  if (names.length === 0) return quoted(text);
  return `the value of ${names.map((name) => `\${${name}}`).join(" and ")}`;
}

/** Returns the message for an invalid value: `id must be a positive whole number, not "x"`. */
function wrongValue(rule: string, expanded: Expanded): string {
  const value = valueText(expanded);
  return expanded.names.length === 0 ? `${rule}, not ${value}` : `${rule}, but ${value} is not`;
}

/** Returns the message for an empty text. */
function emptyValue(field: string, expanded: Expanded): string {
  const rule = `${field} must not be empty`;
  return expanded.names.length === 0 ? rule : `${rule}, but ${valueText(expanded)} is`;
}
