import {
  contradictionsIn,
  isAllowed,
  ownBehaviour,
  switches,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";
import type { Page, ShownRecord } from "../contract/service.ts";
import { cut, safeText } from "../core/text.ts";
import { createBench, createScratchLab, type Lab, type Leftover } from "./bench.ts";
import { experiments, type Experiment, type Seen } from "./experiments.ts";
import { createRequests, Unknown, type ProbeTarget } from "./requests.ts";

/** What was found out about one switch. */
export interface Finding {
  /** Number of its ruling. */
  readonly number: number;
  /** The switch of a behaviour file. */
  readonly switch: SwitchName;
  readonly topic: string;
  readonly verdict: "same" | "differs" | "unknown";
  readonly engine: SwitchValue;
  /** The value of the switch, or a text if none describes the service; null if unknown. */
  readonly observed: SwitchValue | null;
  /** Why it is unknown; null otherwise. */
  readonly reason: string | null;
}

/** What experiments have found: a value, or the reason why it is unknown. */
type Found = Map<SwitchName, { readonly value?: SwitchValue; readonly reason?: string }>;

interface ProbeOptions {
  /** The first page of the groups, without a page size. */
  readonly groups: Page<ShownRecord>;
  /** Whether groups may be created, changed and deleted. */
  readonly hasScratch: boolean;
  /** Called before the first group is created. @param names the beginning of all names */
  readonly announce: (names: string) => Promise<void>;
  /** Called at the end, also after a signal or an error, with groups that may still exist. */
  readonly left: (leftovers: readonly Leftover[]) => Promise<void>;
}

export type ProbeResult = Awaited<ReturnType<typeof probe>>;

/** Finds out how a service behaves. @throws SendctlError after a signal */
export async function probe(target: ProbeTarget, options: ProbeOptions) {
  const requests = createRequests(target);
  const bench = createBench(target, requests);
  const found: Found = new Map();
  const { groups } = options;
  const lab: Lab = { ...requests, ...bench, groups, known: (name) => valueOf(found, name) };
  let leftovers: readonly Leftover[] = [];
  let reason = "needs --scratch-group";
  await takeStep(found, ({ read }) => read?.(lab));
  if (options.hasScratch) {
    await options.announce(`${bench.prefix}-…`);
    try {
      reason = await useScratchGroups(found, lab);
    } finally {
      leftovers = await bench.removeAll();
      if (leftovers.length > 0) await options.left(leftovers);
    }
  }
  requests.throwIfStopped();
  await takeStep(found, ({ conclude }) => conclude?.(lab));
  return {
    findings: switchNames.map((name) => findingOf(found, name, reason)),
    behaviour: behaviourOf(found),
    leftovers,
  };
}

/** Takes a step of each experiment that has not found a value yet. */
async function takeStep(found: Found, step: (experiment: Experiment) => Seen): Promise<void> {
  for (const name of switchNames) {
    if (found.get(name)?.value !== undefined) continue;
    try {
      const value = await step(experiments[name]);
      if (value !== undefined) found.set(name, { value });
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      found.set(name, { reason: error.message });
    }
  }
}

/** Runs the experiments that need groups. @returns why the other switches are unknown */
async function useScratchGroups(found: Found, lab: Lab): Promise<string> {
  const failed = "no scratch group could be created";
  try {
    const first = await lab.create({});
    if (first === undefined) {
      const { status } = lab.refusals.pop()!;
      return `${failed}: the service refused it (HTTP ${status})`;
    }
    const scratchLab = createScratchLab(lab, first);
    await takeStep(found, ({ scratch }) => scratch?.(scratchLab));
    return "no response shows it";
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return `${failed}: ${error.message}`;
  }
}

/** Returns the value of a switch; undefined if it is unknown, or if none fits. */
function valueOf(found: Found, name: SwitchName): SwitchValue | undefined {
  const value = found.get(name)?.value;
  return isAllowed(name, value) ? value : undefined;
}

/** @param open why a switch is unknown that no experiment has tried to find */
function findingOf(found: Found, name: SwitchName, open: string): Finding {
  const { ruling: number, about: topic } = switches[name];
  const engine = ownBehaviour[name];
  const { value, reason = open } = found.get(name) ?? {};
  const of = { number, switch: name, topic, engine };
  if (value === undefined) {
    return { ...of, verdict: "unknown", observed: null, reason: safeText(reason) };
  }
  const observed = valueOf(found, name) ?? safeText(cut(String(value), 80));
  return { ...of, verdict: value === engine ? "same" : "differs", observed, reason: null };
}

/** Returns the switches whose values are known, without those that contradict each other. */
function behaviourOf(found: Found): PartialBehaviour {
  const known = switchNames.flatMap((name) => {
    const value = valueOf(found, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const pairs = new Set(contradictionsIn(Object.fromEntries(known)).flatMap(({ pair }) => pair));
  return Object.fromEntries(known.filter(([name]) => !pairs.has(name)));
}
