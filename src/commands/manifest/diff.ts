import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import {
  makePlan,
  maxDeletesOf,
  readDesiredState,
  type DesiredStateOptions,
} from "./desired-state.ts";
import { defineCommand } from "../../cli/define-command.ts";
import { readMemory } from "./memory.ts";
import { manifestFiles, planOptions } from "./plan-options.ts";
import { refuseDryRun } from "../arguments.ts";
import { reportPlan } from "./report-plan.ts";

export const diff = defineCommand({
  path: "diff",
  description: "Show what apply would change, field by field, without changing anything.",
  args: { manifests: manifestFiles },
  options: planOptions,
  exitCodes: [
    [0, "no differences"],
    [12, "the service differs from the manifest"],
  ],
  examples: ["sendctl diff sendctl.yaml", "sendctl diff sendctl.yaml --prune --json"],
  async run(context, { manifests }, { file, ...options }) {
    return showDifferences(context, { ...options, file: [...manifests, ...file] });
  },
});

/** Shows what `apply` would do. */
async function showDifferences(
  context: Capabilities,
  options: DesiredStateOptions,
): Promise<ExitCode> {
  refuseDryRun(context, "this command changes nothing");
  const maxDeletes = maxDeletesOf(options);
  const manifest = await readDesiredState(context, options, false);
  if (typeof manifest === "number") return manifest;
  await context.target.announce();
  const memory = await readMemory(context);
  const plan = await makePlan(context, context.service, manifest, options, memory);
  if (typeof plan === "number") return plan;
  const count = await reportPlan(context, plan, maxDeletes);
  return count === 0 ? exitCodes.done : exitCodes.differences;
}
