import { SendctlError } from "../contract/error.ts";
import type { Existing } from "./group-changes.ts";

/**
 * What a record is known by. A service that does not show it as promised is not guessed at: what is sent
 * to `undefined` might reach, and delete, another record.
 */

/** @throws SendctlError "unexpected_response" where it is no text */
export function nameOf(record: Existing): string {
  const { name } = record;
  if (typeof name === "string") return name;
  throw notPromised(record, "name", "text");
}

/** The name, for a path. @throws SendctlError "unexpected_response" where no path can carry it */
export function pathName(record: Existing): string {
  const name = nameOf(record);
  if (isPathSafe(name)) return name;
  throw notPromised(record, "name", "one that a URL can carry");
}

/** The id of a group in decimal, as a path has it. @throws SendctlError "unexpected_response" where there is none */
export function groupKey(record: Existing): string {
  const { id } = record;
  const isKey =
    typeof id === "string" ? isPathSafe(id) : typeof id === "bigint" || Number.isSafeInteger(id);
  if (isKey) return String(id);
  throw notPromised(record, "id", "a whole number");
}

/** The id of any record as text; undefined where it has none that can be remembered. */
export function idText({ id }: Existing): string | undefined {
  const isId = typeof id === "string" || typeof id === "bigint" || Number.isSafeInteger(id);
  return isId ? String(id) : undefined;
}

/** The purpose of a sender ID. @throws SendctlError "unexpected_response" where it is no text */
export function purposeOf(record: Existing): string {
  const { purpose } = record;
  if (typeof purpose === "string") return purpose;
  throw notPromised(record, "purpose", "text");
}

function isPathSafe(key: string): boolean {
  return key !== "" && key !== "." && key !== ".." && key.isWellFormed();
}

function notPromised(record: Existing, member: string, promised: string): SendctlError {
  const { id, name } = record;
  const known = typeof name === "string" ? ` called "${name}"` : ` with id ${String(id)}`;
  return new SendctlError(
    "unexpected_response",
    `the ${member} of the record${known} is not ${promised}`,
  );
}
