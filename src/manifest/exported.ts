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

/** What a manifest says of a group. @throws SendctlError "unexpected_response" where it has other types */
export function exportedGroup(record: Shown): ExportedGroup & { readonly uuid: string } {
  const values = comparedGroupFields.map((name) => [
    name,
    valueOf(record, name, groupFields[name]),
  ]);
  return { uuid: textOf(record, "uuid"), ...(Object.fromEntries(values) as ExportedGroup) };
}

function valueOf(record: Shown, name: string, field: Field): string | boolean | null {
  if (field.type === "boolean")
    return flagOf(record, name) ?? (field.null === undefined ? false : null);
  const isAbsent = field.null !== undefined && (record[name] ?? null) === null;
  return isAbsent ? null : textOf(record, name);
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
