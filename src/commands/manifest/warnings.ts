import type { Plan, Step } from "../../manifest/plan/plan.ts";
import { carrierWarning, placeholderWarning } from "../sms.ts";
import { changesBy, shownAll, type StepFields } from "./step-data.ts";
import { deletedTitle, stepTitle } from "./step-text.ts";

/** Maximum number of warnings of one kind; further ones are counted. */
const maxWarnings = 5;

/**
 * Returns warnings about values that the service stores differently, about deleted groups that look renamed, and about
 * texts as a create or an update has them; for an undo, about what it does not restore.
 */
export function warningsOf({ steps, losses }: Plan): string[] {
  if (losses !== undefined) return losses.map((loss) => `not restored: ${loss}`);
  const texts = steps.flatMap((step) => {
    const text = textWarning(step);
    return text === undefined ? [] : `${stepTitle(step)}: ${text}`;
  });
  return [steps.flatMap(storedWarning), renameWarning(steps), texts].flatMap((lines) => {
    const more = lines.length - maxWarnings;
    const rest = more > 0 ? [`and ${more} more records like these`] : [];
    return [...lines.slice(0, maxWarnings), ...rest];
  });
}

/** Returns the warning about a record that is not sent again, because the service stores it differently. */
function storedWarning(step: Step): readonly string[] {
  const { storedDifferently = [] }: StepFields = step;
  const fields = storedDifferently.map(
    ({ field, sent, stored }) => `${field} ${shownAll([sent, stored]).join(" as ")}`,
  );
  if (fields.length === 0) return [];
  return [`${stepTitle(step)} is stored differently by the service: ${fields.join(", ")}`];
}

/** Deleting a group deletes its contacts, which an update of its name would keep. */
function renameWarning(steps: readonly Step[]): readonly string[] {
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
  const message = changesBy(step).find(({ field }) => field === "birthday_message")?.to;
  return typeof message === "string" ? placeholderWarning(message) : undefined;
}
