import { shownSenderId, type RecordIdentity, type ShownRecord } from "../contract/service.ts";
import type { StoredDifference } from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import { areAlike } from "../core/names.ts";

/** The path of one record. */
export type RecordPath = { readonly id: string } | { readonly name: string };

/** In milliseconds: a create takes less time. */
const maxCreateTime = 60_000;

/**
 * Returns whether a record was created well before the response that shows it, by the clock of the service. A time without
 * a zone does not tell.
 *
 * @param date the `Date` of the response
 */
export function isOlderThan({ created_at: time }: ShownRecord, date: string | undefined): boolean {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(String(time));
  const age = Date.parse(date ?? "") - (hasZone ? Date.parse(String(time)) : NaN);
  return age > maxCreateTime;
}

/** A field that identifies a record. */
export type Field = keyof RecordIdentity;

/** How the texts of each field are compared. */
const isEqual: Readonly<Record<Field, (left: string, right: string) => boolean>> = {
  uuid: (left, right) => left.toLowerCase() === right.toLowerCase(),
  id: (left, right) => withoutZeros(left) === withoutZeros(right),
  name: areAlike,
  created_at: (left, right) => left === right,
};

export const fields = Object.keys(isEqual) as readonly Field[];

export const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns what a path says about its record. */
export function askedFor(path: RecordPath): RecordIdentity {
  if ("name" in path) return { name: path.name };
  return uuidForm.test(path.id) ? { uuid: path.id } : { id: path.id };
}

/** Returns whether two records are certainly the same: an id or a name may belong to another record after a delete. */
export function isSameRecord(before: ShownRecord, after: ShownRecord): boolean {
  const isProof = (field: Field): boolean =>
    textOf(before[field]) !== undefined && textOf(after[field]) !== undefined;
  const isDistinct = fields.some((field) => isDifferent(field, before, after));
  return !isDistinct && (isProof("uuid") || isProof("created_at"));
}

export function isDifferent(field: Field, wanted: RecordIdentity, found: RecordIdentity): boolean {
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

/** Returns whether two values of a field are the same. A sender ID may be shown in other forms, and is sent as text. */
export function isSameValue(field: string, left: unknown, right: unknown): boolean {
  const [one, other] = [left, right].map((value) =>
    jsonText((field === "sender_id" ? shownSenderId({ sender_id: value }) : undefined) ?? value),
  );
  return one === other;
}

/** Returns the values that a record shows after a write other than they were sent: specification, part 4, rule 2. */
export function differencesOf(sent: ShownRecord, record: ShownRecord): readonly StoredDifference[] {
  return Object.entries(sent).flatMap(([field, value]) => {
    const shown = record[field];
    const isEqual = shown === undefined || isSameValue(field, value, shown);
    return isEqual ? [] : [{ field, sent: value, stored: shown }];
  });
}
