import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import {
  type DesiredGroup,
  type Existing,
  changesOf,
  groupKey,
  nameOf,
} from "../../manifest/manifest.ts";
import { counted, safeText } from "../../core/text.ts";
import { wrapLines } from "../../output/terminal.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { carrierWarning, placeholderWarning } from "../sms.ts";
import { planMarkdown, type PlanData } from "./plan-markdown.ts";
import {
  changingSteps,
  contactsOf,
  stepRecord,
  stepText,
  stepTitle,
  stepView,
  storedLines,
  summaryOf,
  summaryText,
} from "./step-text.ts";

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
  const count = changes.length === 0 ? "No differences" : counted(changes.length, "difference");
  const { notManaged, notCompared, steps } = plan;
  const summary = summaryOf(steps);
  const counts = summaryLine(plan);
  const line = `${count} · ${counts}`;
  const warnings = warningsOf(plan);
  if (summary.deleted > maxDeletes) {
    warnings.push(
      `apply would refuse to delete ${summary.deleted} records, because --max-deletes is ${maxDeletes}`,
    );
  }
  await output.report({
    message: `${count}${notComparedText(plan)}`,
    // Computed only when printed: there may be a million steps.
    get data() {
      return {
        summary: {
          ...summary,
          not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
          not_compared: notCompared,
        },
        possible_renames: renameRecords(plan),
        warnings: warnings.length === 0 ? undefined : warnings,
        steps: steps.map(stepRecord),
      };
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
    markdown: (data) => planMarkdown(changes.length === 0 ? line : counts, data as PlanData),
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
  const counts = summaryText(summaryOf(plan.steps), "planned");
  const others = [
    ...(senderIds === 0 ? [] : [counted(senderIds, "sender ID")]),
    ...(groups === 0 ? [] : [counted(groups, "group")]),
  ].join(" and ");
  const planned = counts === "" ? "0 records in the manifest" : counts;
  const rest = others === "" ? "" : ` · ${others} not in the manifest, left alone`;
  return `${planned}${rest}${notComparedText(plan)}`;
}

/** Returns what a plan says after its result if it did not compare everything. */
export function notComparedText({ notCompared }: Plan): string {
  const senderIds = counted(notCompared, "sender ID");
  return notCompared === 0 ? "" : ` · ${senderIds} not compared (the service never shows it)`;
}

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Returns warnings about values that the service stores differently, about deleted groups that look renamed, and about
 * texts as a create or an update has them; for an undo, about what it does not restore.
 */
export function warningsOf(plan: Plan): string[] {
  if (plan.losses !== undefined) return plan.losses.map((loss) => `not restored: ${loss}`);
  const renames = likelyRenames(plan).map(({ existing, desired }) => {
    const id = groupKey(existing);
    const [from, to] = [safeText(nameOf(existing)), safeText(desired.name)];
    const kept = contactsOf(existing) > 0 ? "to keep the contacts" : "to keep the group";
    return `deleting group ${from} (id ${id}) and creating ${to} looks like a rename: ${kept}, set id: ${id} on ${to}`;
  });
  const texts = plan.steps.flatMap((step) => {
    const text = textWarning(step);
    return text === undefined ? [] : `${stepTitle(step)}: ${text}`;
  });
  return [storedLines(plan), renames, texts].flatMap((lines) => {
    const more = lines.length - maxWarnings;
    const rest = more > 0 ? [`and ${more} more records like these`] : [];
    return [...lines.slice(0, maxWarnings), ...rest];
  });
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

/** A deleted group and a created one that may be the same group under a new name. */
interface Rename {
  readonly existing: Existing;
  readonly desired: DesiredGroup;
}

/** Maximum number of pairs to compare. A larger plan renames more than a few groups. */
const maxPairs = 10_000;

/**
 * Returns deleted and created groups that look like renamed ones: the only pair of a plan, and pairs whose settings are
 * equal to those of no other candidate. Deleting a group deletes its contacts, which an update of its name would keep.
 */
function likelyRenames({ steps }: Plan): readonly Rename[] {
  const groups = steps.filter((step) => step.kind === "group");
  const deleted = groups.flatMap((step) => (step.action === "delete" ? [step.existing] : []));
  const created = groups.flatMap((step) => (step.action === "create" ? [step.desired] : []));
  if (deleted.length * created.length > maxPairs) return [];
  const pairs = created.flatMap((desired) => deleted.map((existing) => ({ desired, existing })));
  if (pairs.length === 1) return pairs;
  const alike = pairs.filter(({ desired, existing }) => hasSettingsOf(desired, existing));
  return alike.filter(({ desired, existing }) =>
    alike.every((pair) => (pair.desired === desired) === (pair.existing === existing)),
  );
}

/** Returns whether a group has the settings of the manifest under another name. */
function hasSettingsOf(desired: DesiredGroup, record: Existing): boolean {
  return changesOf(desired, record).every(({ field }) => field === "name");
}

/** Returns likely renames as data; undefined if there are none. */
function renameRecords(plan: Plan): readonly object[] | undefined {
  const renames = likelyRenames(plan);
  if (renames.length === 0) return undefined;
  return renames.map(({ existing, desired }) => ({
    id: existing["id"],
    from: existing["name"],
    to: desired.name,
  }));
}
