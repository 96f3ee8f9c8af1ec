import { operations } from "../contract/operations.ts";
import { decimalForm, nouns, uuidForm, type RecordKind } from "../contract/resources.ts";
import {
  type RecordIdentity,
  type Reply,
  type ShownRecord,
  isAbsence,
  isObject,
  readBoolean,
  succeeded,
} from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { jsonText, readJson } from "../core/json-text.ts";
import { areAlike, otherName, sameName } from "../core/names.ts";
import { doneReply } from "../service/lines.ts";
import { isCertainAbsence, isOfGateway } from "../service/refusals.ts";
import { checkCommand, type Calls } from "./calls.ts";
import { askedFor, recordOf, refuseAnother, textOf, type RecordPath } from "./compare.ts";
import { eachListed } from "./lists.ts";

/** Milliseconds between two fetches of a record that is not up to date, and for all of them. */
export const lagPause = 500;
export const maxLag = 5000;

/** What a fetch is for. */
interface Purpose {
  /** What a list or a question has shown of the record. */
  readonly expected?: RecordIdentity | undefined;
  /** Whether it must show what this user has just written, because something is decided by it. */
  readonly isCurrent?: boolean | undefined;
  /** What does not happen if it is another record, as a clause; undefined if no write follows. */
  readonly consequence?: "nothing was changed" | "nothing was deleted" | undefined;
  /** Whether a write's response was lost. A 2xx refusal then leaves the existence open, too. */
  readonly isAfterLoss?: boolean | undefined;
}

/** A record or the refusal of its fetch, and the path by which the service finds it. */
interface Found<Path extends RecordPath> {
  readonly path: Path;
  readonly reply: Reply;
  /** Why only the list shows it, if that is known. */
  readonly reason?: string | undefined;
}

/** Returns why a service may not find a name in a path; undefined for a name without a dot. */
function dotHint(path: RecordPath): string | undefined {
  if (!("name" in path) || !path.name.includes(".")) return undefined;
  const name = jsonText(path.name);
  return `the service cannot find ${name} in a path: some services cut a path at its last dot`;
}

/**
 * Finds a record ("Absence" in docs/remote.md). The list decides after a fetch that leaves its
 * existence open: the 404 of a gateway, no record, the refusal of a uuid, another record.
 *
 * @throws SendctlError "not_found" if the list lacks it, "unexpected_response" before a write if
 *   only the list shows it; others as `fetchRecord`
 */
export async function find<Path extends RecordPath>(
  calls: Calls,
  kind: RecordKind,
  given: Path,
  purpose: Purpose = {},
): Promise<Found<Path>> {
  const { expected } = purpose;
  const path = await keyFor(calls, given, expected);
  if ("status" in path) return { path: given, reply: path };
  const wanted = "id" in given ? { ...askedFor(given), ...expected } : expected;
  const fetched = await fetchRecord(calls, kind, path, { ...purpose, expected: wanted }).catch(
    (error: unknown) => {
      if (isOfOther(error, purpose)) return error;
      throw error;
    },
  );
  if (!(fetched instanceof SendctlError) && !isDoubted(kind, path, fetched, purpose)) {
    return { path, reply: fetched };
  }
  const listed = await listedRecord(calls, kind, path, fetched);
  const id = textOf(listed.record?.["id"]);
  if (id !== undefined && "id" in path && uuidForm.test(path.id)) {
    const byId = { ...path, id };
    const reply = await fetchRecord(calls, kind, byId, { ...purpose, expected: wanted });
    if (succeeded(reply)) return { path: byId, reply };
  }
  const reply = decided(calls, kind, path, fetched, listed, purpose);
  return { path, reply, reason: listed.record && dotHint(path) };
}

/** Returns whether another record was fetched than requested: some routers cut at the last dot. */
function isOfOther(error: unknown, { expected, consequence }: Purpose): error is SendctlError {
  const isOther = error instanceof SendctlError && typeof error.record?.["name"] === "string";
  return isOther && expected === undefined && consequence === undefined;
}

/** Returns whether a refusal leaves open if the record exists. */
function isDoubted(kind: RecordKind, path: RecordPath, reply: Reply, purpose: Purpose): boolean {
  if (succeeded(reply)) return false;
  const { expected, consequence, isAfterLoss } = purpose;
  // Some services take only numbers in a path.
  const isUuid = "id" in path && uuidForm.test(path.id);
  if (isUuid && [400, 404, 410, 422].includes(reply.status)) return true;
  const isCut = dotHint(path) !== undefined && [404, 406, 410].includes(reply.status);
  if (isCut && !isCertainAbsence(reply)) return true;
  if (lacksRecord(reply) || (isGone(reply) && isOfGateway(reply))) return true;
  const said = isAbsence(reply);
  if (isAfterLoss === true) return said === "perhaps";
  // A record that a list or a question has shown may still exist.
  const isListed = (kind === "group" ? expected?.name : expected) !== undefined;
  return consequence === "nothing was deleted" && isGone(reply) && (said !== true || isListed);
}

