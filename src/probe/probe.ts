import {
  contradictionsIn,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
} from "../contract/behaviour.ts";
import { createEvidence, createFindings, type Finding, type Verdict } from "./findings.ts";
import { runExperiments, Inconclusive, type Bench } from "./experiment.ts";
import { pageNumbers, readExperiments } from "./reads.ts";
import { createScratchBench, wholeCreate } from "./scratch/bench.ts";
import { scratchExperiments } from "./scratch/experiments.ts";
import { createScratchGroups, type Leftover, type ScratchGroups } from "./scratch/groups.ts";
import { createSession, limited, type ProbeTarget, type Session } from "./session.ts";
import { SendctlError } from "../core/error.ts";
import { groupList, listPageOf, senderIdList, type Outcome, type Refused } from "./outcome.ts";

/** Maximum number of GET requests without scratch groups, and with them. */
const maxReads = 25;
const maxReadsWithScratch = 100;

/** Page size for looking up groups, if the service accepts it. */
const lookupSize = 100;

/** The switch of sender IDs, which a probe does not create. */
const neverFound: SwitchName = "sender_id_create_requires";

export interface ProbeOptions {
  /** Whether groups may be created, changed and deleted. */
  readonly hasScratch: boolean;
  /** Called before the first group is created. @param names the beginning of all names */
  readonly announce: (names: string) => Promise<void>;
  /** Called at the end, also after a signal or an error, if groups were created and may still exist. */
  readonly left: (leftovers: readonly Leftover[]) => Promise<void>;
}

export interface ProbeResult {
  readonly findings: readonly Finding[];
  /** The switches whose values are known. */
  readonly behaviour: PartialBehaviour;
  /** Number of requests by method. */
  readonly requests: Readonly<Record<string, number>>;
  /** Signs of a rate limit: names of headers, and `HTTP 429`. */
  readonly limits: readonly string[];
  readonly leftovers: readonly Leftover[];
}

/**
 * Finds out how a service behaves where the specification is silent.
 *
 * @throws SendctlError if the list of groups cannot be read: see `readFirstLists`; "cancelled" or "terminated" after
 *   a signal
 */
export async function probe(target: ProbeTarget, options: ProbeOptions): Promise<ProbeResult> {
  const { hasScratch } = options;
  const session = createSession(target, hasScratch ? maxReadsWithScratch : maxReads);
  const findings = createFindings();
  const evidence = createEvidence();
  const lists = await readFirstLists(session, target);
  const bench: Bench = { session, findings, evidence, target, ...lists };
  await runExperiments(readExperiments, bench);
  const scratch = hasScratch ? await probeWithScratchGroups(bench, options) : undefined;
  session.throwIfStopped();
  evidence.conclude(findings);
  for (const name of switchNames.filter(findings.isOpen)) {
    findings.put(name, { unknown: whyOpen(name, findings.isOpen, scratch?.failure) }, "");
  }
  return {
    findings: findings.all(),
    behaviour: consistent(findings.behaviour()),
    requests: { ...session.counts },
    limits: [...session.limits].toSorted(),
    leftovers: scratch?.leftovers ?? [],
  };
}

/**
 * Runs the experiments that need groups. Every group is deleted, whatever happens.
 *
 * @returns those that remain, and why no group was created
 */
async function probeWithScratchGroups(
  bench: Bench,
  { announce, left }: ProbeOptions,
): Promise<{ readonly leftovers: readonly Leftover[]; readonly failure: string | undefined }> {
  const { session, findings, target } = bench;
  const run = `sendctl-probe-${target.hex(12)}`;
  const groups = createScratchGroups(session, run, () => {
    const max = findings.valueOf("per_page_max");
    return typeof max === "number" ? Math.min(max, lookupSize) : undefined;
  });
  await announce(`${run}-…`);
  let leftovers: readonly Leftover[] = [];
  let failure: string | undefined;
  try {
    failure = await runWith(bench, groups);
  } finally {
    leftovers = await groups.removeAll();
    if (leftovers.length > 0) await left(leftovers);
  }
  if (failure === undefined) {
    const { created, deleted } = groups.statuses;
    findings.put("create_status", statusOf(created), "the responses to creates");
    findings.put("delete_status", statusOf(deleted), "the responses to deletes");
  }
  return { leftovers, failure };
}

