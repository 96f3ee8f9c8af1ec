import { operations, type OperationName } from "../../contract/operations.ts";
import { jsonText } from "../../contract/json-text.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import { succeeded, type PageQuery, type Reply, type ShownRecord } from "../../contract/service.ts";
import { SendctlError, type ErrorKind } from "../../contract/error.ts";
import type { CallResult, Calls } from "../calls.ts";
import { listCall } from "../lists.ts";
import { storedDifferences } from "./stored.ts";

/** A create whose outcome is unknown. */
interface LostCreate {
  readonly unknown: SendctlError;
  /** Milliseconds of `elapsed`. */
  readonly sentAt: number;
}

/** Tolerance for clock differences within one service and for truncated times, in milliseconds. */
const slack = 2000;

const stopKinds: ReadonlySet<ErrorKind> = new Set(["cancelled", "terminated"]);

/**
 * Looks for the record of a create whose response was lost: the only one with its name that was created after
 * the request was sent and has the fields that were sent.
 *
 * @returns undefined unless exactly one such record exists
 * @throws SendctlError "cancelled" or "terminated"
 */
export async function findCreated(
  calls: Calls,
  name: OperationName & `${string}.create`,
  sent: ShownRecord,
  lost: LostCreate,
): Promise<Reply | undefined> {
  try {
    return name === "group.create"
      ? await findGroup(calls, sent, lost)
      : await findSenderId(calls, sent, lost);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (!stopKinds.has(error.kind)) return undefined;
    const { message, hint } = lost.unknown;
    throw new SendctlError(error.kind, `Interrupted. ${message}`, { hint, cause: error });
  }
}

async function findSenderId(
  calls: Calls,
  sent: ShownRecord,
  { sentAt }: LostCreate,
): Promise<Reply | undefined> {
  const name = String(sent["name"]);
  // These cannot be sent in a path.
  if (["", ".", ".."].includes(name)) return undefined;
  const found = await calls.call("sender-id.fetch", { path: { name } });
  if (!succeeded(found.reply)) return undefined;
  const record = found.reply.envelope!.data as ShownRecord;
  return isCreatedRecord(record, sent, earliestCreation(calls, found, sentAt))
    ? found.reply
    : undefined;
}

async function findGroup(
  calls: Calls,
  sent: ShownRecord,
  { sentAt }: LostCreate,
): Promise<Reply | undefined> {
  let since: number | undefined;
  const candidates: ShownRecord[] = [];
  const list = async (query: PageQuery): Promise<Reply> => {
    const called = await listCall(calls, "group.list", query);
    since ??= earliestCreation(calls, called, sentAt);
    return called.reply;
  };
  const refusal = await calls.options.eachRecord(list, (record) => {
    if (record["name"] === sent["name"]) candidates.push(record);
  });
  if (refusal !== undefined || since === undefined) return undefined;
  const start = since;
  // A record without a valid time may be new.
  const fresh = candidates.filter((record) => !(createdAt(record) < start));
  const [record] = fresh;
  if (fresh.length !== 1 || record === undefined || !isCreatedRecord(record, sent, start))
    return undefined;
  return createdReply(record);
}

/**
 * Returns the earliest possible creation time of the record, by the service's clock, in milliseconds since 1970;
 * undefined if the response has no Date.
 */
function earliestCreation(
  { options }: Calls,
  { response }: CallResult,
  sentAt: number,
): number | undefined {
  const date = Date.parse(response.headers.date ?? "");
  return Number.isNaN(date) ? undefined : date - (options.elapsed() - sentAt) - slack;
}

/** Returns milliseconds since 1970, or NaN. */
function createdAt({ created_at }: ShownRecord): number {
  const hasZone = typeof created_at === "string" && /(?:Z|[+-]\d{2}:?\d{2})$/.test(created_at);
  return hasZone ? Date.parse(created_at) : Number.NaN;
}

function isCreatedRecord(
  record: ShownRecord,
  sent: ShownRecord,
  since: number | undefined,
): boolean {
  const isNew = since !== undefined && createdAt(record) >= since;
  return isNew && storedDifferences(sent, record).length === 0;
}

/** Converts a record from a list to the reply of a create: specification, part 2. */
function createdReply(record: ShownRecord): Reply {
  const inLists: readonly string[] = namesOf(groupFields, ({ shown }) => shown === "lists");
  const fields = Object.entries(record).filter(([field]) => !inLists.includes(field));
  const { message, status } = operations["group.create"];
  const envelope = { status: true, message, data: Object.fromEntries(fields) };
  return { status, text: jsonText(envelope), envelope };
}