/** Returns whether a fetch succeeded without a record, a refusal by `decodeOperation`. */
function lacksRecord({ status, text, envelope }: Reply): boolean {
  if (status >= 300 || envelope?.status !== false) return false;
  const body = readJson(text);
  return isObject(body) && readBoolean(body["status"]) === true;
}

/** What a list says of a record: neither is set if it lacks it. */
interface Listed {
  readonly record?: ShownRecord | undefined;
  /** Why it cannot be read. */
  readonly refusal?: Reply | undefined;
}

/** Looks a record up in its list. @param fetched what is left if that cannot be read */
async function listedRecord(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  fetched?: Reply | SendctlError,
): Promise<Listed> {
  const [key, fields] =
    "id" in path ? [path.id.toLowerCase(), ["id", "uuid"]] : [path.name, ["name"]];
  const keyOf = (value: unknown): string | undefined =>
    kind === "group" ? textOf(value)?.toLowerCase() : textOf(value);
  let record: ShownRecord | undefined;
  try {
    const refusal = await eachListed(calls, `${kind}.list`, (shown) => {
      if (fields.some((field) => keyOf(shown[field]) === key)) record ??= shown;
    });
    return { record, refusal };
  } catch (error) {
    if (fetched instanceof SendctlError) throw fetched;
    if (fetched !== undefined && isAbsence(fetched) === true) return {};
    throw error;
  }
}

/** Returns the record or refusal after a fetch that left its existence open. @throws as `find` */
function decided(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  fetched: Reply | SendctlError,
  { record, refusal }: Listed,
  { consequence, isAfterLoss }: Purpose,
  request: "fetch" | "delete" = "fetch",
): Reply {
  const isReply = !(fetched instanceof SendctlError);
  if (record !== undefined) {
    if (consequence !== undefined && isReply) {
      throw contradicted(calls, fetched, request, stillShows(kind, record), dotHint(path));
    }
    const { message } = operations[`${kind}.fetch`];
    return doneReply(message, record);
  }
  if (refusal !== undefined) {
    if (!isReply) throw fetched;
    if (isAbsence(fetched) === true) return fetched;
    if (consequence !== undefined && isGone(refusal)) {
      throw contradicted(calls, fetched, request, "the list is not found either");
    }
    return refusal;
  }
  const isSaid = isReply && isGone(fetched) && !isOfGateway(fetched) && isAfterLoss !== true;
  if (isSaid) return fetched;
  const key = jsonText("id" in path ? path.id : path.name);
  throw notFound(kind, `the service shows no ${nouns[kind]} ${key}`);
}

function isGone({ status }: Reply): boolean {
  return status === 404 || status === 410;
}

/**
 * Returns the refusal of a delete of a fetched record, or that of the list which would prove it.
 *
 * @throws as `find`
 */
export async function refusedDelete(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  reply: Reply,
): Promise<Reply> {
  if (!isGone(reply)) return reply;
  const listed = await listedRecord(calls, kind, path, reply);
  const purpose = { consequence: "nothing was deleted" } as const;
  return decided(calls, kind, path, reply, listed, purpose, "delete");
}

function stillShows(kind: RecordKind, { id, name }: ShownRecord): string {
  return `its list still shows the ${nouns[kind]} ${jsonText(name ?? null)} (id ${textOf(id)})`;
}

function contradicted(
  { options }: Calls,
  { status: httpStatus }: Reply,
  request: "fetch" | "delete",
  how: string,
  hint?: string,
): SendctlError {
  const message = `${options.base.host} responded to the ${request} with HTTP ${httpStatus}, but ${how}`;
  return new SendctlError("unexpected_response", message, { httpStatus, hint });
}

/** Returns the error for a record that neither the service nor its list shows. */
export function notFound(kind: RecordKind, message: string): SendctlError {
  return new SendctlError("not_found", message, { hint: `sendctl ${kind} list --all` });
}

/**
 * Returns a path with the key that looks groups up (ruling 20), or the refusal of the list with it.
 *
 * @param known the group, if the caller has it
 * @throws SendctlError "not_found"
 */
