import { type Location, SendctlError } from "../core/error.ts";
import {
  type Field,
  type Fields,
  type ValueOf,
  groupFields,
  namesOf,
  senderIdFields,
  type RecordKind,
} from "../contract/resources.ts";
import type { GroupChanges, GroupFields } from "../contract/service.ts";

/**
 * The desired state that manifests describe: sender IDs and groups with their locations. Names and
 * messages, also in diagnostics, are untrusted: src/core/text.ts escapes them for a terminal.
 */

/** Names of the fields that a manifest treats like this. */
type NamesBy<Table extends Fields, By extends "compared" | "sent"> = {
  [Name in keyof Table]: Table[Name] extends { readonly manifest: By } ? Name : never;
}[keyof Table];

/** The fields that a manifest can set, with the types of their values. */
type Settings<Table extends Fields> = {
  readonly [Name in NamesBy<Table, "compared" | "sent">]: ValueOf<Table[Name]>;
};

export interface DesiredSenderId extends Settings<typeof senderIdFields> {
  readonly name: string;
  readonly location: Location;
}

/** The fields of a group that a manifest can set, except for the required name. */
type GroupSettings = Partial<Omit<Settings<typeof groupFields>, "name">>;

/** A group of a manifest. Undefined fields are not managed: the service keeps their values. */
export interface DesiredGroup extends GroupSettings {
  /** Decimal, without leading zeros. */
  readonly id?: string;
  /** In lower case. */
  readonly uuid?: string;
  readonly name: string;
  readonly location: Location;
  /** Location of the value of `sender_id`. */
  readonly senderIdLocation?: Location;
}

/** The desired state. A section that is missing from all files is undefined and not managed. */
export interface Manifest {
  readonly senderIds: readonly DesiredSenderId[] | undefined;
  readonly groups: readonly DesiredGroup[] | undefined;
}

/** The sections of a manifest, and the kind of their records. */
export const sections = { sender_ids: "sender-id", groups: "group" } as const;

/** The fields that a record of a manifest can have, in usual order, and those it must have. */
export const manifestFields = {
  "sender-id": fieldsOf(senderIdFields),
  group: fieldsOf(groupFields),
} as const;

function fieldsOf(fields: Fields) {
  return {
    known: namesOf(fields, ({ manifest }) => manifest !== undefined),
    required: namesOf(fields, ({ create }) => create === "required"),
  };
}

/** The accepted values of a field: any text, a non-empty text, or a value with its own rules. */
export type Form = "text" | "name" | "sender-id" | "id" | "uuid" | "flag";

/** Returns the form of a field. Its value can also be null if the field has a meaning for that. */
export function formOf(name: string, { type, manifest, refersTo }: Field): Form {
  if (type === "boolean") return "flag";
  if (type === "integer") return "id";
  if (type === "uuid") return "uuid";
  // Sender IDs are found by their names, which are a part of paths.
  if (refersTo !== undefined || manifest === "key") return "sender-id";
  return name === "name" ? "name" : "text";
}

/** The fields that updates set and responses show. Plans compare them, and exports write them. */
export const comparedGroupFields = namesOf(
  groupFields,
  ({ manifest }) => manifest === "compared",
) as readonly ComparedGroupField[];

export type ComparedGroupField = NamesBy<typeof groupFields, "compared">;

export const decimalId = /^[1-9][0-9]*$/;

/** Returns whether a URL path can contain a name. */
export function isPathSafeName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && name.isWellFormed();
}

/**
 * Identifying fields of records. Fields that are missing or have another type are errors, because a
 * request for `undefined` could reach, and delete, another record.
 */

/** Returns whether a record's name is a text. Others concern no record of a manifest. */
export function isNamed(record: Existing): boolean {
  return typeof record["name"] === "string";
}

/** Returns the name of a record. @throws SendctlError "unexpected_response" if it is not text */
export function nameOf(record: Existing): string {
  return textOf(record, "name");
}

/** Returns a sender ID's purpose. @throws SendctlError "unexpected_response" if it is not text */
export function purposeOf(record: Existing): string {
  return textOf(record, "purpose");
}

function textOf(record: Existing, field: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  throw unexpectedType(record, field, "text");
}

/** Returns the name for a path. @throws SendctlError "unexpected_response" if it cannot be one */
export function pathName(record: Existing): string {
  const name = nameOf(record);
  if (isPathSafeName(name)) return name;
  throw unexpectedType(record, "name", "one that a URL path can contain");
}

/** Returns a group's id for a path. @throws SendctlError "unexpected_response" if it is invalid */
export function groupKey(record: Existing): string {
  const id = idText(record);
  if (id !== undefined && isPathSafeName(id)) return id;
  throw unexpectedType(record, "id", "a whole number");
}

/** Returns the id of a record as text; undefined if it is missing or invalid. */
export function idText({ id }: Existing): string | undefined {
  const isId = typeof id === "string" || typeof id === "bigint" || Number.isSafeInteger(id);
  return isId ? String(id) : undefined;
}

/** Returns the identity of a record among all records of a service. */
export function recordKey(kind: RecordKind, id: unknown): string {
  return `${kind} ${String(id)}`;
}

/** Returns the error for a field of a record that has another type. @param expected "text" */
export function unexpectedType(record: Existing, field: string, expected: string): SendctlError {
  const { id, name } = record;
  const title = typeof name === "string" ? `"${name}"` : `with id ${String(id)}`;
  return new SendctlError(
    "unexpected_response",
    `invalid response: the ${field} of the record ${title} is not ${expected}`,
  );
}

/** A record in a response of the service. */
export type Existing = Readonly<Record<string, unknown>>;

/** The fields of a create. Null ones are omitted, so that the service uses its defaults. */
const created = namesOf(groupFields, ({ create }) => create !== undefined);

/**
 * Returns the body of a create: all that a create takes, because a service may require one field
 * beside another. It takes neither sender_id nor send_holiday, so some groups need an update, too.
 */
export function createBody(group: DesiredGroup): GroupFields {
  const wanted: Readonly<Record<string, unknown>> = { ...group };
  const given = created.filter((name) => (wanted[name] ?? null) !== null);
  return Object.fromEntries(given.map((name) => [name, wanted[name]])) as unknown as GroupFields;
}

/** A field that differs from the manifest. */
export interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns the fields of a group that differ from the record. */
export function changesOf(group: DesiredGroup, record: Existing): readonly Change[] {
  return comparedGroupFields.flatMap((field) => {
    const to = group[field];
    const from = record[field] ?? null;
    return to === undefined || to === from ? [] : [{ field, from, to }];
  });
}

/** Returns the body of an update. It includes sender_id, which cannot be compared. */
export function updateBody(group: DesiredGroup, changes: readonly Change[]): GroupChanges {
  const changed = Object.fromEntries(changes.map(({ field, to }) => [field, to]));
  return group.sender_id === undefined ? changed : { ...changed, sender_id: group.sender_id };
}
