import { uuidForm } from "../contract/resources.ts";
import {
  shownSenderId,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../contract/service.ts";
import { SendctlError, type ErrorDetails, type StoredDifference } from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import { areAlike } from "../core/names.ts";
import { quotedPair } from "../core/text.ts";

/** The path of one record. */
export type RecordPath = { readonly id: string } | { readonly name: string };

/** In milliseconds: a create takes less time. */
const maxCreateTime = 60_000;

/**
 * Returns whether a record was created well before the response that shows it, by the clock of the
 * service. A time without a zone does not tell.
 *
 * @param date the `Date` of the response
 */
export function isOlderThan({ created_at: time }: ShownRecord, date: string | undefined): boolean {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(String(time));
  const age = Date.parse(date ?? "") - (hasZone ? Date.parse(String(time)) : NaN);
  return age > maxCreateTime;
}

/** A field that identifies a record. */
type Field = keyof RecordIdentity;

/** How the texts of each field are compared. */
const isEqual: Readonly<Record<Field, (left: string, right: string) => boolean>> = {
  uuid: (left, right) => left.toLowerCase() === right.toLowerCase(),
  id: (left, right) => withoutZeros(left) === withoutZeros(right),
  name: areAlike,
  created_at: (left, right) => left === right,
};

const fields = Object.keys(isEqual) as readonly Field[];

/** Returns the identity that a path gives to its record. */
export function askedFor(path: RecordPath): RecordIdentity {
  if ("name" in path) return { name: path.name };
  return uuidForm.test(path.id) ? { uuid: path.id } : { id: path.id };
}

/** Returns whether two records are certainly the same: a deleted one's id or name may be reused. */
export function isSameRecord(before: ShownRecord, after: ShownRecord): boolean {
  const isProof = (field: Field): boolean =>
    textOf(before[field]) !== undefined && textOf(after[field]) !== undefined;
  const isDistinct = fields.some((field) => isDifferent(field, before, after));
  return !isDistinct && (isProof("uuid") || isProof("created_at"));
}

function isDifferent(field: Field, wanted: RecordIdentity, found: RecordIdentity): boolean {
  const [left, right] = [textOf(wanted[field]), textOf(found[field])];
  return left !== undefined && right !== undefined && !isEqual[field](left, right);
}

/** Returns an id as text, whatever its JSON type. */
export function textOf(value: unknown): string | undefined {
  return ["number", "bigint", "string"].includes(typeof value) ? String(value) : undefined;
}

function withoutZeros(id: string): string {
  return id.replace(/^0+(?=\d)/, "");
}

/** Returns whether two values are the same. A sender ID, sent as text, may be shown otherwise. */
export function isSameValue(field: string, left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) =>
    jsonText((field === "sender_id" ? shownSenderId({ sender_id: value }) : undefined) ?? value),
  );
  return one === other;
}

/** Returns the values that a record shows after a write other than they were sent. */
export function differencesOf(sent: ShownRecord, record: ShownRecord): readonly StoredDifference[] {
  return Object.entries(sent).flatMap(([field, value]) => {
    const shown = record[field];
    const isEqual = shown === undefined || isSameValue(field, value, shown);
    return isEqual ? [] : [{ field, sent: value, stored: shown }];
  });
}

export function recordOf({ envelope }: Reply): ShownRecord {
  return envelope!.data as ShownRecord;
}

/**
 * Compares a record with the wanted one. Skips fields that one of them lacks, and the time of
 * creation with the wanted uuid, which a list may show with other digits than a fetch.
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
  hint?: string,
): void {
  const isHidden = (field: Field): boolean =>
    field in required && textOf(record[field]) === undefined;
  const hasUuids = textOf(wanted.uuid) !== undefined && textOf(record["uuid"]) !== undefined;
  const compared = hasUuids ? fields.filter((name) => name !== "created_at") : fields;
  const field = compared.find((name) => isHidden(name) || isDifferent(name, wanted, record));
  if (field === undefined) return;
  const [found, expected] = quoted(record[field] ?? null, wanted[field]);
  const difference = `with the ${field} ${found} instead of ${expected}`;
  throw new SendctlError("unexpected_response", message(difference), { record, hint });
}

/** Returns two different values as JSON, with what cannot be seen in texts. */
function quoted(left: unknown, right: unknown): readonly [string, string] {
  const areTexts = typeof left === "string" && typeof right === "string";
  return areTexts ? quotedPair(left, right) : [jsonText(left), jsonText(right)];
}

/**
 * Compares a record after a write with the values that it must have.
 *
 * @param body the fields that were sent; others must be unchanged
 * @param details of the error for a difference
 * @throws SendctlError "unexpected_response" with the fields that differ, and the record
 */
export function refuseDifferences(
  host: string,
  wanted: ShownRecord,
  record: ShownRecord,
  details: ErrorDetails & { readonly hint?: string | undefined },
  body = wanted,
): void {
  const differences = differencesOf(wanted, record);
  if (differences.length === 0) return;
  const texts = differences.map(({ field, sent, stored: shown }) => {
    const [before, after] = quoted(sent, shown);
    return field in body
      ? `${field} was sent as ${before}, stored as ${after}`
      : `${field} was ${before}, is ${after} now`;
  });
  // An apply remembers how the service stores what it sent.
  const stored = differences.filter(({ field }) => field in body);
  throw new SendctlError(
    "unexpected_response",
    `${host} stored different values: ${texts.join("; ")}`,
    { ...details, stored, record },
  );
}
