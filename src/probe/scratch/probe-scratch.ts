import { switchNames, type SwitchName } from "../../contract/behaviour.ts";
import { runExperiments, Unclear, type Bench } from "../experiment.ts";
import type { Verdict } from "../findings.ts";
import { createScratchBench, wholeCreate } from "./bench.ts";
import { scratchExperiments } from "./experiments.ts";
import { createScratchGroups, type Leftover, type ScratchGroups } from "./groups.ts";

interface ScratchOptions {
  readonly announce: (names: string) => Promise<void>;
  readonly left: (leftovers: readonly Leftover[]) => Promise<void>;
}

/** The switch of sender IDs, which a probe does not create. */
export const neverFound: SwitchName = "sender_id_create_requires";

/** Page size for looking up groups, if the service accepts it. */
const lookupSize = 100;

/** Runs the experiments that need groups. Every group is deleted, whatever happens. @returns those that remain */
export async function probeWithScratchGroups(
  bench: Bench,
  { announce, left }: ScratchOptions,
): Promise<readonly Leftover[]> {
  const { session, findings, target } = bench;
  const groups = createScratchGroups(session, target.hex, () => {
    const max = findings.valueOf("per_page_max");
    return typeof max === "number" ? Math.min(max, lookupSize) : undefined;
  });
  await announce(`${groups.run}-…`);
  let leftovers: readonly Leftover[] = [];
  let why: string | undefined;
  try {
    why = await runWith(bench, groups);
  } finally {
    leftovers = await groups.removeAll();
    if (leftovers.length > 0) await left(leftovers);
  }
  if (why === undefined) {
    const { created, deleted } = groups.statuses;
    findings.put("create_status", statusOf(created), "the responses to creates");
    findings.put("delete_status", statusOf(deleted), "the responses to deletes");
  } else {
    for (const name of switchNames.filter((one) => findings.isOpen(one) && one !== neverFound)) {
      findings.put(name, { unknown: why }, "");
    }
  }
  return leftovers;
}

/** Returns the verdict on the status of successful requests. */
function statusOf(statuses: readonly number[]): Verdict {
  const seen = [...new Set(statuses)];
  if (seen.length === 0) return { unknown: "no response to one arrived" };
  return seen.length === 1 ? { value: seen[0] } : { odd: seen.join(" or ") };
}

/** Creates the first group, and runs the experiments with it. @returns why it was not created */
async function runWith(bench: Bench, groups: ScratchGroups): Promise<string | undefined> {
  try {
    const first = await groups.create(wholeCreate);
    if (!("kind" in first)) {
      await runExperiments(scratchExperiments, createScratchBench(bench, groups, first));
      return undefined;
    }
    const { status } = first;
    return status === 401 || status === 403
      ? `not permitted (HTTP ${status})`
      : `no scratch group could be created: the service refused it (HTTP ${status})`;
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    return `no scratch group could be created: ${error.message}`;
  }
}
