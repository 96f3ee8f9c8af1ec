import { SendctlError } from "../../core/error.ts";
import type { GroupChanges, GroupFields } from "../../contract/service.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import {
  comparedGroupFields,
  isPathSafeName,
  type DesiredGroup,
  type RecordKind,
} from "../manifest.ts";

/**
 * Identifying fields of records. Fields that are missing or have another type are errors, because a request for
 * `undefined` could reach, and delete, another record.
 */

/** Returns the name of a record. @throws SendctlError "unexpected_response" if it is not text */
export function nameOf(record: Existing): string {
  return textOf(record, "name");
}

/** Returns the purpose of a sender ID. @throws SendctlError "unexpected_response" if it is not text */
export function purposeOf(record: Existing): string {
  return textOf(record, "purpose");
}

function textOf(record: Existing, field: string): string {
  const value = record[field];
  if (typeof value === "string") return value;
  throw unexpectedType(record, field, "text");
}

/** Returns the name for a path. @throws SendctlError "unexpected_response" if a path cannot contain it */
export function pathName(record: Existing): string {
  const name = nameOf(record);
  if (isPathSafeName(name)) return name;
  throw unexpectedType(record, "name", "one that a URL path can contain");
}

/** Returns the id of a group for a path. @throws SendctlError "unexpected_response" without a valid id */
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

function unexpectedType(record: Existing, field: string, expected: string): SendctlError {
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
 * Returns the body of a create. A create accepts neither sender_id nor send_holiday, so some groups need a create and
 * an update, and the update may fail. The next plan can see that only in a field that responses show. If send_holiday
 * is not set, the birthday message is therefore also left to the update.
 */
export function createBody(group: DesiredGroup): GroupFields {
  const isDeferred = typeof group.sender_id === "string" && typeof group.send_holiday !== "boolean";
  const wanted: Readonly<Record<string, unknown>> = isDeferred
    ? { ...group, birthday_message: null }
    : { ...group };
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
