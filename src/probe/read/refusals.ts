import type { Experiment } from "../experiment.ts";
import { idOf } from "../list-page.ts";
import { whyUnclear, type Outcome } from "../outcome.ts";
import { groupList, senderIdList, type FirstLists } from "./first-lists.ts";

/** Sends requests that a service refuses: without a key, with an unknown one, for unknown paths and records. */
export async function probeRefusals(experiment: Experiment, lists: FirstLists): Promise<void> {
  const { session, evidence, target, findings } = experiment;
  if (target.isHttp) {
    evidence.note("no_key", "a request without a key", await session.get(groupList, "none"));
    evidence.note("unknown_key", "a random key", await session.get(groupList, "unknown"));
  } else {
    const why = "not observable in this process: only `serve` checks keys";
    findings.unknown("no_key_status", why);
    findings.unknown("unknown_key_status", why);
  }
  const name = `sendctl-probe-${target.hex(12)}`;
  evidence.note("unknown_path", "an unknown path", await session.get(`/v1/${name}`));
  const unknownId = await session.get(`${groupList}/${unusedId(lists, target.hex)}`);
  evidence.note("not_found", "an unknown group", unknownId);
  const unknownName = await session.get(`${senderIdList}/${name}`);
  evidence.note("not_found", "an unknown sender ID", unknownName);
  await probeLetterCase(experiment, lists);
  await probeOtherPaths(experiment);
}

/** Returns an id that no group is likely to have, and that fits into 31 bits if the others do. */
function unusedId({ groups }: FirstLists, hex: (digits: number) => string): string {
  const ids = groups.records.map((record) => idOf(record) ?? "");
  const numbers = ids.filter((id) => /^\d{1,30}$/.test(id)).map(BigInt);
  const largest = numbers.reduce((max, id) => (id > max ? id : max), 0n);
  const random = BigInt(Number.parseInt(hex(6), 16));
  return String(
    largest < 1_000_000_000n ? 2_100_000_000n + random : largest + 1_000_000_000n + random,
  );
}

function swapCase(text: string): string {
  return text.replace(/[a-z]|[A-Z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** Fetches an existing sender ID by its name, and by its name in the other case. */
async function probeLetterCase(
  { session, findings, evidence }: Experiment,
  { senderIds }: FirstLists,
): Promise<void> {
  const put = (
    verdict: "same" | "differs" | "unknown",
    observed: string | null,
    how: string,
  ): void =>
    findings.other({
      number: 5,
      topic: "letter case of a sender ID's name in a path",
      verdict,
      engine: "exact",
      observed,
      how,
    });
  const names = (senderIds?.records ?? []).map(({ name }) => name);
  const lower = new Map<string, number>();
  for (const name of names) {
    const key = String(name).toLowerCase();
    lower.set(key, (lower.get(key) ?? 0) + 1);
  }
  const name = names.find(
    (one): one is string =>
      typeof one === "string" &&
      /^[\w -]+$/.test(one) &&
      /[a-z]/i.test(one) &&
      lower.get(one.toLowerCase()) === 1,
  );
  if (name === undefined)
    return put("unknown", null, "not observable: no suitable sender ID is listed");
  const exact = await session.get(pathOf(name));
  if (exact.kind !== "success") {
    return put("unknown", null, `a listed sender ID by its exact name: ${whyUnclear(exact)}`);
  }
  const other = await session.get(pathOf(swapCase(name)));
  evidence.note("other", "a sender ID in other letter case", other);
  const how = "a listed sender ID, by its name in other letter case";
  if (other.kind === "success") return put("differs", "any case", how);
  if (other.kind === "refused") return put("same", "exact", how);
  return put("unknown", null, whyUnclear(other));
}

function pathOf(name: string): string {
  return `${senderIdList}/${encodeURIComponent(name)}`;
}

/** Requests paths outside of `/v1`. */
async function probeOtherPaths({ session, findings, target }: Experiment): Promise<void> {
  const version = `/v${2 + Number.parseInt(target.hex(2), 16)}/group`;
  const put = (topic: string, engine: string, path: string, outcome: Outcome): void => {
    const status = statusOf(outcome);
    const observed = status === undefined ? null : textOf(outcome, status);
    findings.other({
      number: 26,
      topic,
      engine,
      verdict: observed === null ? "unknown" : observed === engine ? "same" : "differs",
      observed,
      how: observed === null ? whyUnclear(outcome) : `GET ${path}`,
    });
  };
  put("paths of another version", "HTTP 404", version, await session.get(version));
  put("/healthz", "HTTP 200", "/healthz", await session.get("/healthz", "none"));
}

function statusOf(outcome: Outcome): number | undefined {
  return outcome.kind === "missing" ? undefined : outcome.status;
}

function textOf(outcome: Outcome, status: number): string {
  const isOdd = outcome.kind === "refused" && status < 300;
  return `HTTP ${status}${isOdd ? " with status false" : ""}`;
}
