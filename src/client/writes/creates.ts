import { nouns, type RecordKind } from "../../contract/resources.ts";
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
import { isOlderThan, recordOf, refuseDifferences, textOf, type RecordPath } from "../compare.ts";
import { eachListed } from "../lists.ts";
import { presenceAfterLoss } from "../reads.ts";
import { confirmedRecord } from "./confirmed.ts";

/** A create, and what the caller knows of the records before it. */
interface CreateInput extends CreateContext {
  readonly body: object;
}

/**
 * Creates a record, never twice. If the outcome is unknown, looks its name up for the error.
 *
 * @throws SendctlError "outcome_unknown" with what the lookup found, "conflict" for a record that
 *   existed before, "unexpected_response" if the service stored values other than those sent
 */
export async function create(
  calls: Calls,
  kind: RecordKind,
  { body, existed }: CreateInput,
): Promise<Reply> {
  const { host } = calls.options.base;
  const name = `${kind}.create` as const;
  const sent = body as ShownRecord;
  const check = checkCommand(name, { body: sent }, calls.options);
  const performed = await calls.perform(requestOf(name, { body }), check);
  if ("unknown" in performed) throw await withLookup(calls, kind, sent, performed.unknown);
  const { status: httpStatus, headers } = performed.response;
  let confirmed: Reply | undefined;
  let reply: Reply;
  try {
    confirmed = await calls.decode(name, performed.response, check);
    if (!succeeded(confirmed)) return confirmed;
    const path = pathOf(kind, sent, confirmed);
    ({ reply } = await confirmedRecord(calls, {
      kind,
      path,
      reply: confirmed,
      wanted: sent,
      check,
    }));
  } catch (error) {
    // A success without a record says no more than no response; redirects have errors of their own.
    const isUnclear = confirmed === undefined ? httpStatus < 300 : isUnidentified(error);
    if (!(error instanceof SendctlError) || !isUnclear) throw error;
    const details = { check, httpStatus };
    const unknown = new SendctlError("outcome_unknown", error.message, details);
    throw await withLookup(calls, kind, sent, unknown);
  }
  const shown = recordOf(reply);
  const id = textOf(shown["id"]);
  const stored = shown["name"];
  const titled = `${jsonText(stored ?? null)} (id ${id ?? "unknown"})`;
  if (existed?.(shown) === true) {
    const message = `nothing was created, because the service returned the existing ${nouns[kind]} ${titled}`;
    const hint = "use its name, or delete it";
    throw new SendctlError("conflict", message, { hint, httpStatus });
  }
  if (typeof stored === "string" && !sameName(String(sent["name"]), stored)) {
    const message = `${host} returned the record ${titled} for the create of ${jsonText(sent["name"])}. ${mayHaveSucceeded}`;
    throw new SendctlError("unexpected_response", message, {
      check,
      httpStatus,
      record: shown,
    });
  }
  const hint = id === undefined ? undefined : createdHint(calls.options, kind, id);
  refuseDifferences(host, sent, shown, { hint, created: shown });
  if (existed === undefined && isOlderThan(shown, headers.date)) {
    const time = textOf(shown["created_at"]);
    const reasons = "it may have existed before, or the service labels its times with another zone";
    await calls.options.note(`the service returned a record of ${time} for the create: ${reasons}`);
  }
  return reply;
}

/** Returns where a new record is fetched; undefined for a group without an id. */
function pathOf(kind: RecordKind, sent: ShownRecord, confirmed: Reply): RecordPath | undefined {
  if (kind === "sender-id") return { name: String(sent["name"]) };
  const id = textOf(recordOf(confirmed)["id"]);
  return id === undefined ? undefined : { id };
}

/** Returns whether a create was confirmed by a record without an id, which could not be fetched. */
function isUnidentified(error: unknown): boolean {
  if (!(error instanceof SendctlError)) return false;
  return error.record?.["id"] === undefined && error.details.check !== undefined;
}

/** Returns how to delete a group created with other values; `sendctl undo` undoes a whole apply. */
function createdHint(
  { targetOptions = [] }: Calls["options"],
  kind: RecordKind,
  id: string,
): string {
  const created = `it was created (id ${id})`;
  if (kind === "sender-id") return created;
  return `${created}; to delete it: ${["sendctl group delete", ...targetOptions, shellWord(id)].join(" ")}`;
}

/** The records with the name that was sent, or why they are not known. */
type Found = { readonly records: readonly ShownRecord[] } | { readonly failure: string };

/**
 * Looks up the name of a create of unknown outcome, once, and returns the error with the result.
 * That never proves success: the record may be another client's, or the request still on its way.
 */
async function withLookup(
  calls: Calls,
  kind: RecordKind,
  sent: ShownRecord,
  unknown: SendctlError,
): Promise<SendctlError> {
  const name = String(sent["name"]);
  // These cannot be sent in a path.
  if (kind === "sender-id" && ["", ".", ".."].includes(name)) return unknown;
  const found = await findNamed(calls, kind, name).catch((error: unknown): Found => {
    const failure = afterLoss(unknown, error);
    if (failure !== unknown) throw failure;
    return { failure: (error as SendctlError).message };
  });
  const lookup = lookupOf(nouns[kind], sent, found);
  return reworded(unknown, `${unknown.message}; ${lookup.message}`, {
    lookup,
    ...("records" in found ? { found: found.records } : {}),
  });
}

/** Finds the records with a name, but for those that this user has just deleted. */
async function findNamed(calls: Calls, kind: RecordKind, name: string): Promise<Found> {
  const own = (await calls.options.recent?.())?.reading(kind);
  const records: ShownRecord[] = [];
  const take = (record: ShownRecord): void => {
    if (own === undefined || own.current(record) !== undefined) records.push(record);
  };
  let refusal: Reply | undefined;
  if (kind === "group") {
    // A service may rewrite names.
    refusal = await eachListed(calls, "group.list", (record) => {
      if (sameName(name, record["name"])) take(record);
    });
  } else {
    const found = await presenceAfterLoss(calls, kind, { name });
    if (found !== "absent" && "record" in found) take(found.record);
    else if (found !== "absent") ({ refusal } = found);
  }
  if (refusal === undefined) return { records };
  return { failure: `the service responded with HTTP ${refusal.status}` };
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
