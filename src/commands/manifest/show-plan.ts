import type { Capabilities } from "../../command/context.ts";
import { SendctlError } from "../../core/error.ts";
import { targetName } from "../../config/target.ts";
import { counted, safeText } from "../../core/text.ts";
import type { FormatName } from "../../output/formats/format.ts";
import { wrapLines } from "../../output/terminal.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { carrierWarning, placeholderWarning } from "../sms.ts";
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
  rowsOf,
  type StepRecord,
} from "./step-text.ts";
import { nouns } from "../../manifest/manifest.ts";
import { textOf } from "../../output/views.ts";

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

/** A plan or its outcome as data, without secrets. */
export interface PlanData {
  readonly steps: readonly (StepRecord & {
    readonly outcome?: string;
    readonly message?: string;
  })[];
  readonly warnings?: readonly string[];
}

/**
 * Returns text as Markdown that shows exactly that text: no link, mention, image, HTML or table cell begins or ends in
 * it. GitHub makes links even of addresses that are written with entities, so comments divide `http:`, `www.` and
 * `name@host`.
 */
export function code(text: string): string {
  const escaped = safeText(text)
    .replace(/[!-/:-@[-`{-~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/&#(?:58|64);|(?<=www)&#46;/gi, "<!-- -->$&");
  return `<code>${escaped}</code>`;
}

/** The number of rows from which a comment is easier to read with its table folded. */
const maxOpenRows = 30;

/**
 * Yields a plan as Markdown for a pull request.
 *
 * @param title without values
 * @param target its name, with the profile
 */
export function* planMarkdown(
  title: string,
  { steps, warnings = [] }: PlanData,
  target: string,
): Iterable<string> {
  yield `Target: ${code(target)}\n\n${title}\n`;
  const changing = steps.filter(({ action }) => action !== "keep");
  const rows = changing.flatMap(tableRows);
  const isFolded = rows.length > maxOpenRows;
  const changes = counted(changing.length, "change");
  if (isFolded) yield `\n<details><summary>${changes}</summary>\n`;
  if (rows.length > 0) yield "\n| Change | Record | Field | Before → after |\n| - | - | - | - |\n";
  yield* rows;
  if (isFolded) yield "\n</details>\n";
  if (warnings.length > 0) yield "\nWarnings:\n\n";
  for (const warning of warnings) yield `- ${code(warning)}\n`;
}

/** Returns the rows of a step: one for each field, the first with its title. */
function tableRows(step: PlanData["steps"][number]): readonly string[] {
  const { kind, name, id } = step;
  const suffix = id === undefined || id === null ? "" : ` (id ${code(textOf(id))})`;
  const title = `| ${changeOf(step)} | ${nouns[kind]} ${code(textOf(name))}${suffix} |`;
  const fields = rowsOf(step).map(({ field, texts, remark = "" }) => {
    return ` ${field} | ${`${texts.map(code).join(" → ")} ${remark}`.trim()} |\n`;
  });
  if (fields.length === 0) return [`${title} | |\n`];
  return fields.map((row, index) => `${index === 0 ? title : "| | |"}${row}`);
}

/** Returns the action of a step, what became of it, and why it is not done. */
function changeOf({ action, outcome, message, blocked }: PlanData["steps"][number]): string {
  const ending = outcome === undefined || outcome === "done" ? "" : ` ${outcome.replace("_", " ")}`;
  const reason = message ?? blocked;
  return `${action}${ending}${reason === undefined ? "" : `: ${code(reason)}`}`;
}
