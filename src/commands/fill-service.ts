import type { Context } from "../context.ts";
import type { Service } from "../contract/service.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { execute } from "../plan/execute.ts";
import { makePlan, readManifest } from "./desired-state.ts";
import { exitCodeOfOutcomes, outcomeLine } from "./plan-outcome.ts";
import { changingSteps } from "./plan-text.ts";

/**
 * Creates what a manifest names in a service that has nothing yet.
 *
 * @param files as `-f` names them
 * @returns "done", or another exit code once it was told what is wrong
 */
export async function fillService(
  context: Context,
  service: Service,
  files: readonly string[],
): Promise<ExitCode> {
  const manifest = await readManifest(context, files);
  if (typeof manifest === "number") return manifest;
  const nothingElse = { prune: false, replace: false, resendSenderId: false };
  const plan = await makePlan(context, service, manifest, nothingElse);
  if (typeof plan === "number") return plan;
  const outcomes = await execute(changingSteps(plan), {
    service,
    sleep: context.sleep,
    report: async (outcome) => {
      if (outcome.outcome !== "done") await context.complain(outcomeLine(outcome));
    },
  });
  return exitCodeOfOutcomes(outcomes) ?? exitCodes.done;
}
