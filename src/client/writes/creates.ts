import type { OperationName } from "../../contract/operations.ts";
import { requestOf } from "../../contract/request.ts";
import { reworded, SendctlError, type Lookup } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { areSameForPeople, mayBeStoredAs, firstOf, shellWord } from "../../core/text.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { checkCommand, type Calls } from "../calls.ts";
import { afterLoss, mayHaveSucceeded } from "../perform.ts";
import { fetchRecord, recordOf, refuseDifferences, withRecord } from "../check-record.ts";
import { differencesOf, textOf } from "../compare.ts";
import { eachListed, presenceAfter } from "../lookups.ts";

type Create = OperationName & `${string}.create`;

/**
 * Creates a record. If the outcome is unknown, its name is looked up for the error; the create is never sent again.
 *
 * @throws SendctlError "outcome_unknown" with what the lookup found, "unexpected_response" if the service stored values
 *   other than those sent
 */
export async function create(
  calls: Calls,
  name: Create,
  input: { readonly body: object },
): Promise<Reply> {
  const { options } = calls;
  const sent = input.body as ShownRecord;
  const check = checkCommand(name, { body: sent }, options);
  const performed = await calls.perform(requestOf(name, input), check);
  if ("unknown" in performed) throw await withLookup(calls, name, sent, performed.unknown);
  const { trail } = performed.response;
  const unclear = (message: string, httpStatus: number, record?: ShownRecord): Promise<Error> => {
    const details = { check, httpStatus, record, trail };
    return withLookup(calls, name, sent, new SendctlError("outcome_unknown", message, details));
  };
  const confirmed = await calls
    .decode(name, performed.response, check)
    .catch(async (error: unknown) => {
      const { status } = performed.response;
      // A success without a record says no more than no response; redirects have errors of their own.
      const isUnclear = error instanceof SendctlError && status < 300;
      throw isUnclear ? await unclear(error.message, status) : error;
    });
  if (!succeeded(confirmed)) return confirmed;
  const id = textOf(recordOf(confirmed)["id"]);
  const [fetch, path] =
    name === "group.create"
      ? (["group.fetch", id === undefined ? undefined : { id }] as const)
      : (["sender-id.fetch", { name: String(sent["name"]) }] as const);
  const reply = await withRecord(calls, fetch, path, confirmed, sent, check).catch(
    async (error: unknown) => {
      const isUnclear =
        error instanceof SendctlError && id === undefined && error.details.check !== undefined;
      throw isUnclear ? await unclear(error.message, confirmed.status) : error;
    },
  );
  const shown = recordOf(reply);
  if (!mayBeStoredAs(String(sent["name"]), shown["name"])) {
    const [wanted, stored] = [jsonText(sent["name"]), jsonText(shown["name"] ?? null)];
    const text = `${options.base.host} returned the record ${stored} (id ${id ?? "unknown"}) for the create of ${wanted}`;
    throw await unclear(`${text}. ${mayHaveSucceeded}`, confirmed.status, shown);
  }
  const isRewritten = id !== undefined && differencesOf(sent, shown).length > 0;
  const hint = isRewritten ? await createdHint(calls, name, id, shown) : undefined;
  const isOld = isOlderThan(shown["created_at"], performed.response.headers.date);
  refuseDifferences(options.base.host, sent, shown, {
    ...(isOld ? {} : { hint, created: shown }),
    trail,
  });
  if (!isOld) return reply;
  await options.note(
    `the service returned a record of ${plain(shown["created_at"])} for the create: it may have existed before`,
  );
  return { ...reply, isOld };
}

/** Returns how to delete a record that was created with other values: `sendctl undo` would undo a whole apply. */
async function createdHint(
  calls: Calls,
  name: Create,
  id: string,
  shown: ShownRecord,
): Promise<string | undefined> {
  const [noun] = name.split(".") as [string];
  const key = noun === "group" ? id : shown["name"];
  if (typeof key !== "string") return undefined;
  const { targetOptions = [] } = calls.options;
  const line = (verb: string): string => {
    const words = [noun, verb, ...targetOptions, ...(key.startsWith("-") ? ["--"] : [])];
    return `sendctl ${[...words, shellWord(key)].join(" ")}`;
  };
  // A service may store it under the name of another one, which a delete would find.
  if (noun === "sender-id" && (await idOf(calls, key)) !== id) {
    return `it was created (id ${id}); that name may find another one: ${line("fetch")}`;
  }
  return `it was created (id ${id}); to delete it: ${line("delete")}`;
}

/** Returns the id of the sender ID that a name finds; undefined if it cannot be fetched. */
async function idOf(calls: Calls, name: string): Promise<string | undefined> {
  const reply = await fetchRecord(calls, "sender-id.fetch", { name }).catch(() => undefined);
  return reply !== undefined && succeeded(reply) ? textOf(recordOf(reply)["id"]) : undefined;
}

/** In milliseconds: a create takes less time. */
const maxCreateTime = 60_000;

/**
 * Returns whether a record was created well before the response that shows it, by the clock of the service. A time without
 * a zone does not tell.
 */
function isOlderThan(createdAt: unknown, date: string | undefined): boolean {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(String(createdAt));
  const age = Date.parse(date ?? "") - (hasZone ? Date.parse(String(createdAt)) : NaN);
  return age > maxCreateTime;
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
    if (areSameForPeople(String(sent["name"]), record["name"])) records.push(record);
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