async function keyFor<Path extends RecordPath>(
  calls: Calls,
  path: Path,
  known: RecordIdentity | undefined,
): Promise<Path | Reply> {
  const wanted = calls.options.behaviour.group_lookup;
  const form = wanted === "id" ? uuidForm : wanted === "uuid" ? decimalForm : undefined;
  if (!("id" in path) || form?.test(path.id) !== true) return path;
  const keyIn = (record: RecordIdentity | undefined) => textOf(record?.[wanted as "id" | "uuid"]);
  const listed = keyIn(known) === undefined ? await listedRecord(calls, "group", path) : {};
  if (listed.record === undefined && listed.refusal !== undefined) return listed.refusal;
  const id = keyIn(known) ?? keyIn(listed.record);
  if (id !== undefined) return { ...path, id };
  const given = wanted === "id" ? "uuid" : "id";
  throw notFound("group", `no group has the ${given} ${path.id}`);
}

/**
 * Fetches a record, which must be the one that the path and the caller name. For a decision, it is
 * fetched again while it lacks what this user has just written: a database replica may lag behind.
 *
 * @throws SendctlError "unexpected_response" with the other record that was returned, "conflict"
 *   for a sender ID whose name is another one for the service, "differences" if out of date for 5 s
 */
async function fetchRecord(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  purpose: Purpose,
): Promise<Reply> {
  const { recent, base } = calls.options;
  const { isCurrent, consequence } = purpose;
  for (let waited = 0; ; waited += lagPause) {
    // A record with another name than was expected may be the one from before an update, too.
    const fetched = await fetchOnce(calls, kind, path, purpose).catch((error: unknown) => {
      if (isCurrent === true && error instanceof SendctlError) return error;
      throw error;
    });
    const isReply = !(fetched instanceof SendctlError);
    const isDone = isReply && succeeded(fetched);
    const shown = isDone ? recordOf(fetched) : isReply ? undefined : fetched.record;
    const isAbsent = isReply && !isDone && isAbsence(fetched) !== false;
    const isTold = isCurrent && (shown !== undefined || (isAbsent && !isCertainAbsence(fetched)));
    const outdated = isTold ? (await recent?.())?.outdated(kind, path, shown) : undefined;
    if (outdated === undefined && isReply) return fetched;
    if (outdated === undefined) throw fetched;
    if (waited >= maxLag) {
      const message = `${base.host} ${outdated}; ${consequence ?? "nothing was changed"}`;
      throw new SendctlError("differences", message, { hint: "repeat the command in a minute" });
    }
    const check = checkCommand(`${kind}.fetch`, { path: { ...path } }, calls.options);
    await calls.pause(lagPause, check);
  }
}

async function fetchOnce(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  { expected = {}, consequence, isAfterLoss }: Purpose,
): Promise<Reply> {
  const isBeforeWrite = consequence !== undefined;
  const reply = await calls.call(`${kind}.fetch`, { path: { ...path } }, isBeforeWrite);
  if (!succeeded(reply) || isAfterLoss === true) return reply;
  const record = recordOf(reply);
  const ending = consequence === undefined ? "" : `; ${consequence}`;
  const isExact = isBeforeWrite || expected.name !== undefined;
  if ("name" in path && isExact) refuseOtherName(path.name, record, ending);
  const [asked, others] = identityOf(path, record, expected);
  refuseAnother(
    record,
    { ...others, ...asked },
    asked,
    (difference) => `${calls.options.base.host} returned a ${nouns[kind]} ${difference}${ending}`,
    dotHint(path),
  );
  return reply;
}

/** Returns the identity in a path, and the rest of the expected one. Some ids look like uuids. */
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

/** Fetches a record once after a write. The service may lag behind. @throws as `fetchRecord` */
export function fetchWritten(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
  expected: RecordIdentity,
): Promise<Reply> {
  return fetchOnce(calls, kind, path, { expected });
}

/** What is known of a record after a lost write of it. */
type Presence = { readonly record: ShownRecord } | { readonly refusal: Reply } | "absent";

/** Looks for a record after a write of it was lost. @throws as `find` */
export async function presenceAfterLoss(
  calls: Calls,
  kind: RecordKind,
  path: RecordPath,
): Promise<Presence> {
  try {
    const { reply } = await find(calls, kind, path, { isAfterLoss: true });
    if (succeeded(reply)) return { record: recordOf(reply) };
    return isAbsence(reply) === true ? "absent" : { refusal: reply };
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "not_found") return "absent";
    throw error;
  }
}
