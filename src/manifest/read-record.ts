import { isScalar } from "yaml";
import type { Location } from "../core/error.ts";
import { type Field, groupFields, namesOf } from "../contract/resources.ts";
import {
  type DesiredGroup,
  type DesiredSenderId,
  type GroupSettings,
  decimalId,
  manifestFields,
  uuidPattern,
} from "./manifest.ts";
import {
  type Walk,
  emptyValue,
  readExpanded,
  readText,
  refuseDuplicate,
  valueText,
  wrongValue,
} from "./nodes.ts";
import { isVariable } from "./variables.ts";
import { locationText, wrongType } from "../core/yaml/diagnostics.ts";
import { type Found, isReported, isTagged, readFields } from "../core/yaml/nodes.ts";

/** Keys of the groups in all files, which must be unique, with their first locations. */
export interface GroupsSeen {
  readonly ids: Map<string, Location>;
  readonly uuids: Map<string, Location>;
  /** For each name, the first location, and the first location without an id or uuid. */
  readonly names: Map<string, { readonly first: Location; bare: Location | undefined }>;
}

export function noGroupsSeen(): GroupsSeen {
  return { ids: new Map(), uuids: new Map(), names: new Map() };
}

type FieldName = (typeof manifestFields.group)[number];

/** Reads one item of `groups`. Reports problems; the result must not be used if there are any. */
export function readGroup(walk: Walk, item: Found, seen: GroupsSeen): DesiredGroup | undefined {
  const found = readFields(walk, item, "a group", manifestFields.group);
  if (found === undefined) return undefined;
  if (!found.has("name")) walk.report(item.offset, "missing required field name");
  const read = <Value>(
    field: FieldName,
    reader: (walk: Walk, found: Found, field: FieldName) => Value | undefined,
  ): Value | undefined => {
    const one = found.get(field);
    return one === undefined || isReported(one) ? undefined : reader(walk, one, field);
  };
  const id = read("id", readId);
  const uuid = read("uuid", readUuid);
  const name = read("name", readName);
  const offsetOf = (field: FieldName): number => found.get(field)!.offset;
  if (id !== undefined) refuseDuplicate(walk, seen.ids, id, offsetOf("id"), "group id");
  if (uuid !== undefined) refuseDuplicate(walk, seen.uuids, uuid, offsetOf("uuid"), "group uuid");
  const isBare = !found.has("id") && !found.has("uuid");
  if (name !== undefined) refuseDuplicateName(walk, seen.names, name, offsetOf("name"), isBare);
  const senderId = found.get("sender_id");
  const rest = {
    ...readSettings(walk, found),
    ...given("senderIdLocation", senderId && walk.locationOf(senderId.offset)),
  };
  if (name === undefined) return undefined;
  const location = walk.locationOf(item.offset);
  return { ...given("id", id), ...given("uuid", uuid), name, ...rest, location };
}

/** The fields of a group other than its keys and name. */
const settings = namesOf(
  groupFields,
  ({ manifest, create }) => manifest !== undefined && manifest !== "key" && create !== "required",
);

