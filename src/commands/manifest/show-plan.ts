import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import {
  type DesiredGroup,
  type Existing,
  changesOf,
  groupKey,
  nameOf,
} from "../../manifest/manifest.ts";
import type { Output } from "../../output/output.ts";
import { counted, safeText } from "../../core/text.ts";
import { wrapLines } from "../../output/terminal.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { carrierWarning, placeholderWarning } from "../sms.ts";
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
  const message = changes.length === 0 ? "No differences" : counted(changes.length, "difference");
  const { notManaged, notCompared, steps } = plan;
  const summary = summaryOf(steps);
  await output.report({
    message,
    // Computed only when printed: there may be a million steps.
    get data() {
      return {
        summary: {
          ...summary,
          not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
          not_compared: notCompared,
        },
        possible_renames: renameRecords(plan),
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
  });
  await output.say(`${message} · ${summaryLine(plan)}`);
  await remarkOn(output, plan);
  if (summary.deleted > maxDeletes) {
    await output.warn(
      `apply would refuse to delete ${summary.deleted} records, because --max-deletes is ${maxDeletes}`,
    );
  }
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
  await remarkOn(output, plan);
}

/** Returns the counts of a plan: `2 to create, 1 to update, 5 unchanged`. */
function summaryLine({ steps, notManaged: { senderIds, groups } }: Plan): string {
  const counts = summaryText(summaryOf(steps), "planned");
  const others = [
    ...(senderIds === 0 ? [] : [counted(senderIds, "sender ID")]),
    ...(groups === 0 ? [] : [counted(groups, "group")]),
  ].join(" and ");
  const planned = counts === "" ? "0 records in the manifest" : counts;
  return others === "" ? planned : `${planned} · ${others} not in the manifest, left alone`;
}

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Prints what a plan does not show: what it did not compare, and warnings about values that the service stores
 * differently, about deleted groups that look renamed, and about texts as a create or an update has them.
 */
async function remarkOn(output: Output, plan: Plan): Promise<void> {
  const { notCompared, steps } = plan;
  // A plan without a change of a group has no such line: it would appear on every run.
  if (notCompared > 0 && steps.some(({ kind, action }) => kind === "group" && action !== "keep")) {
    const groups = counted(notCompared, "group");
    await output.say(
      `The sender_id of ${groups} was not compared, because the service never returns it (apply --resend-sender-id sends it)`,
    );
  }
  await warnOfEach(output, storedLines(plan));
  for (const { existing, desired } of likelyRenames(plan)) {
    const id = groupKey(existing);
    const [from, to] = [safeText(nameOf(existing)), safeText(desired.name)];
    const kept = contactsOf(existing) > 0 ? "to keep the contacts" : "to keep the group";
    await output.warn(
      `deleting group ${from} (id ${id}) and creating ${to} looks like a rename: ${kept}, set id: ${id} on ${to}`,
    );
  }
  const texts = steps.flatMap((step) => {
    const text = textWarning(step);
    return text === undefined ? [] : `${stepTitle(step)}: ${text}`;
  });
  await warnOfEach(output, texts);
}

async function warnOfEach(output: Output, lines: readonly string[]): Promise<void> {
  for (const line of lines.slice(0, maxWarnings)) await output.warn(line);
  const more = lines.length - maxWarnings;
  if (more > 0) await output.warn(`and ${more} more records like these`);
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
