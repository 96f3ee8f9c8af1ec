import type { Evidence } from "./evidence.ts";
import type { Findings } from "./findings.ts";
import type { Session } from "./session.ts";
import type { ProbeTarget } from "./target.ts";

/** What every experiment uses. */
export interface Experiment {
  readonly session: Session;
  readonly findings: Findings;
  readonly evidence: Evidence;
  readonly target: ProbeTarget;
}
