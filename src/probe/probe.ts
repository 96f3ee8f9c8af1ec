import {
  contradictionsIn,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
} from "../contract/behaviour.ts";
import { allOf, createFindings, hidden, type Verdict } from "./findings.ts";
import { createRefusals } from "./refusals.ts";
import { runExperiments, Inconclusive, type Bench } from "./experiment.ts";
import { readExperiments } from "./reads.ts";
import { createScratchBench, wholeCreate } from "./scratch/trials.ts";
import { scratchExperiments } from "./scratch/experiments.ts";
import { createScratchGroups, type Leftover, type ScratchGroups } from "./scratch/groups.ts";
import { createSession, type ProbeTarget, type Session } from "./session.ts";
import { SendctlError } from "../core/error.ts";
import { groupList, listPageOf, senderIdList, type Outcome } from "./outcome.ts";

/** Maximum number of GET requests without scratch groups, and with them. */
const maxReads = 25;
const maxReadsWithScratch = 100;

export interface ProbeOptions {
  /** Whether groups may be created, changed and deleted. */
  readonly hasScratch: boolean;
  /** Called before the first group is created. @param names the beginning of all names */
  readonly announce: (names: string) => Promise<void>;
  /** Called with the names of the groups that exist, by their ids, whenever they change. */
  readonly remember?: (groups: ReadonlyMap<string, string>) => void;
  /** Called at the end, also after a signal or an error, if groups were created and may still exist. */
  readonly left: (leftovers: readonly Leftover[]) => Promise<void>;
}

export type ProbeResult = Awaited<ReturnType<typeof probe>>;

/**
 * Finds out how a service behaves where the specification is silent.
 *
 * @throws SendctlError if the list of groups cannot be read: see `readFirstLists`; "cancelled" or "terminated" after
 *   a signal
 */
export async function probe(target: ProbeTarget, options: ProbeOptions) {
  const { hasScratch } = options;
  const session = createSession(target, hasScratch ? maxReadsWithScratch : maxReads);
  const findings = createFindings();
  const refusals = createRefusals();
  const lists = await readFirstLists(session, target);
  const bench: Bench = { session, findings, refusals, target, ...lists };
  await runExperiments(readExperiments, bench);
  const scratch = hasScratch ? await probeWithScratchGroups(bench, options) : undefined;
  session.throwIfStopped();
  refusals.conclude(findings);
  for (const name of switchNames.filter(findings.isOpen)) {
    findings.put({ [name]: openVerdict(name, scratch) });
  }
  return {
    findings: findings.all(),
    /** The switches whose values are known. */
    behaviour: consistent(findings.behaviour()),
    /** Number of requests by method. */
    requests: session.counts,
    leftovers: scratch?.leftovers ?? [],
  };
}

interface ScratchResult {
  readonly leftovers: readonly Leftover[];
  /** Why no group was created. */
  readonly failure: string | undefined;
}

/** Runs the experiments that need groups. Every group is deleted, whatever happens. */
async function probeWithScratchGroups(
  bench: Bench,
  { announce, left, remember }: ProbeOptions,
): Promise<ScratchResult> {
  const { session, findings, target } = bench;
  const run = `sendctl-probe-${target.hex(12)}`;
  const groups = createScratchGroups(session, run, remember);
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
    findings.put({ create_status: allOf(created), delete_status: allOf(deleted) });
  }
  return { leftovers, failure };
}

/** Creates the first group, and runs the experiments with it. @returns why it was not created */
async function runWith(bench: Bench, groups: ScratchGroups): Promise<string | undefined> {
  const failed = "no scratch group could be created";
  try {
    const first = await groups.create(wholeCreate);
    if ("kind" in first) return `${failed}: the service refused it (HTTP ${first.status})`;
    await runExperiments(scratchExperiments, createScratchBench(bench, groups, first));
    return undefined;
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    return `${failed}: ${error.message}`;
  }
}

/** Returns the verdict on a switch that no experiment found out. */
function openVerdict(name: SwitchName, scratch: ScratchResult | undefined): Verdict {
  if (scratch === undefined) return { unknown: "needs --scratch-group" };
  return scratch.failure === undefined
    ? hidden("group names need not be unique")
    : { unknown: scratch.failure };
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
  if (groups === undefined) throw listFailure(session, target, first);
  return { groups, senderIds: listPageOf(await session.get(senderIdList))?.records ?? [] };
}

function listFailure(
  session: Session,
  { name, keyHint }: ProbeTarget,
  outcome: Outcome,
): SendctlError {
  session.throwIfStopped();
  if (outcome.kind === "missing") {
    const { why, hint } = outcome;
    return new SendctlError(session.isLimited() ? "rate_limited" : "unavailable", why, { hint });
  }
  const { kind, status: httpStatus } = outcome;
  if (kind === "refused") {
    const http = `(HTTP ${httpStatus})`;
    return [401, 403].includes(httpStatus)
      ? new SendctlError("auth", `${name} rejected the key ${http}`, { httpStatus, hint: keyHint })
      : new SendctlError("invalid", `${name} refused the list of groups ${http}`, { httpStatus });
  }
  if (httpStatus >= 500) {
    return new SendctlError("unavailable", `${name} sent HTTP ${httpStatus}`, { httpStatus });
  }
  const problem = kind === "failed" ? outcome.why : "`data.data` is not a list of records";
  return new SendctlError("unexpected_response", `unexpected response from ${name}: ${problem}`, {
    httpStatus,
    hint: "check the base URL",
  });
}
