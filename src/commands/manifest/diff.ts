import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import {
  makePlan,
  mostDeletes,
  readDesiredState,
  type DesiredStateOptions,
} from "./desired-state.ts";
import {
  changingSteps,
  notComparedLine,
  stepRecord,
  stepText,
  stepView,
  storedLines,
  summaryLine,
  summaryOf,
} from "./plan-text.ts";
import { defineCommand } from "../../cli/define-command.ts";
import { recalled } from "./memory.ts";
import { planOptions } from "./plan-options.ts";

export const diff = defineCommand({
  path: "diff",
  description: "Show what apply would change, field by field, and change nothing.",
  options: planOptions,
  exitCodes: [
    [0, "no differences"],
    [12, "the service differs from the manifest"],
  ],
  examples: ["sendctl diff -f sendctl.yaml", "sendctl diff -f sendctl.yaml --prune --json"],
  async run(context, _, options) {
    return showDifferences(context, options);
  },
});

/** Shows what `apply` would do, and does nothing. */
async function showDifferences(
  context: Capabilities,
  options: DesiredStateOptions,
): Promise<ExitCode> {
  const most = mostDeletes(options);
  const manifest = await readDesiredState(context, options, false);
  if (typeof manifest === "number") return manifest;
  const plan = await makePlan(
    context,
    context.service,
    manifest,
    {
      prune: options.prune === true,
      replace: options.replace === true,
      resendSenderId: options.resendSenderId === true,
    },
    await recalled(context),
  );
  if (typeof plan === "number") return plan;
  const changes = changingSteps(plan);
  const count = changes.length;
  const message =
    count === 0 ? "No differences" : count === 1 ? "1 difference" : `${count} differences`;
  const { notManaged, notCompared, steps } = plan;
  await context.output.report({
    message,
    // Made only where they are printed: there may be a million steps.
    get data() {
      const summary = {
        ...summaryOf(plan),
        not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
        not_compared: notCompared,
      };
      return { summary, steps: steps.map(stepRecord) };
    },
    *text({ style }) {
      for (const step of changes) yield `${stepText(step, style)}\n`;
    },
    get records() {
      return { items: changes.map(stepRecord), view: stepView };
    },
  });
  await context.output.say(`${message} · ${summaryLine(plan)}`);
  const remark = notComparedLine(plan);
  if (remark !== undefined) await context.output.say(remark);
  for (const line of storedLines(plan)) await context.output.warn(line);
  const deletes = summaryOf(plan).delete;
  if (deletes > most) {
    await context.output.warn(`apply would refuse to delete ${deletes}: --max-deletes is ${most}`);
  }
  return count === 0 ? exitCodes.done : exitCodes.differences;
}
