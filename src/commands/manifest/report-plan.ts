import type { Capabilities } from "../../cli/capabilities.ts";
import { wrapLines } from "../../output/table/wrap-lines.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  changingSteps,
  stepRecord,
  stepText,
  stepView,
  summaryLine,
  summaryOf,
} from "./plan-text.ts";
import { remarkOn, renamesRecord } from "./plan-warnings.ts";

/**
 * Shows a plan as the result of `diff` or `apply --dry-run`.
 *
 * @param maxDeletes number of deletes above which `apply` refuses the plan
 * @returns the number of differences
 */
export async function reportPlan(
  { output }: Pick<Capabilities, "output">,
  plan: Plan,
  maxDeletes: number,
): Promise<number> {
  const changes = changingSteps(plan);
  const count = changes.length;
  const message =
    count === 0 ? "No differences" : count === 1 ? "1 difference" : `${count} differences`;
  const { notManaged, notCompared, steps } = plan;
  await output.report({
    message,
    // Computed only when printed: there may be a million steps.
    get data() {
      const summary = {
        ...summaryOf(steps),
        not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
        not_compared: notCompared,
      };
      return { summary, ...renamesRecord(plan), steps: steps.map(stepRecord) };
    },
    async text({ style, width }) {
      const texts = function* (): Iterable<string> {
        for (const step of changes) yield `${stepText(step, style)}\n`;
      };
      return width === undefined ? texts() : [await wrapLines([...texts()].join(""), width)];
    },
    get records() {
      return { items: changes.map(stepRecord), view: stepView };
    },
  });
  await output.say(`${message} · ${summaryLine(plan)}`);
  await remarkOn(output, plan);
  const { deleted } = summaryOf(steps);
  if (deleted > maxDeletes) {
    await output.warn(
      `apply would refuse to delete ${deleted} records, because --max-deletes is ${maxDeletes}`,
    );
  }
  return count;
}