/** Creates the first group, and runs the experiments with it. @returns why it was not created */
async function runWith(bench: Bench, groups: ScratchGroups): Promise<string | undefined> {
  const failed = "no scratch group could be created";
  try {
    const first = await groups.create(wholeCreate);
    if (!("kind" in first)) {
      await runExperiments(scratchExperiments, createScratchBench(bench, groups, first));
      return undefined;
    }
    const { status } = first;
    const isForbidden = status === 401 || status === 403;
    return isForbidden
      ? `not permitted (HTTP ${status})`
      : `${failed}: the service refused it (HTTP ${status})`;
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    return `${failed}: ${error.message}`;
  }
}

/** Returns the verdict on the status of successful requests. */
function statusOf(statuses: readonly number[]): Verdict {
  const seen = [...new Set(statuses)];
  if (seen.length === 0) return { unknown: "no response to one arrived" };
  return seen.length === 1 ? { value: seen[0] } : { description: seen.join(" or ") };
}

/** Returns why nothing was found out about a switch. @param failure why no scratch group was created */
function whyOpen(
  name: SwitchName,
  isOpen: (name: SwitchName) => boolean,
  failure: string | undefined,
): string {
  if (name === neverFound) return "not observable: no sender ID is created";
  if (failure !== undefined) return failure;
  if (name === "taken_status" && !isOpen("group_name_unique")) {
    return "not observable: group names need not be unique";
  }
  return pageNumbers.finds.includes(name)
    ? "not observable: no list has two records; --scratch-group creates them"
    : "needs --scratch-group";
}

/** Removes switches that contradict others, also those whose values are unknown and taken from the engine. */
function consistent(behaviour: PartialBehaviour): PartialBehaviour {
  const [contradiction] = contradictionsIn(behaviour);
  if (contradiction === undefined) return behaviour;
  const [first, second] = contradiction.pair;
  const { [behaviour[second] === undefined ? first : second]: _, ...rest } = behaviour;
  return consistent(rest);
}

/**
 * Reads both lists, without a page size.
 *
 * @throws SendctlError if the list of groups cannot be read: "auth" for a rejected key, "unavailable" without a
 *   response, "unexpected_response" for a response that is not the service's
 */
async function readFirstLists(
  session: Session,
  target: ProbeTarget,
): Promise<Pick<Bench, "groups" | "senderIds">> {
  const first = await session.get(groupList);
  const groups = listPageOf(first);
  if (groups === undefined) throw await listFailure(session, target, first);
  return { groups, senderIds: listPageOf(await session.get(senderIdList))?.records ?? [] };
}

async function listFailure(
  session: Session,
  { name, keyHint }: ProbeTarget,
  outcome: Outcome,
): Promise<SendctlError> {
  session.throwIfStopped();
  if (outcome.kind === "missing") {
    const { why, hint } = outcome;
    return session.limits.has(limited)
      ? new SendctlError("rate_limited", `${name}: ${why}`, { hint })
      : new SendctlError("unavailable", why, { hint });
  }
  const { status: httpStatus } = outcome;
  const http = `(HTTP ${httpStatus})`;
  if (outcome.kind === "refused") {
    return [401, 403].includes(httpStatus) || (await refusesAnyKey(session, outcome))
      ? new SendctlError("auth", `${name} rejected the key ${http}`, { httpStatus, hint: keyHint })
      : new SendctlError("invalid", `${name} refused the list of groups ${http}`, { httpStatus });
  }
  if (httpStatus >= 500) {
    return new SendctlError("unavailable", `${name} sent HTTP ${httpStatus}`, { httpStatus });
  }
  const problem = outcome.kind === "failed" ? outcome.why : "`data.data` is not a list of records";
  return new SendctlError("unexpected_response", `unexpected response from ${name}: ${problem}`, {
    httpStatus,
    hint: "check the base URL",
  });
}

/** Returns whether a random key is refused in the same way, as by a service whose refusals all have HTTP 200. */
async function refusesAnyKey(session: Session, { text }: Refused): Promise<boolean> {
  const other = await session.get(groupList, "unknown");
  return other.kind === "refused" && other.text === text;
}
