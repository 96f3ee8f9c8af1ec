import {
  contradictionsIn,
  switches,
  type PartialBehaviour,
  type SwitchName,
} from "../contract/behaviour.ts";
import { createEvidence } from "./evidence.ts";
import type { Experiment } from "./experiment.ts";
import { createFindings, type Finding } from "./findings.ts";
import { groupList, readFirstLists, senderIdList, type FirstLists } from "./read/first-lists.ts";
import { listPageOf } from "./list-page.ts";
import { pagedList, probePageNumbers, type PagedList } from "./read/page-number.ts";
import { probeInvalidSize, probeLargestSize } from "./read/page-size.ts";
import { probeRefusals } from "./read/refusals.ts";
import type { Leftover } from "./scratch/groups.ts";
import { probeWithScratchGroups } from "./scratch/probe-scratch.ts";
import { createSession, type Session } from "./session.ts";
import type { ProbeTarget } from "./target.ts";

/** Maximum number of GET requests without scratch groups, and with them. */
const maxReads = 25;
const maxReadsWithScratch = 100;

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
  const experiment: Experiment = { session, findings, evidence: createEvidence(), target };
  const lists = await readFirstLists(experiment);
  await probeRefusals(experiment, lists);
  await probeInvalidSize(experiment);
  await probePages(experiment, lists);
  await probeLargestSize(experiment);
  const leftovers = hasScratch ? await probeWithScratchGroups(experiment, lists, options) : [];
  session.throwIfStopped();
  experiment.evidence.conclude(findings);
  judgeLimits(session, experiment);
  return {
    findings: findings.all(whyOpen),
    behaviour: consistent(findings.behaviour()),
    requests: session.counts(),
    leftovers,
  };
}

async function probePages(experiment: Experiment, lists: FirstLists): Promise<void> {
  const ofGroups = await withTwoRecords(experiment, { path: groupList, first: lists.groups });
  const list = pagedList([
    ofGroups,
    ...(lists.senderIds === undefined ? [] : [{ path: senderIdList, first: lists.senderIds }]),
  ]);
  if (list !== undefined) await probePageNumbers(experiment, list);
}

/** Reads the list again with a larger page size if the default one shows a single record. */
async function withTwoRecords({ session }: Experiment, list: PagedList): Promise<PagedList> {
  const { records, total } = list.first;
  if (records.length >= 2 || (total ?? 0) < 2) return list;
  const first = listPageOf(await session.get(`${list.path}?perPage=10`));
  return first === undefined ? list : { ...list, first };
}

/** Returns why nothing was found out about a switch. */
function whyOpen(name: SwitchName): string {
  if (switches[name].observed === "never") return "not observable: no sender ID is created";
  if (switches[name].observed === "scratch") return "needs --scratch-group";
  const needsRecords = name === "page_parameter" || name === "past_the_end";
  return needsRecords
    ? "not observable: no list has two records; --scratch-group creates them"
    : "not observable";
}

function judgeLimits(session: Session, { findings, target }: Experiment): void {
  const { headers, wasLimited } = session.limits();
  const seen = [...headers.toSorted(), ...(wasLimited ? ["HTTP 429"] : [])].join(", ");
  findings.other({
    number: 24,
    topic: "signs of a rate limit in responses",
    engine: "none",
    ...(target.isHttp
      ? {
          verdict: seen === "" ? "same" : "differs",
          observed: seen === "" ? "none" : seen,
          how: "all responses; no limit was provoked",
        }
      : { verdict: "unknown", observed: null, how: "not observable in this process" }),
  });
}

/** Removes switches that contradict others, also those whose values are unknown and taken from the engine. */
function consistent(behaviour: PartialBehaviour): PartialBehaviour {
  const [contradiction] = contradictionsIn(behaviour);
  if (contradiction === undefined) return behaviour;
  const { one, other } = contradiction;
  const { [behaviour[other] === undefined ? one : other]: _, ...rest } = behaviour;
  return consistent(rest);
}
