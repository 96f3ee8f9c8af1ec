import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import type { DesiredGroup } from "../../manifest/manifest.ts";
import type { Output } from "../../output/output.ts";
import { safeText } from "../../core/safe-text.ts";
import { wrapLines } from "../../output/table/wrap-lines.ts";
import { changesOf, groupKey, nameOf, type Existing } from "../../manifest/plan/records.ts";
import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { placeholderWarning } from "../group/birthday-message.ts";
import { carrierWarning } from "../sender-id/carrier-form.ts";
import {
  changingSteps,
  contactsOf,
  notComparedLine,
  stepRecord,
  stepText,
  stepTitle,
  stepView,
  storedLines,
  summaryLine,
  summaryOf,
} from "./plan-text.ts";

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

/** Shows the plan that `apply` carries out. @throws SendctlError "usage" if it deletes too many records */
export async function showPlan(
  context: Capabilities,
  plan: Plan,
  maxDeletes: number,
): Promise<void> {
  const { deleted } = summaryOf(plan.steps);
  if (deleted > maxDeletes) {
    throw new SendctlError(
      "usage",
      `--prune would delete ${deleted} records, but --max-deletes is ${maxDeletes}; nothing was sent`,
      {
        hint: `check with sendctl diff --prune, then pass --max-deletes ${deleted}`,
      },
    );
  }
  for (const step of changingSteps(plan)) {
    await context.output.say((style) => stepText(step, style));
  }
  await context.output.say(summaryLine(plan));
  await remarkOn(context.output, plan);
}

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Prints what a plan does not show: what it did not compare, and warnings about values that the service stores
 * differently, about deleted groups that look renamed, and about texts as a create or an update has them.
 */
async function remarkOn(output: Output, plan: Plan): Promise<void> {
  const remark = notComparedLine(plan);
  if (remark !== undefined) await output.say(remark);
  await warnOfEach(output, storedLines(plan));
  for (const { existing, desired } of likelyRenames(plan.steps)) {
    const id = groupKey(existing);
    const [from, to] = [safeText(nameOf(existing)), safeText(desired.name)];
    const kept = contactsOf(existing) > 0 ? "to keep the contacts" : "to keep the group";
    await output.warn(
      `deleting group ${from} (id ${id}) and creating ${to} looks like a rename: ${kept}, set id: ${id} on ${to}`,
    );
  }
  const texts = plan.steps.flatMap((step) => {
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
  const message = storedMessage(step);
  return typeof message === "string" ? placeholderWarning(message) : undefined;
}

/** Returns the birthday message that a step would store, if any. */
function storedMessage(step: Extract<Step, { readonly kind: "group" }>): unknown {
  if (step.action === "create") return step.desired.birthday_message;
  if (step.action !== "update") return undefined;
  return step.changes.find(({ field }) => field === "birthday_message")?.to;
}

/** Returns likely renames as data; without a field if there are none. */
function renamesRecord({ steps }: Plan): object {
  const renames = likelyRenames(steps);
  if (renames.length === 0) return {};
  const shown = renames.map(({ existing, desired }) => ({
    id: existing["id"],
    from: existing["name"],
    to: desired.name,
  }));
  return { possible_renames: shown };
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
function likelyRenames(steps: readonly Step[]): readonly Rename[] {
  const deleted: Existing[] = [];
  const created: DesiredGroup[] = [];
  for (const step of steps) {
    if (step.kind !== "group") continue;
    if (step.action === "delete") deleted.push(step.existing);
    if (step.action === "create") created.push(step.desired);
  }
  if (deleted.length * created.length > maxPairs) return [];
  if (deleted.length === 1 && created.length === 1) {
    return [{ existing: deleted[0]!, desired: created[0]! }];
  }
  return created.flatMap((desired) => {
    const [existing, ...others] = deleted.filter((record) => areEqual(desired, record));
    if (existing === undefined || others.length > 0) return [];
    const isOnly = created.every((one) => one === desired || !areEqual(one, existing));
    return isOnly ? [{ existing, desired }] : [];
  });
}

/** Returns whether a group has the settings of the manifest under another name. */
function areEqual(desired: DesiredGroup, record: Existing): boolean {
  return changesOf(desired, record).every(({ field }) => field === "name");
}
