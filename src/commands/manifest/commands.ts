import { exitCodes } from "../../output/exit-codes.ts";
import { makePlan, manifestFiles, planOptions, readDesiredState } from "./desired-state.ts";
import { defineCommand } from "../../command/define-command.ts";
import { readMemory } from "./memory.ts";
import { refuseDryRun, wholeNumber } from "../../command/arguments.ts";
import { reportPlan } from "./show-plan.ts";
import { apply } from "./apply.ts";
import { exportRecords } from "./export.ts";

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
  async run(context, { manifests }, options) {
    refuseDryRun(context, "this command changes nothing");
    const maxDeletes = wholeNumber(options.maxDeletes, "--max-deletes", 0)!;
    const files = [...manifests, ...options.file];
    const manifest = await readDesiredState(context, files, options.envPrefix, false);
    if (typeof manifest === "number") return manifest;
    await context.target.announce();
    const memory = await readMemory(context);
    const plan = await makePlan(context, context.service, manifest, options, memory);
    if (typeof plan === "number") return plan;
    const count = await reportPlan(context, plan, maxDeletes);
    return count === 0 ? exitCodes.done : exitCodes.differences;
  },
});

/** `sendctl apply`, `sendctl diff` and `sendctl export`. */
export const commands = [apply, diff, exportRecords];
