import {
  contradictionsIn,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
} from "../contract/behaviour.ts";
import { createEvidence } from "./evidence.ts";
import { runExperiments, type Bench, type Experiment } from "./experiment.ts";
import { createFindings, type Finding } from "./findings.ts";
import { defaultSize, listedRecords, readFirstLists } from "./read/lists.ts";
import { invalidSize, largestSize, pageNumbers } from "./read/pages.ts";
import { letterCase, otherPaths, refusedRequests } from "./read/refusals.ts";
import type { Leftover } from "./scratch/groups.ts";
import { neverFound, probeWithScratchGroups } from "./scratch/probe-scratch.ts";
import { createSession } from "./session.ts";
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
  const evidence = createEvidence();
  const lists = await readFirstLists(session, target);
  const bench: Bench = { session, findings, evidence, target, lists };
  await runExperiments(readExperiments, bench);
  const leftovers = hasScratch ? await probeWithScratchGroups(bench, options) : [];
  session.throwIfStopped();
  evidence.conclude(findings);
  judgeLimits(bench);
  for (const name of switchNames.filter(findings.isOpen)) {
    findings.put(name, { unknown: whyOpen(name) }, "");
  }
  return {
    findings: findings.all(),
    behaviour: consistent(findings.behaviour()),
    requests: session.counts(),
    leftovers,
  };
}

/** The experiments that change nothing, in the order in which they run. */
const readExperiments: readonly Experiment[] = [
  defaultSize,
  listedRecords,
  refusedRequests,
  letterCase,
  otherPaths,
  invalidSize,
  pageNumbers,
  largestSize,
];

/** Returns why nothing was found out about a switch. */
function whyOpen(name: SwitchName): string {
  if (name === neverFound) return "not observable: no sender ID is created";
  return pageNumbers.finds.includes(name)
    ? "not observable: no list has two records; --scratch-group creates them"
    : "needs --scratch-group";
}

function judgeLimits({ session, findings, target }: Bench): void {
  const { headers, wasLimited } = session.limits();
  const seen = [...headers.toSorted(), ...(wasLimited ? ["HTTP 429"] : [])].join(", ");
  findings.other(
    { number: 24, topic: "signs of a rate limit in responses", engine: "none" },
    target.isHttp ? seen || "none" : undefined,
    target.isHttp ? "all responses; no limit was provoked" : "not observable in this process",
  );
}

/** Removes switches that contradict others, also those whose values are unknown and taken from the engine. */
function consistent(behaviour: PartialBehaviour): PartialBehaviour {
  const [contradiction] = contradictionsIn(behaviour);
  if (contradiction === undefined) return behaviour;
  const { one, other } = contradiction;
  const { [behaviour[other] === undefined ? one : other]: _, ...rest } = behaviour;
  return consistent(rest);
}
