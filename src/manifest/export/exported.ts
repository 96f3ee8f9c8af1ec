import { SendctlError } from "../../contract/error.ts";
import { groupFields, type Field } from "../../contract/resources.ts";
import { comparedGroupFields } from "../manifest.ts";
import type { ExportedGroup, ExportedSenderId } from "../write.ts";

/** A record of any service; its fields may have any type. */
type Shown = Readonly<Record<string, unknown>>;

/** Converts a sender ID for a manifest. @throws SendctlError "unexpected_response" if a field has another type */
export function exportedSenderId(record: Shown): ExportedSenderId {
  return { name: textOf(record, "name"), purpose: textOf(record, "purpose") };
}

/**
 * Converts a group for a manifest. Fields that the service does not show are omitted, so that the manifest does not
 * manage them.
 *
 * @param uuid undefined if it is omitted, too
 * @throws SendctlError "unexpected_response" if a field has another type
 */
export function exportedGroup(record: Shown, uuid: string | undefined): ExportedGroup {
  const group: Record<string, unknown> = uuid === undefined ? {} : { uuid };
  for (const name of comparedGroupFields) {
    const value = valueOf(record, name, groupFields[name]);
    if (value !== undefined) group[name] = value;
  }
  return group as unknown as ExportedGroup;
}

function valueOf(record: Shown, name: string, field: Field): string | boolean | null | undefined {
  const isAbsent = (record[name] ?? null) === null;
  if (isAbsent && field.null !== undefined) return null;
  if (field.type !== "boolean") return textOf(record, name);
  return isAbsent ? undefined : flagOf(record, name);
}

function textOf(record: Shown, name: string): string {
  const value = record[name];
  if (typeof value === "string") return value;
  throw unexpectedType(record, name, "text");
}

function flagOf(record: Shown, name: string): boolean | null {
  const value = record[name] ?? null;
  if (value === null || typeof value === "boolean") return value;
  throw unexpectedType(record, name, "true, false or null");
}

function unexpectedType(record: Shown, name: string, expected: string): SendctlError {
  const id = String(record["id"]);
  return new SendctlError(
    "unexpected_response",
    `invalid response: the ${name} of the record with id ${id} is not ${expected}`,
  );
}
