import type { Output } from "../../output/output.ts";
import { safeText } from "../../output/safe-text.ts";
import { likelyRenames } from "../../plan/renames.ts";
import type { Plan, Step } from "../../plan/plan.ts";
import { groupKey, nameOf } from "../../plan/record-keys.ts";
import { placeholderWarning } from "../group/birthday-message.ts";
import { carrierWarning } from "../sender-id/carrier-form.ts";
import { contactsOf, notComparedLine, stepTitle, storedLines } from "./plan-text.ts";

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Prints what a plan does not show: what it did not compare, and warnings about values that the service stores
 * differently, about deleted groups that look renamed, and about texts as a create or an update has them.
 */
export async function remarkOn(output: Output, plan: Plan): Promise<void> {
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
  return step.changes.find(({ member }) => member === "birthday_message")?.to;
}

/** Returns likely renames as data; without a field if there are none. */
export function renamesRecord({ steps }: Plan): object {
  const renames = likelyRenames(steps);
  if (renames.length === 0) return {};
  const shown = renames.map(({ existing, desired }) => ({
    id: existing["id"],
    from: existing["name"],
    to: desired.name,
  }));
  return { possible_renames: shown };
}
