import { areAlike } from "../core/nearest.ts";
import { SendctlError } from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import {
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../contract/service.ts";
import type { Calls } from "./calls.ts";

/** The path of one record. */
export type RecordPath = { readonly id: string } | { readonly name: string };

type Field = keyof RecordIdentity;

/** How the texts of each field are compared. */
const isEqual: Readonly<Record<Field, (one: string, other: string) => boolean>> = {
  uuid: (one, other) => one.toLowerCase() === other.toLowerCase(),
  id: (one, other) => withoutZeros(one) === withoutZeros(other),
  name: areAlike,
  created_at: (one, other) => one === other,
};

const fields = Object.keys(isEqual) as readonly Field[];

export const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns what a path says about its record. */
export function askedFor(path: RecordPath): RecordIdentity {
  if ("name" in path) return { name: path.name };
  return uuidForm.test(path.id) ? { uuid: path.id } : { id: path.id };
}

/**
 * Fetches a record, which must be the one that the path asks for, and the one that the caller expects.
 *
 * @param consequence of a difference, as a clause
 * @throws SendctlError "unexpected_response" with the record that the service returned instead
 */
export async function fetchRecord(
  calls: Calls,
  name: "group.fetch" | "sender-id.fetch",
  path: RecordPath,
  expected: RecordIdentity = {},
  consequence?: "nothing was changed" | "nothing was deleted",
): Promise<Reply> {
  const reply = await calls.call(name, { path: { ...path } });
  if (!succeeded(reply)) return reply;
  const asked = askedFor(path);
  const noun = name === "group.fetch" ? "group" : "sender ID";
  const ending = consequence === undefined ? "" : `; ${consequence}`;
  refuseAnother(
    recordOf(reply),
    { ...expected, ...asked },
    asked,
    (difference) => `${calls.options.base.host} returned a ${noun} ${difference}${ending}`,
  );
  return reply;
}

/**
 * Compares a record with the wanted one. A field that one of them lacks is not compared, nor is the time of creation of
 * one with the wanted uuid, which a list may show with other digits than a fetch.
 *
 * @param required fields that the record must have
 * @param message returns the message for a difference: `with the id 3 instead of "12"`
 * @throws SendctlError "unexpected_response" with the record
 */
export function refuseAnother(
  record: ShownRecord,
  wanted: RecordIdentity,
  required: RecordIdentity,
  message: (difference: string) => string,
): void {
  const isHidden = (field: Field): boolean =>
    field in required && textOf(record[field]) === undefined;
  const hasUuids = textOf(wanted.uuid) !== undefined && textOf(record["uuid"]) !== undefined;
  const compared = hasUuids ? fields.filter((name) => name !== "created_at") : fields;
  const field = compared.find((name) => isHidden(name) || isDifferent(name, wanted, record));
  if (field === undefined) return;
  const difference = `with the ${field} ${jsonText(record[field] ?? null)} instead of ${jsonText(wanted[field])}`;
  throw new SendctlError("unexpected_response", message(difference), { record });
}

/** Returns whether two records are certainly the same: an id or a name may belong to another record after a delete. */
export function isSameRecord(one: ShownRecord, other: ShownRecord): boolean {
  const isProof = (field: Field): boolean =>
    textOf(one[field]) !== undefined && textOf(other[field]) !== undefined;
  const isDistinct = fields.some((field) => isDifferent(field, one, other));
  return !isDistinct && (isProof("uuid") || isProof("created_at"));
}

function isDifferent(field: Field, one: RecordIdentity, other: RecordIdentity): boolean {
  const [text, otherText] = [textOf(one[field]), textOf(other[field])];
  return text !== undefined && otherText !== undefined && !isEqual[field](text, otherText);
}

export function recordOf({ envelope }: Reply): ShownRecord {
  return envelope!.data as ShownRecord;
}

/** Returns an id as text, whatever its JSON type. */
export function textOf(value: unknown): string | undefined {
  return ["number", "bigint", "string"].includes(typeof value) ? String(value) : undefined;
}

function withoutZeros(id: string): string {
  return id.replace(/^0+(?=\d)/, "");
}
