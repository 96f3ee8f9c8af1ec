import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import { targetName } from "../../config/target.ts";
import { counted } from "../../core/text.ts";
import type { FormatName } from "../../output/formats/format.ts";
import { wrapLines } from "../../output/terminal.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { carrierWarning, placeholderWarning } from "../sms.ts";
import { planMarkdown, type PlanData } from "./plan-markdown.ts";
import {
  blockedBy,
  changingSteps,
  deletedTitle,
  planCounts,
  stepRecord,
  stepText,
  stepTitle,
  stepView,
  storedLines,
  summaryOf,
  summaryText,
} from "./step-text.ts";

/** The formats of a plan. Its steps are of several kinds, which do not fit into rows or ids. */
export const planFormats: readonly FormatName[] = ["table", "json", "jsonl", "yaml", "markdown"];

/**
 * Shows a plan as the result of `diff` or `apply --dry-run`.
 *
 * @param maxDeletes number of deletes above which `apply` refuses the plan
 * @returns the number of differences
 */
export async function reportPlan(
  { output, config }: Pick<Capabilities, "output" | "config">,
  plan: Plan,
  maxDeletes: number,
): Promise<number> {
  const changes = changingSteps(plan);
  const count = changes.length === 0 ? "No differences" : counted(changes.length, "difference");
  const { steps } = plan;
  const summary = summaryOf(steps);
  const counts = summaryLine(plan);
  const line = `${count} · ${counts}`;
  const heading = changes.length === 0 ? line : counts;
  const warnings = warningsOf(plan);
  if (summary.deleted > maxDeletes) {
    warnings.push(
      `apply would refuse to delete ${summary.deleted} records, because --max-deletes is ${maxDeletes}`,
    );
  }
  await output.report({
    message: `${count}${notComparedText(plan)}`,
    data: {
      ...planCounts(plan, summary),
      warnings: warnings.length === 0 ? undefined : warnings,
      steps: steps.map(stepRecord),
    },
    async text({ style, width }) {
      const texts = changes.map((step) => `${stepText(step, style)}\n`);
      return [await wrapLines(texts.join(""), width)];
    },
    records: { items: changes.map(stepRecord), view: stepView },
    markdown: (data) => planMarkdown(heading, data as PlanData, targetName(config.settings)),
  });
  await output.say(line);
  for (const warning of warnings) await output.warn(warning);
  return changes.length;
}

/** Shows the plan that `apply` carries out. @throws SendctlError "usage" if it deletes too many records */
export async function showPlan(
  { output }: Pick<Capabilities, "output">,
  plan: Plan,
  maxDeletes: number,
): Promise<void> {
  const { deleted } = summaryOf(plan.steps);
  if (deleted > maxDeletes) {
    throw new SendctlError(
      "usage",
      `--prune would delete ${deleted} records, but --max-deletes is ${maxDeletes}; nothing was sent`,
      { hint: `check with sendctl diff --prune, then pass --max-deletes ${deleted}` },
    );
  }
  for (const step of changingSteps(plan)) await output.say((style) => stepText(step, style));
  await output.say(summaryLine(plan));
  for (const warning of warningsOf(plan)) await output.warn(warning);
}

/** Returns the counts of a plan: `2 to create, 1 to update, 5 unchanged`. */
function summaryLine(plan: Plan): string {
  const { senderIds, groups } = plan.notManaged;
  const blocked = changingSteps(plan).filter((step) => blockedBy(step) !== undefined);
  const replaced = blocked.filter(({ action }) => action === "replace").length;
  const unlisted = blocked.length - replaced;
  const counts = [
    summaryText(summaryOf(plan.steps), "planned"),
    replaced === 0 ? "" : `${replaced} must be replaced`,
    unlisted === 0 ? "" : `${unlisted} not listed yet`,
  ];
  const others = [
    ...(senderIds === 0 ? [] : [counted(senderIds, "sender ID")]),
    ...(groups === 0 ? [] : [counted(groups, "group")]),
  ].join(" and ");
  const planned = counts.filter(Boolean).join(", ") || "0 records in the manifest";
  const rest = others === "" ? "" : ` · ${others} not in the manifest, left alone`;
  return `${planned}${rest}${notComparedText(plan)}`;
}

/** Returns what a plan says after its result if it did not compare everything. */
export function notComparedText({ notCompared }: Plan): string {
  if (notCompared === 0) return "";
  const [ids, them] = notCompared === 1 ? ["'s sender ID", "it"] : ["s' sender IDs", "them"];
  return ` · ${notCompared} group${ids} not compared (the service does not return ${them})`;
}

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Returns warnings about values that the service stores differently, about deleted groups that look renamed, and about
 * texts as a create or an update has them; for an undo, about what it does not restore.
 */
export function warningsOf(plan: Plan): string[] {
  if (plan.losses !== undefined) return plan.losses.map((loss) => `not restored: ${loss}`);
  const texts = plan.steps.flatMap((step) => {
    const text = textWarning(step);
    return text === undefined ? [] : `${stepTitle(step)}: ${text}`;
  });
  return [storedLines(plan), renameWarning(plan), texts].flatMap((lines) => {
    const more = lines.length - maxWarnings;
    const rest = more > 0 ? [`and ${more} more records like these`] : [];
    return [...lines.slice(0, maxWarnings), ...rest];
  });
}

/** Deleting a group deletes its contacts, which an update of its name would keep. */
function renameWarning({ steps }: Plan): readonly string[] {
  const groups = steps.filter(({ kind }) => kind === "group");
  const [deleted, ...deletes] = groups.filter(({ action }) => action === "delete");
  const [created, ...creates] = groups.filter(({ action }) => action === "create");
  const isClear = deletes.length === 0 && creates.length === 0;
  if (deleted === undefined || created === undefined || !isClear) return [];
  return [
    `${deletedTitle(deleted)} would be deleted and ${stepTitle(created)} created; to rename a group and keep its contacts, write its id beside the new name`,
  ];
}

/** Returns the warning about a text that a step would store, if any. */
function textWarning(step: Step): string | undefined {
  if (step.kind === "sender-id") {
    return step.action === "create" ? carrierWarning(step.desired.name) : undefined;
  }
  if (step.action !== "create" && step.action !== "update") return undefined;
  const { birthday_message: message } = step.desired;
  const isStored =
    step.action === "create" || step.changes.some(({ field }) => field === "birthday_message");
  return isStored && typeof message === "string" ? placeholderWarning(message) : undefined;
}
