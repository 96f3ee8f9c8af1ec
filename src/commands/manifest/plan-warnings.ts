import type { Capabilities } from "../../cli/capabilities.ts";
import { safeText } from "../../output/safe-text.ts";
import { likelyRenames } from "../../plan/renames.ts";
import type { Plan, Step } from "../../plan/plan.ts";
import { groupKey, nameOf } from "../../plan/record-keys.ts";
import { placeholderWarning } from "../group/birthday-message.ts";
import { carrierWarning } from "../sender-id/carrier-form.ts";
import { contactsOf, stepTitle } from "./plan-text.ts";

/** Maximum number of warnings about texts; further ones are counted. */
const maxWarnings = 5;

/** Warns about deleted groups that look renamed, and about what a create or an update of each record would warn of. */
export async function warnOfPlan(
  { output }: Pick<Capabilities, "output">,
  plan: Plan,
): Promise<void> {
  for (const { existing, desired } of likelyRenames(plan.steps)) {
    const id = groupKey(existing);
    const [from, to] = [safeText(nameOf(existing)), safeText(desired.name)];
    const kept = contactsOf(existing) > 0 ? "to keep the contacts" : "to keep the group";
    await output.warn(
      `deleting group ${from} (id ${id}) and creating ${to} looks like a rename: ${kept}, set id: ${id} on ${to}`,
    );
  }
  let count = 0;
  for (const step of plan.steps) {
    const text = textWarning(step);
    if (text === undefined) continue;
    count += 1;
    if (count <= maxWarnings) await output.warn(`${stepTitle(step)}: ${text}`);
  }
  if (count > maxWarnings) await output.warn(`and ${count - maxWarnings} more records like these`);
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
