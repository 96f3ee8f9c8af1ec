import type { OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import { reworded, SendctlError, type Lookup } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { firstOf, shellWord } from "../../core/text.ts";
import { sameName } from "../../core/names.ts";
import {
  succeeded,
  type CreateContext,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss, mayHaveSucceeded } from "../perform.ts";
import { recordOf, refuseDifferences, withRecord } from "../check-record.ts";
import { isOlderThan, textOf, type RecordPath } from "../compare.ts";
import { eachListed, presenceAfter } from "../lookups.ts";

type Create = OperationName & `${string}.create`;

/** A create, and what the caller knows of the records before it. */
interface CreateInput extends CreateContext {
  readonly body: object;
}

/**
 * Creates a record. If the outcome is unknown, its name is looked up for the error; the create is never sent again.
 *
 * @throws SendctlError "outcome_unknown" with what the lookup found, "conflict" for a record that existed before,
 *   "unexpected_response" if the service stored values other than those sent
 */
export async function create(
  calls: Calls,
  name: Create,
  { body, existed }: CreateInput,
): Promise<Reply> {
  const { host } = calls.options.base;
  const sent = body as ShownRecord;
  const check = checkCommand(name, { body: sent }, calls.options);
  const performed = await calls.perform(requestOf(name, { body }), check);
  if ("unknown" in performed) throw await withLookup(calls, name, sent, performed.unknown);
  const { status: httpStatus, trail, headers } = performed.response;
  let confirmed: Reply | undefined;
  let reply: Reply;
  try {
    confirmed = await calls.decode(name, performed.response, check);
    if (!succeeded(confirmed)) return confirmed;
    reply = await withRecord(calls, pathOf(name, sent, confirmed), confirmed, sent, check);
  } catch (error) {
    // A success without a record says no more than no response; redirects have errors of their own.
    const isUnclear = confirmed === undefined ? httpStatus < 300 : isUnidentified(error);
    if (!(error instanceof SendctlError) || !isUnclear) throw error;
    const details = { check, httpStatus, trail };
    const unknown = new SendctlError("outcome_unknown", error.message, details);
    throw await withLookup(calls, name, sent, unknown);
  }
  const shown = recordOf(reply);
  const id = textOf(shown["id"]);
  const stored = shown["name"];
  const titled = `${jsonText(stored ?? null)} (id ${id ?? "unknown"})`;
  if (existed?.(shown) === true) {
    const message = `nothing was created, because the service returned the existing ${nounOf(name)} ${titled}`;
    const hint = "use its name, or delete it";
    throw new SendctlError("conflict", message, { hint, httpStatus, trail });
  }
  if (typeof stored === "string" && !sameName(String(sent["name"]), stored)) {
    const message = `${host} returned the record ${titled} for the create of ${jsonText(sent["name"])}. ${mayHaveSucceeded}`;
    throw new SendctlError("unexpected_response", message, {
      check,
      httpStatus,
      record: shown,
      trail,
    });
  }
  const hint = id === undefined ? undefined : createdHint(calls.options, name, id);
  refuseDifferences(host, sent, shown, { hint, created: shown, trail });
  if (existed === undefined && isOlderThan(shown, headers.date)) {
    const time = textOf(shown["created_at"]);
    const reasons = "it may have existed before, or the service labels its times with another zone";
    await calls.options.note(`the service returned a record of ${time} for the create: ${reasons}`);
  }
  return reply;
}

/** Returns where a new record is fetched; undefined for a group without an id. */
function pathOf(name: Create, sent: ShownRecord, confirmed: Reply): RecordPath | undefined {
  if (name === "sender-id.create") return { name: String(sent["name"]) };
  const id = textOf(recordOf(confirmed)["id"]);
  return id === undefined ? undefined : { id };
}

/** Returns whether a create was confirmed by a record without an id, which could not be fetched. */
function isUnidentified(error: unknown): boolean {
  if (!(error instanceof SendctlError)) return false;
  return error.record?.["id"] === undefined && error.details.check !== undefined;
}

function nounOf(name: Create): string {
  return name === "group.create" ? "group" : "sender ID";
}

/** Returns how to delete a group that was created with other values: `sendctl undo` would undo a whole apply. */
function createdHint({ targetOptions = [] }: Calls["options"], name: Create, id: string): string {
  const created = `it was created (id ${id})`;
  if (name === "sender-id.create") return created;
  return `${created}; to delete it: ${["sendctl group delete", ...targetOptions, shellWord(id)].join(" ")}`;
}

/** The records with the name that was sent, or why they are not known. */
type Found = { readonly records: readonly ShownRecord[] } | { readonly failure: string };

/**
 * Looks up the name of a create whose outcome is unknown, once, and returns the error with what the lookup found.
 * Success is never concluded from it: another client may have created the record, or the request may still be on its way.
 */
async function withLookup(
  calls: Calls,
  name: Create,
  sent: ShownRecord,
  unknown: SendctlError,
): Promise<SendctlError> {
  const isGroup = name === "group.create";
  // These cannot be sent in a path.
  if (!isGroup && ["", ".", ".."].includes(String(sent["name"]))) return unknown;
  const found = await (isGroup ? findGroups(calls, sent) : findSenderId(calls, sent)).catch(
    (error: unknown): Found => {
      const failure = afterLoss(unknown, error);
      if (failure !== unknown) throw failure;
      return { failure: (error as SendctlError).message };
    },
  );
  const lookup = lookupOf(isGroup ? "group" : "sender ID", sent, found);
  return reworded(unknown, `${unknown.message}; ${lookup.message}`, {
    lookup,
    ...("records" in found ? { found: found.records } : {}),
  });
}

async function findSenderId(calls: Calls, sent: ShownRecord): Promise<Found> {
  const path = { name: String(sent["name"]) };
  const reply = await calls.call("sender-id.fetch", { path });
  const found = await presenceAfter(calls, "sender-id.fetch", reply, path);
  if (found === "unknown") return { failure: refusalOf(reply) };
  return { records: found === "absent" ? [] : [found.record] };
}

/** Finds the groups whose names are the same for people, because a service may rewrite them. */
async function findGroups(calls: Calls, sent: ShownRecord): Promise<Found> {
  const records: ShownRecord[] = [];
  const refusal = await eachListed(calls, "group.list", (record) => {
    if (sameName(String(sent["name"]), record["name"])) records.push(record);
  });
  return refusal === undefined ? { records } : { failure: refusalOf(refusal) };
}

function refusalOf({ status }: Reply): string {
  return `the service responded with HTTP ${status}`;
}

/** Describes what a lookup found, newest first. */
function lookupOf(noun: string, sent: ShownRecord, found: Found): Lookup {
  if ("failure" in found) {
    return { result: "failed", message: `the lookup failed: ${found.failure}`, records: [] };
  }
  const wanted = jsonText(sent["name"] ?? null);
  const names = new Set(found.records.map(({ name }) => jsonText(name ?? null)));
  if (found.records.length === 0) {
    const message = `found no ${noun} named ${wanted}`;
    return { result: "not_found", message, records: [] };
  }
  const records = found.records
    // JSON.stringify refuses a bigint.
    .map(({ id = null, created_at = null }) => ({
      id: typeof id === "bigint" ? String(id) : id,
      created_at,
    }))
    .toSorted((left, right) => (String(left.created_at) < String(right.created_at) ? 1 : -1));
  const named = records.map(
    ({ id, created_at }) => `${plain(id)} (created at ${plain(created_at)})`,
  );
  const [one, other] = records;
  const shown = found.records[0]!["name"];
  // Another name may look the same.
  const name = shown === sent["name"] ? plain(shown) : jsonText(shown ?? null);
  const message =
    one !== undefined && other === undefined
      ? `found ${noun} ${name} (id ${plain(one.id)}), created ${plain(one.created_at)}`
      : `found ${records.length} ${noun}s named ${[...names].join(" or ")}: ${firstOf(named)}`;
  return { result: "found", message, records };
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value ?? null);
}
