import type { SwitchName } from "../contract/behaviour.ts";
import type { Findings, Verdicts } from "./findings.ts";
import {
  explainInconclusive,
  type Fields,
  type ListPage,
  type Outcome,
  type Refused,
  type Success,
} from "./outcome.ts";
import type { Refusals } from "./refusals.ts";
import type { ProbeTarget, Session } from "./session.ts";

/** What every experiment uses. */
export interface Bench {
  readonly session: Session;
  readonly findings: Findings;
  readonly refusals: Refusals;
  readonly target: ProbeTarget;
  /** The first page of the groups. */
  readonly groups: ListPage;
  /** The listed sender IDs; none if their list cannot be read. */
  readonly senderIds: readonly Fields[];
}

/** Requests, and what their responses mean. */
export interface Experiment<On extends Bench = Bench> {
  /** The switches that it finds out. They are unknown if a response is unclear. */
  readonly finds: readonly SwitchName[];
  /** Sends the requests. Switches that it leaves out stay as they are. @throws Inconclusive */
  readonly run: (bench: On) => Promise<Verdicts>;
}

/** An outcome that does not answer the question of an experiment. */
export class Inconclusive extends Error {}

/** Returns an outcome that shows what the service does. @throws Inconclusive */
export function conclusive(outcome: Outcome): Success | Refused {
  if (outcome.kind === "success" || outcome.kind === "refused") return outcome;
  throw new Inconclusive(explainInconclusive(outcome));
}

/** Runs experiments one after the other, and records what they find. */
export async function runExperiments<On extends Bench>(
  experiments: readonly Experiment<On>[],
  bench: On,
): Promise<void> {
  for (const { finds, run } of experiments) {
    const verdicts = await run(bench).catch((error: unknown): Verdicts => {
      if (!(error instanceof Inconclusive)) throw error;
      return Object.fromEntries(finds.map((name) => [name, { unknown: error.message }]));
    });
    bench.findings.put(verdicts);
  }
}
