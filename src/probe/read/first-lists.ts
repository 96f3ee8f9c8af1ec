import { SendctlError } from "../../contract/error.ts";
import type { Experiment } from "../experiment.ts";
import { listPageOf, type ListPage } from "../list-page.ts";
import type { Outcome } from "../outcome.ts";

/** The first page of each list, which other experiments use. */
export interface FirstLists {
  readonly groups: ListPage;
  /** Undefined if the list of sender IDs cannot be read. */
  readonly senderIds: ListPage | undefined;
}

export const groupList = "/v1/group";
export const senderIdList = "/v1/sender-id";

/**
 * Reads both lists, without a page size.
 *
 * @throws SendctlError if the list of groups cannot be read: "auth" for a rejected key, "unavailable" without a
 *   response, "unexpected_response" for a response that is not the service's
 */
export async function readFirstLists(experiment: Experiment): Promise<FirstLists> {
  const { session } = experiment;
  const first = await session.get(groupList);
  const groups = listPageOf(first);
  if (groups === undefined) throw await listFailure(experiment, first);
  const senderIds = listPageOf(await session.get(senderIdList));
  judgeDefaultSize(experiment, groups);
  judgeStatuses(experiment, senderIds);
  judgeTimes(experiment, [...groups.records, ...(senderIds?.records ?? [])]);
  return { groups, senderIds };
}

async function listFailure(
  { session, target }: Experiment,
  outcome: Outcome,
): Promise<SendctlError> {
  const { name } = target;
  session.throwIfStopped();
  if (outcome.kind === "missing") {
    const isLimited = session.limits().wasLimited;
    const kind = isLimited ? "rate_limited" : "unavailable";
    const { why, hint } = outcome;
    return new SendctlError(kind, isLimited ? `${name}: ${why}` : why, { hint });
  }
  const { status } = outcome;
  const details = { httpStatus: status };
  const rejected = new SendctlError("auth", `${name} rejected the key (HTTP ${status})`, {
    ...details,
    hint: "sendctl login, or set SENDCTL_SECRET_KEY",
  });
  if (outcome.kind === "refused") {
    if (status === 401 || status === 403) return rejected;
    // A service that sends every refusal with HTTP 200 refuses a random key in the same way.
    const other = await session.get(groupList, "unknown");
    if (other.kind === "refused" && other.status === status && other.text === outcome.text) {
      return rejected;
    }
    return new SendctlError(
      "invalid",
      `${name} refused the list of groups (HTTP ${status})`,
      details,
    );
  }
  if (outcome.kind === "failed" && status >= 500) {
    return new SendctlError("unavailable", `${name} sent HTTP ${status}`, details);
  }
  const what = outcome.kind === "failed" ? outcome.why : "`data.data` is not a list of records";
  return new SendctlError("unexpected_response", `unexpected response from ${name}: ${what}`, {
    ...details,
    hint: "check the base URL",
  });
}

function judgeDefaultSize({ findings }: Experiment, page: ListPage): void {
  const { records, perPage, total, last } = page;
  const how = "the first page without perPage";
  const name = "per_page_default";
  const size = perPage ?? ((last ?? 1) > 1 ? records.length : undefined);
  if (size === undefined) return findings.unknown(name, `${how} shows no page size`);
  const isCut = (last ?? 1) > 1 || (total ?? 0) > records.length;
  if (records.length > size || (isCut && records.length < size && (total ?? 0) >= size)) {
    return findings.unknown(name, `ambiguous: per_page ${size}, but ${records.length} records`);
  }
  return findings.found(name, size, how);
}

const engineStatuses: readonly unknown[] = ["PENDING", "APPROVED", "REJECTED"];

function judgeStatuses({ findings }: Experiment, page: ListPage | undefined): void {
  const seen = [...new Set((page?.records ?? []).map(({ status }) => String(status)))].toSorted();
  const isSame = seen.every((status) => engineStatuses.includes(status));
  findings.other({
    number: 17,
    topic: "statuses of sender IDs",
    engine: engineStatuses.join(", "),
    ...(seen.length === 0
      ? { verdict: "unknown", observed: null, how: "not observable: no sender ID is listed" }
      : {
          verdict: isSame ? "same" : "differs",
          observed: seen.slice(0, 10).join(", "),
          how: "the first page of sender IDs, which may lack some",
        }),
  });
}

function judgeTimes({ findings }: Experiment, records: ListPage["records"]): void {
  const digits = new Set(
    records.map(({ created_at: time }) => {
      const match = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?Z$/.exec(String(time));
      return match === null ? "another format" : String(match[1]?.length ?? 0);
    }),
  );
  const observed = [...digits].toSorted().join(" or ");
  findings.other({
    number: 22,
    topic: "fractional digits of created_at",
    engine: 6,
    ...(digits.size === 0
      ? { verdict: "unknown", observed: null, how: "not observable: no record is listed" }
      : {
          verdict: observed === "6" ? "same" : "differs",
          observed: observed === "6" ? 6 : observed,
          how: `${records.length} listed records`,
        }),
  });
}
