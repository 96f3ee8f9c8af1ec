import { operations, type OperationName } from "../../contract/operations.ts";
import { jsonText } from "../../contract/text/json-text.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import {
  isRefused,
  succeeded,
  type PageQuery,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import type { Lookup, SendctlError } from "../../contract/error.ts";
import type { Calls } from "../calls.ts";
import { afterLoss } from "../errors.ts";
import { listCall } from "../lists.ts";
import { createdTime } from "./created-time.ts";
import { failedLookup, lookupOf } from "./lookup-report.ts";
import { measureClock, tolerance } from "./service-clock.ts";
import { storedDifferences } from "./stored.ts";

type Create = OperationName & `${string}.create`;

/** A create whose outcome is unknown. */
interface LostCreate {
  readonly unknown: SendctlError;
  /** Milliseconds of `elapsed`. */
  readonly sentAt: number;
}

/** The result of a lookup: the reply of the create, or what is known if it is inconclusive. */
type Found = { readonly reply: Reply } | { readonly lookup: Lookup };

/** The records with the name that was sent. */
interface Namesakes {
  readonly records: readonly ShownRecord[];
  /** When the lookup ended, in milliseconds of `elapsed`. */
  readonly endedAt: number;
  /** Sends a cheap request. @param delay see measureClock */
  readonly sample: (delay: () => number) => Promise<unknown>;
}

/**
 * Looks for the record of a create whose response was lost: the only one with its name that was created after
 * the request was sent, with the fields that were sent. A record that may be older is never taken for it.
 *
 * @returns undefined if the record cannot be looked up
 * @throws SendctlError "cancelled" or "terminated"
 */
export async function findCreated(
  calls: Calls,
  name: Create,
  sent: ShownRecord,
  lost: LostCreate,
): Promise<Found | undefined> {
  // These cannot be sent in a path.
  if (name === "sender-id.create" && ["", ".", ".."].includes(String(sent["name"]))) {
    return undefined;
  }
  try {
    const namesakes =
      name === "group.create" ? await findGroups(calls, sent) : await findSenderId(calls, sent);
    if ("lookup" in namesakes) return namesakes;
    const { created, areOlder } = await judge(calls, namesakes, sent, lost);
    return created === undefined
      ? { lookup: lookupOf(name, sent, namesakes.records, areOlder) }
      : { reply: createdReply(name, created) };
  } catch (error) {
    const failure = afterLoss(lost.unknown, error);
    if (failure !== lost.unknown) throw failure;
    return { lookup: failedLookup((error as SendctlError).message) };
  }
}

async function findSenderId(
  calls: Calls,
  sent: ShownRecord,
): Promise<Namesakes | { readonly lookup: Lookup }> {
  const path = { name: String(sent["name"]) };
  const { reply, response } = await calls.call("sender-id.fetch", { path });
  if (!succeeded(reply) && !isRefused(reply)) return { lookup: failedLookup(refusalOf(reply)) };
  return {
    records: succeeded(reply) ? [reply.envelope!.data as ShownRecord] : [],
    endedAt: response.endedAt,
    sample: (delay) => calls.call("sender-id.fetch", { path }, delay),
  };
}

async function findGroups(
  calls: Calls,
  sent: ShownRecord,
): Promise<Namesakes | { readonly lookup: Lookup }> {
  const records: ShownRecord[] = [];
  let endedAt = -Infinity;
  const list = async (query: PageQuery): Promise<Reply> => {
    const { reply, response } = await listCall(calls, "group.list", query);
    ({ endedAt } = response);
    return reply;
  };
  const refusal = await calls.options.eachRecord(list, (record) => {
    if (record["name"] === sent["name"]) records.push(record);
  });
  if (refusal !== undefined) return { lookup: failedLookup(refusalOf(refusal)) };
  return {
    records,
    endedAt,
    sample: (delay) => calls.call("group.list", { query: { perPage: 1 } }, delay),
  };
}

function refusalOf({ status }: Reply): string {
  return `the service responded with HTTP ${status}`;
}

/** What is certain about the records with the name that was sent. */
interface Verdict {
  /** The record that the request created. */
  readonly created?: ShownRecord;
  /** Whether all of them are older than the request. */
  readonly areOlder?: true;
}

/** Measures the clock of the service, and finds the record that was certainly created by the request. */
async function judge(
  { options, clock }: Calls,
  { records, endedAt, sample }: Namesakes,
  sent: ShownRecord,
  { sentAt }: LostCreate,
): Promise<Verdict> {
  const times = records.map((record) => createdTime(record));
  if (times.length === 0 || times.includes(undefined)) return {};
  const newest = times.reduce((one, other) => (one!.earliest > other!.earliest ? one : other))!;
  await measureClock(clock, newest.earliest - sentAt, { elapsed: options.elapsed, sample });
  const bounds = clock.bounds();
  if (bounds === undefined || !clock.hasTicked()) return {};
  const { lowest, highest } = bounds;
  const mayBeNew = times.filter((time) => time!.latest >= sentAt + lowest);
  const isNew =
    newest.earliest >= sentAt + highest - tolerance &&
    // A record from the future shows that another clock dates the records.
    newest.latest <= endedAt + highest + tolerance;
  if (mayBeNew.length === 0) return { areOlder: true };
  const created = records[times.indexOf(newest)]!;
  return mayBeNew.length === 1 && isNew && isAsSent(created, sent) ? { created } : {};
}

/** Values of a field that nobody has set. */
const unsetValues: ReadonlySet<unknown> = new Set([undefined, null, false, ""]);

/** Fields of a group that a create may omit. */
const optionalFields = namesOf(groupFields, ({ create }) => create === "optional");

/** Returns whether a record has the fields that were sent, and nothing set that was not sent. */
function isAsSent(record: ShownRecord, sent: ShownRecord): boolean {
  const omitted = optionalFields.filter((field) => !(field in sent));
  return (
    storedDifferences(sent, record).length === 0 &&
    omitted.every((field) => unsetValues.has(record[field]))
  );
}

/** Converts a record from a lookup to the reply of a create: specification, part 2. */
function createdReply(name: Create, record: ShownRecord): Reply {
  const inLists: readonly string[] = namesOf(groupFields, ({ shown }) => shown === "lists");
  const fields = Object.entries(record).filter(([field]) => !inLists.includes(field));
  const { message, status } = operations[name];
  const envelope = { status: true, message, data: Object.fromEntries(fields) };
  return { status, text: jsonText(envelope), envelope };
}
