import type { Capabilities } from "../../cli/capabilities.ts";
import type { Service } from "../../contract/service.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { execute } from "../../plan/execute.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { makePlan } from "./desired-state.ts";
import { errorOfOutcomes, outcomeLine } from "./plan-outcome.ts";
import { changingSteps } from "./plan-text.ts";

/**
 * Creates the records of a manifest in an empty service.
 *
 * @param step called after each record; an error that it throws stops the work
 * @returns the exit code; failures have been reported
 */
export async function fillService(
  context: Capabilities,
  service: Service,
  manifest: Manifest,
  step: () => void,
): Promise<ExitCode> {
  const plan = await makePlan(context, service, manifest, {});
  if (typeof plan === "number") return plan;
  const outcomes = await execute(changingSteps(plan), {
    service,
    isListed: plan.isListed,
    warn: context.output.warn,
    report: async (outcome) => {
      step();
      if (outcome.outcome !== "done") await context.output.complain(outcomeLine(outcome));
    },
  });
  const error = errorOfOutcomes(outcomes);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}
