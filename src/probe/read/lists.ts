import { SendctlError, type ErrorKind } from "../../contract/error.ts";
import { Unclear, type Experiment } from "../experiment.ts";
import { ambiguous } from "../findings.ts";
import { groupList, listPageOf, senderIdList, type FirstLists } from "../list-page.ts";
import type { Fields, Outcome, Refused } from "../outcome.ts";
import type { Session } from "../session.ts";
import type { ProbeTarget } from "../target.ts";

/**
 * Reads both lists, without a page size.
 *
 * @throws SendctlError if the list of groups cannot be read: "auth" for a rejected key, "unavailable" without a
 *   response, "unexpected_response" for a response that is not the service's
 */
export async function readFirstLists(session: Session, target: ProbeTarget): Promise<FirstLists> {
  const first = await session.get(groupList);
  const groups = listPageOf(first);
  if (groups === undefined) throw await listFailure(session, target, first);
  return { groups, senderIds: listPageOf(await session.get(senderIdList)) };
}

async function listFailure(
  session: Session,
  { name, keyHint }: ProbeTarget,
  outcome: Outcome,
): Promise<SendctlError> {
  session.throwIfStopped();
  if (outcome.kind === "missing") {
    const isLimited = session.limits().wasLimited;
    const kind = isLimited ? "rate_limited" : "unavailable";
    const { why, hint } = outcome;
    return new SendctlError(kind, isLimited ? `${name}: ${why}` : why, { hint });
  }
  const { status } = outcome;
  const failure = (kind: ErrorKind, message: string, hint?: string): SendctlError =>
    new SendctlError(kind, message, { httpStatus: status, hint });
  if (outcome.kind === "refused") {
    return [401, 403].includes(status) || (await refusesAnyKey(session, outcome))
      ? failure("auth", `${name} rejected the key (HTTP ${status})`, keyHint)
      : failure("invalid", `${name} refused the list of groups (HTTP ${status})`);
  }
  if (status >= 500) return failure("unavailable", `${name} sent HTTP ${status}`);
  const what = outcome.kind === "failed" ? outcome.why : "`data.data` is not a list of records";
  const message = `unexpected response from ${name}: ${what}`;
  return failure("unexpected_response", message, "check the base URL");
}

/** Returns whether a random key is refused in the same way, as by a service whose refusals all have HTTP 200. */
async function refusesAnyKey(session: Session, { status, text }: Refused): Promise<boolean> {
  const other = await session.get(groupList, "unknown");
  return other.kind === "refused" && other.status === status && other.text === text;
}

/** The page size if none is requested. */
export const defaultSize: Experiment = {
  finds: ["per_page_default"],
  how: "the first page without perPage",
  run: async ({ lists }) => {
    const { records, perPage, total, last } = lists.groups;
    const size = perPage ?? ((last ?? 1) > 1 ? records.length : undefined);
    if (size === undefined) throw new Unclear("the first page shows no page size");
    const isCut = (last ?? 1) > 1 || (total ?? 0) > records.length;
    const isShort = isCut && records.length < size && (total ?? 0) >= size;
    const isOdd = records.length > size || isShort;
    const what = `per_page ${size}, but ${records.length} records`;
    return { per_page_default: isOdd ? ambiguous(what) : { value: size } };
  },
};

const engineStatuses: readonly unknown[] = ["PENDING", "APPROVED", "REJECTED"];

/** What the records of the first pages show: rulings 17 and 22. */
export const listedRecords: Experiment = {
  finds: [],
  how: "the first pages",
  run: async ({ findings, lists: { groups, senderIds } }) => {
    const listed = senderIds?.records ?? [];
    const statuses = [...new Set(listed.map(({ status }) => String(status)))].toSorted();
    const engine = engineStatuses.join(", ");
    const isOwn = statuses.every((status) => engineStatuses.includes(status));
    findings.other(
      { number: 17, topic: "statuses of sender IDs", engine },
      statuses.length === 0 ? undefined : statuses.slice(0, 10).join(", "),
      statuses.length === 0
        ? "not observable: no sender ID is listed"
        : "the first page of sender IDs, which may lack some",
      isOwn,
    );
    const records = [...groups.records, ...listed];
    const digits = [...new Set(records.map(digitsOf))].toSorted().join(" or ");
    findings.other(
      { number: 22, topic: "fractional digits of created_at", engine: 6 },
      digits === "6" ? 6 : digits || undefined,
      digits === "" ? "not observable: no record is listed" : `${records.length} listed records`,
    );
    return {};
  },
};

/** Returns the number of fractional digits of a record's time. */
function digitsOf({ created_at: time }: Fields): string {
  const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?Z$/.exec(String(time));
  return match === null ? "another format" : String(match[1]?.length ?? 0);
}
