import { SendctlError } from "../contract/error.ts";
import { groupFields, type Field } from "../contract/resources.ts";
import { comparedGroupFields } from "./manifest.ts";
import type { ExportedGroup, ExportedSenderId } from "./write.ts";

/** A record as a service shows it, which may be any. */
type Shown = Readonly<Record<string, unknown>>;

/** What a manifest says of a sender ID. @throws SendctlError "unexpected_response" where it has other types */
export function exportedSenderId(record: Shown): ExportedSenderId {
  return { name: textOf(record, "name"), purpose: textOf(record, "purpose") };
}

/**
 * Returns what a manifest says of a group. A field that the service does not show is left out, so that the
 * manifest does not manage it.
 *
 * @throws SendctlError "unexpected_response" where a field has another type
 */
export function exportedGroup(record: Shown): ExportedGroup {
  const values = comparedGroupFields.flatMap((name) => {
    const value = valueOf(record, name, groupFields[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values) as unknown as ExportedGroup;
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
  throw notPromised(record, name, "text");
}

function flagOf(record: Shown, name: string): boolean | null {
  const value = record[name] ?? null;
  if (value === null || typeof value === "boolean") return value;
  throw notPromised(record, name, "true, false or null");
}

function notPromised(record: Shown, name: string, promised: string): SendctlError {
  const id = String(record["id"]);
  return new SendctlError(
    "unexpected_response",
    `The ${name} of the record with id ${id} is not ${promised}`,
  );
}
