import type { Capabilities } from "../../cli/capabilities.ts";
import type { Service } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { execute } from "../../plan/execute.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { makePlan } from "./desired-state.ts";
import { exitCodeOfOutcomes, outcomeLine } from "./plan-outcome.ts";
import { changingSteps } from "./plan-text.ts";

/**
 * Creates what a manifest names in a service that has nothing yet.
 *
 * @param step called after each of them; what it throws ends the filling
 * @returns "done", or another exit code once it was told what is wrong
 */
export async function fillService(
  context: Capabilities,
  service: Service,
  manifest: Manifest,
  step: () => void,
): Promise<ExitCode> {
  const nothingElse = { prune: false, replace: false, resendSenderId: false };
  const plan = await makePlan(context, service, manifest, nothingElse);
  if (typeof plan === "number") return plan;
  const outcomes = await execute(changingSteps(plan), {
    service,
    sleep: context.clock.sleep,
    report: async (outcome) => {
      step();
      if (outcome.outcome !== "done") await context.output.complain(outcomeLine(outcome));
    },
  });
  return exitCodeOfOutcomes(outcomes) ?? exitCodes.done;
}
