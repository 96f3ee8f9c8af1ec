import { isScalar } from "yaml";
import { groupFields, namesOf, type Field } from "../contract/resources.ts";
import {
  decimalId,
  manifestFields,
  uuidPattern,
  type DesiredGroup,
  type GroupSettings,
  type Location,
} from "./manifest.ts";
import {
  isReported,
  isTagged,
  kindOf,
  named,
  locationText,
  readExpanded,
  readFields,
  readText,
  type Found,
  type Walk,
} from "./nodes.ts";
import { readSenderIdName } from "./sender-ids.ts";
import { isVariable } from "./variables.ts";

/** What the groups of all files must not have in common. */
export interface GroupsSeen {
  readonly ids: Map<string, Location>;
  readonly uuids: Map<string, Location>;
  /** Where a name first stands, and where it first stands without an id or a uuid. */
  readonly names: Map<string, { readonly first: Location; bare: Location | undefined }>;
}

export function noGroupsSeen(): GroupsSeen {
  return { ids: new Map(), uuids: new Map(), names: new Map() };
}

type Member = (typeof manifestFields.group)[number];

/** Reads one item of `groups`; what is wrong with it is reported, and then it is not to be used. */
export function readGroup(walk: Walk, item: Found, seen: GroupsSeen): DesiredGroup | undefined {
  const found = readFields(walk, item, "a group", manifestFields.group);
  if (found === undefined) return undefined;
  if (!found.has("name")) walk.report(item.offset, "the group has no name: give it one");
  const read = <Value>(
    member: Member,
    reader: (walk: Walk, found: Found, member: Member) => Value | undefined,
  ): Value | undefined => {
    const one = found.get(member);
    return one === undefined || isReported(one) ? undefined : reader(walk, one, member);
  };
  const id = read("id", readId);
  const uuid = read("uuid", readUuid);
  const name = read("name", readName);
  const offsetOf = (member: Member): number => found.get(member)!.offset;
  if (id !== undefined) refuseDuplicate(walk, seen.ids, id, offsetOf("id"), "id");
  if (uuid !== undefined) refuseDuplicate(walk, seen.uuids, uuid, offsetOf("uuid"), "uuid");
  const isBare = !found.has("id") && !found.has("uuid");
  if (name !== undefined) refuseNamesake(walk, seen.names, name, offsetOf("name"), isBare);
  const senderId = found.get("sender_id");
  const rest = {
    ...readSettings(walk, found),
    ...given("senderIdLocation", senderId && walk.locationOf(senderId.offset)),
  };
  if (name === undefined) return undefined;
  const location = walk.locationOf(item.offset);
  return { ...given("id", id), ...given("uuid", uuid), name, ...rest, location };
}

/** What a group sets beside its name. */
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

/** Nothing behind the colon is not null: it is as likely forgotten as meant. */
function isNull({ node }: Found): boolean {
  return isScalar(node) && node.value === null && node.source !== "" && !isTagged(node);
}

/** A member that is left out where there is no value. */
function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

/** A whole number from 1, of any size, as a number or in digits. */
function readId(walk: Walk, found: Found): string | undefined {
  const { node, offset } = found;
  const right = "id must be a whole number from 1";
  if (isScalar(node) && typeof node.value === "string") {
    const expanded = readExpanded(walk, node.value, offset);
    if (expanded === undefined || decimalId.test(expanded.text)) return expanded?.text;
    walk.report(offset, `${right}, and ${named(expanded)} is none`);
    return undefined;
  }
  if (isScalar(node) && Number.isInteger(node.value) && (node.value as number) > 0) {
    // A double keeps 15 digits; the text that it was read from has all of them.
    const digits = /^\+?[0-9]+$/.test(node.source ?? "") ? node.source! : (node.value as number);
    return String(BigInt(typeof digits === "string" ? digits.replace("+", "") : digits));
  }
  if (!isTagged(node)) walk.report(offset, `${right}, and is ${kindOf(node)}`);
  return undefined;
}

function readUuid(walk: Walk, found: Found): string | undefined {
  const expanded = readText(walk, found, "uuid");
  if (expanded === undefined || uuidPattern.test(expanded.text))
    return expanded?.text.toLowerCase();
  const right = "uuid must be like 123e4567-e89b-12d3-a456-426614174000";
  walk.report(found.offset, `${right}, and ${named(expanded)} is not`);
  return undefined;
}

function readName(walk: Walk, found: Found): string | undefined {
  const expanded = readText(walk, found, "name");
  if (expanded?.text !== "") return expanded?.text;
  walk.report(found.offset, `name must not be empty, and ${named(expanded)} is`);
  return undefined;
}

/** One of the words of JSON for a flag, or a variable that holds one. */
function readFlag(
  walk: Walk,
  found: Found,
  name: string,
  isNullable: boolean,
): boolean | null | undefined {
  return isNullable
    ? readChoice(walk, found, `${name} must be true, false or null`, ["true", "false", "null"])
    : readChoice(walk, found, `${name} must be true or false`, ["true", "false"]);
}

const meanings = { true: true, false: false, null: null };
type Word = keyof typeof meanings;

/** One of some words of JSON, or a variable that says which. */
function readChoice(
  walk: Walk,
  { node, offset }: Found,
  right: string,
  words: readonly Word[],
): boolean | null | undefined {
  if (!isScalar(node) || isTagged(node)) {
    if (!isTagged(node)) walk.report(offset, `${right}, and is ${kindOf(node)}`);
    return undefined;
  }
  if (typeof node.value === "string" && isVariable(node.value)) {
    const expanded = readExpanded(walk, node.value, offset);
    if (expanded === undefined) return undefined;
    const word = words.find((one) => one === expanded.text);
    if (word !== undefined) return meanings[word];
    walk.report(offset, `${right}, and ${named(expanded)} is not`);
    return undefined;
  }
  // Nothing behind the colon is as likely forgotten as meant.
  const word = node.source === "" ? undefined : words.find((one) => meanings[one] === node.value);
  if (word !== undefined) return meanings[word];
  walk.report(offset, `${right}, and is ${kindOf(node)}`);
  return undefined;
}

function refuseDuplicate(
  walk: Walk,
  seen: Map<string, Location>,
  value: string,
  offset: number,
  member: string,
): void {
  const first = seen.get(value);
  if (first === undefined) seen.set(value, walk.locationOf(offset));
  else walk.report(offset, `another group has this ${member}: first at ${locationText(first)}`);
}

/** Groups may share a name where each says by an id or a uuid which one it is. */
function refuseNamesake(
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
    const message = `another group has this name: first at ${locationText(other)}`;
    walk.report(offset, `${message}; give each its id or uuid`);
  }
  if (isBare) before.bare ??= location;
}