function readSettings(walk: Walk, found: ReadonlyMap<string, Found>): GroupSettings {
  const values: Record<string, unknown> = {};
  for (const name of settings) {
    const one = found.get(name);
    if (one === undefined || isReported(one)) continue;
    const value = readSetting(walk, one, name, groupFields[name]);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function readSetting(
  walk: Walk,
  found: Found,
  name: string,
  { type, null: meaning, refersTo }: Field,
): string | boolean | null | undefined {
  const isNullable = meaning !== undefined;
  if (type === "boolean") return readFlag(walk, found, name, isNullable);
  if (isNullable && isNull(found)) return null;
  return refersTo === undefined
    ? readText(walk, found, name)?.text
    : readSenderIdName(walk, found, name);
}

/** Returns whether null is written out. A missing value is not null: it may have been forgotten. */
function isNull({ node }: Found): boolean {
  return isScalar(node) && node.value === null && node.source !== "" && !isTagged(node);
}

/** Returns an object with one field, or without it if the value is undefined. */
function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** Reads a positive whole number of any size, written as a number or a text of digits. */
function readId(walk: Walk, found: Found): string | undefined {
  const { node, offset } = found;
  const rule = "id must be a positive whole number";
  if (isScalar(node) && typeof node.value === "string") {
    const expanded = readExpanded(walk, node.value, offset);
    if (expanded === undefined || decimalId.test(expanded.text)) return expanded?.text;
    walk.report(offset, wrongValue(rule, expanded));
    return undefined;
  }
  if (isScalar(node) && Number.isInteger(node.value) && (node.value as number) > 0) {
    // A double is exact to 15 digits; the source text has all of them.
    const digits = /^\+?[0-9]+$/.test(node.source ?? "") ? node.source! : (node.value as number);
    return String(BigInt(typeof digits === "string" ? digits.replace("+", "") : digits));
  }
  if (!isTagged(node)) walk.report(offset, wrongType(rule, node));
  return undefined;
}

function readUuid(walk: Walk, found: Found): string | undefined {
  const expanded = readText(walk, found, "uuid");
  if (expanded === undefined || uuidPattern.test(expanded.text))
    return expanded?.text.toLowerCase();
  const rule = "uuid must be like 123e4567-e89b-12d3-a456-426614174000";
  walk.report(found.offset, wrongValue(rule, expanded));
  return undefined;
}

function readName(walk: Walk, found: Found): string | undefined {
  const expanded = readText(walk, found, "name");
  if (expanded?.text !== "") return expanded?.text;
  walk.report(found.offset, emptyValue("name", expanded));
  return undefined;
}

const meanings = { true: true, false: false, null: null };

/** Reads true, false or null, or a variable with one of these values. */
function readFlag(
  walk: Walk,
  { node, offset }: Found,
  name: string,
  isNullable: boolean,
): boolean | null | undefined {
  const words = isNullable ? (["true", "false", "null"] as const) : (["true", "false"] as const);
  const rule = `${name} must be ${isNullable ? "true, false or null" : "true or false"}`;
  if (!isScalar(node) || isTagged(node)) {
    if (!isTagged(node)) walk.report(offset, wrongType(rule, node));
    return undefined;
  }
  if (typeof node.value === "string" && isVariable(node.value)) {
    const expanded = readExpanded(walk, node.value, offset);
    if (expanded === undefined) return undefined;
    const word = words.find((one) => one === expanded.text);
    if (word !== undefined) return meanings[word];
    walk.report(offset, wrongValue(rule, expanded));
    return undefined;
  }
  // A missing value is not null: it may have been forgotten.
  const word = node.source === "" ? undefined : words.find((one) => meanings[one] === node.value);
  if (word !== undefined) return meanings[word];
  walk.report(offset, `${wrongType(rule, node)}${switchHint(node.value)}`);
  return undefined;
}

/** YAML 1.1 read these words as true or false; YAML 1.2 does not. */
function switchHint(value: unknown): string {
  if (typeof value !== "string") return "";
  if (/^(?:yes|on|y|true)$/i.test(value)) return "; write true";
  return /^(?:no|off|n|false)$/i.test(value) ? "; write false" : "";
}

/** Reports a duplicate name, unless both groups have an id or uuid. */
function refuseDuplicateName(
  walk: Walk,
  seen: GroupsSeen["names"],
  name: string,
  offset: number,
  isBare: boolean,
): void {
  const location = walk.locationOf(offset);
  const before = seen.get(name);
  if (before === undefined) {
    seen.set(name, { first: location, bare: isBare ? location : undefined });
    return;
  }
  const other = isBare ? before.first : before.bare;
  if (other !== undefined) {
    const message = `duplicate group name (first at ${locationText(other)})`;
    walk.report(offset, `${message}; add the id or uuid to each of them, or remove one`);
  }
  if (isBare) before.bare ??= location;
}

/** Names of the sender IDs in all files, which must be unique, with their first locations. */
export type SenderIdsSeen = Map<string, Location>;

/** Reads one item of `sender_ids`. Reports problems, and returns undefined if there are any. */
export function readSenderId(
  walk: Walk,
  item: Found,
  seen: SenderIdsSeen,
): DesiredSenderId | undefined {
  const found = readFields(walk, item, "a sender ID", manifestFields.senderId);
  if (found === undefined) return undefined;
  for (const field of manifestFields.senderId) {
    if (!found.has(field)) walk.report(item.offset, `missing required field ${field}`);
  }
  const name = readSenderIdName(walk, found.get("name"), "name");
  const purposeFound = found.get("purpose");
  const purpose =
    purposeFound === undefined || isReported(purposeFound)
      ? undefined
      : readText(walk, purposeFound, "purpose")?.text;
  if (name !== undefined) {
    refuseDuplicate(walk, seen, name, found.get("name")!.offset, "sender ID name");
  }
  if (name === undefined || purpose === undefined) return undefined;
  return { name, purpose, location: walk.locationOf(item.offset) };
}

/** Reads the name of a sender ID. Reports an invalid name and returns undefined. */
export function readSenderIdName(
  walk: Walk,
  found: Found | undefined,
  field: string,
): string | undefined {
  if (found === undefined || isReported(found)) return undefined;
  const expanded = readText(walk, found, field);
  if (expanded === undefined) return undefined;
  const { text } = expanded;
  if (isPathSafeName(text)) return text;
  const message =
    text === ""
      ? emptyValue(field, expanded)
      : `${valueText(expanded)} cannot be the name of a sender ID: a URL path cannot contain it`;
  walk.report(found.offset, message);
  return undefined;
}

/** Returns whether a URL path can contain a name. */
export function isPathSafeName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && name.isWellFormed();
}
