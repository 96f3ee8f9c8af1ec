import { quotedPair } from "../core/text.ts";
import { areAlike, sameName, otherName } from "../core/names.ts";
import {
  SendctlError,
  type Check,
  isStop,
  type ErrorDetails,
  type Trail,
  withDetails,
} from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import {
  succeeded,
  type RecordIdentity,
  type Reply,
  type ShownRecord,
} from "../contract/service.ts";
import {
  type Field,
  type RecordPath,
  askedFor,
  differencesOf,
  fields,
  isDifferent,
  textOf,
} from "./compare.ts";
import type { Calls } from "./calls.ts";
import { interruptedAfterWrite, mayHaveSucceeded } from "./perform.ts";

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
  const isBeforeWrite = consequence !== undefined;
  const reply = await calls.call(name, { path: { ...path } }, isBeforeWrite);
  if (!succeeded(reply)) return reply;
  const [asked, others] = identityOf(path, recordOf(reply), expected);
  const noun = name === "group.fetch" ? "group" : "sender ID";
  const ending = consequence === undefined ? "" : `; ${consequence}`;
  const isExact = consequence !== undefined || expected.name !== undefined;
  if ("name" in path && isExact) refuseOtherName(path.name, recordOf(reply), ending);
  refuseAnother(
    recordOf(reply),
    { ...others, ...asked },
    asked,
    (difference) => `${calls.options.base.host} returned a ${noun} ${difference}${ending}`,
    reply.trail,
  );
  return reply;
}

/** Returns what a path asks for, and what else is expected. The ids of some services have the form of a uuid. */
function identityOf(
  path: RecordPath,
  { id }: ShownRecord,
  expected: RecordIdentity,
): readonly [RecordIdentity, RecordIdentity] {
  if (!("id" in path) || textOf(id)?.toLowerCase() !== path.id.toLowerCase()) {
    return [askedFor(path), expected];
  }
  const { uuid, ...others } = expected;
  return [{ id }, uuid === path.id ? others : expected];
}

/**
 * Refuses a sender ID that the service returned for another name, such as one in another case.
 *
 * @throws SendctlError "conflict"
 */
function refuseOtherName(name: string, { id, name: stored }: ShownRecord, ending: string): void {
  if (typeof stored !== "string" || stored === name) return;
  if (!areAlike(name, stored) && !sameName(name, stored)) return;
  const { message, hint } = otherName("sender ID", name, stored, textOf(id));
  throw new SendctlError("conflict", `${message}${ending}`, { hint });
}

/**
 * Compares a record with the wanted one. A field that one of them lacks is not compared, nor is the time of creation of
 * one with the wanted uuid, which a list may show with other digits than a fetch.
 *
 * @param required fields that the record must have
 * @param message returns the message for a difference: `with the id 3 instead of "12"`
 * @param trail the request that returned the record
 * @throws SendctlError "unexpected_response" with the record
 */
export function refuseAnother(
  record: ShownRecord,
  wanted: RecordIdentity,
  required: RecordIdentity,
  message: (difference: string) => string,
  trail: Trail | undefined,
): void {
  const isHidden = (field: Field): boolean =>
    field in required && textOf(record[field]) === undefined;
  const hasUuids = textOf(wanted.uuid) !== undefined && textOf(record["uuid"]) !== undefined;
  const compared = hasUuids ? fields.filter((name) => name !== "created_at") : fields;
  const field = compared.find((name) => isHidden(name) || isDifferent(name, wanted, record));
  if (field === undefined) return;
  const [found, expected] = quoted(record[field] ?? null, wanted[field]);
  const difference = `with the ${field} ${found} instead of ${expected}`;
  throw new SendctlError("unexpected_response", message(difference), { record, trail });
}

export function recordOf({ envelope }: Reply): ShownRecord {
  return envelope!.data as ShownRecord;
}

/** Sends a change of a record that was read before, and adds that record to the reply or to the error. */
export async function withBefore(before: ShownRecord, send: () => Promise<Reply>): Promise<Reply> {
  try {
    return { ...(await send()), before };
  } catch (error) {
    throw error instanceof SendctlError ? withDetails(error, { before }) : error;
  }
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

/**
 * Returns the reply to a create or an update, with its status and the record as stored. A service may confirm it without the record, or
 * with its id alone; then the record is fetched.
 *
 * @param path where it is fetched; undefined if the service did not return an id
 * @param wanted the fields that the record must show
 * @throws SendctlError "unexpected_response" if the record cannot be fetched, "cancelled" or "terminated"
 */
export async function withRecord(
  calls: Calls,
  path: RecordPath | undefined,
  confirmed: Reply,
  wanted: ShownRecord,
  check: Check,
): Promise<Reply> {
  const { data, message } = confirmed.envelope!;
  const shown = data as ShownRecord;
  const hiddenIn = (record: ShownRecord): readonly string[] =>
    Object.keys(wanted).filter((field) => wanted[field] !== null && record[field] === undefined);
  const [missing] = hiddenIn(shown);
  if (missing === undefined) return confirmed;
  // An apply remembers what it created, even if it is not shown yet.
  const { trail } = confirmed;
  const details = { check, trail, ...(path !== undefined && { record: shown }) };
  const failed = (reason: string): SendctlError =>
    new SendctlError(
      "unexpected_response",
      `${calls.options.base.host} confirmed the write without \`data.${missing}\`, and ${reason}. ${mayHaveSucceeded}`,
      details,
    );
  if (path === undefined) throw failed("without `data.id`");
  const { id } = shown;
  const name = "id" in path ? "group.fetch" : "sender-id.fetch";
  const reply = await fetchRecord(calls, name, path, { id }).catch((error: unknown) => {
    if (!(error instanceof SendctlError)) throw error;
    const { kind, message: problem } = error;
    throw isStop(kind)
      ? interruptedAfterWrite(kind, details)
      : failed(`a fetch failed: ${problem}`);
  });
  if (!succeeded(reply)) throw failed(`a fetch was refused (HTTP ${reply.status})`);
  const hidden = hiddenIn(recordOf(reply));
  if (hidden.length > 0) {
    await calls.options.note(`the service does not show ${hidden.join(", ")}: not compared`);
  }
  return { ...reply, status: confirmed.status, envelope: { ...reply.envelope!, message } };
}
