import { SendctlError } from "../../core/error.ts";
import { isPathSafeName } from "../sender-ids.ts";
import type { Existing } from "./group-changes.ts";

/**
 * Identifying fields of records. Fields that are missing or have another type are errors, because a request for
 * `undefined` could reach, and delete, another record.
 */

/** Returns the name of a record. @throws SendctlError "unexpected_response" if it is not text */
export function nameOf(record: Existing): string {
  const { name } = record;
  if (typeof name === "string") return name;
  throw unexpectedType(record, "name", "text");
}

/** Returns the name for a path. @throws SendctlError "unexpected_response" if a path cannot contain it */
export function pathName(record: Existing): string {
  const name = nameOf(record);
  if (isPathSafeName(name)) return name;
  throw unexpectedType(record, "name", "one that a URL path can contain");
}

/** Returns the id of a group for a path. @throws SendctlError "unexpected_response" without a valid id */
export function groupKey(record: Existing): string {
  const { id } = record;
  const isKey =
    typeof id === "string"
      ? isPathSafeName(id)
      : typeof id === "bigint" || Number.isSafeInteger(id);
  if (isKey) return String(id);
  throw unexpectedType(record, "id", "a whole number");
}

/** Returns the id of a record as text; undefined if it is missing or invalid. */
export function idText({ id }: Existing): string | undefined {
  const isId = typeof id === "string" || typeof id === "bigint" || Number.isSafeInteger(id);
  return isId ? String(id) : undefined;
}

export type RecordKind = "sender-id" | "group";

export const nouns = { "sender-id": "sender ID", group: "group" } as const;

/** Returns the identity of a record among all records of a service. */
export function recordKey(kind: RecordKind, id: unknown): string {
  return `${kind} ${String(id)}`;
}

/** Returns the purpose of a sender ID. @throws SendctlError "unexpected_response" if it is not text */
export function purposeOf(record: Existing): string {
  const { purpose } = record;
  if (typeof purpose === "string") return purpose;
  throw unexpectedType(record, "purpose", "text");
}

function unexpectedType(record: Existing, field: string, expected: string): SendctlError {
  const { id, name } = record;
  const which = typeof name === "string" ? `"${name}"` : `with id ${String(id)}`;
  return new SendctlError(
    "unexpected_response",
    `invalid response: the ${field} of the record ${which} is not ${expected}`,
  );
}
