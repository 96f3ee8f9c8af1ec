import type { Session } from "../../command/session.ts";
import { type RecordKind, type Field, resources, namesOf } from "../../contract/resources.ts";
import { jsonText } from "../../core/json-text.ts";
import { type Existing, idText, updateBody } from "../../manifest/manifest.ts";
import { changingSteps, type Plan } from "../../manifest/plan/plan.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { code } from "../../output/formats/markdown.ts";
import { shownAll, type StepFields, plannedText, stepTitle } from "./step-data.ts";

/** A step as it was reviewed, with the values that it was computed from. */
export interface ReviewedStep {
  /** Equal for the steps of two plans from one manifest if they concern the same record. */
  readonly key: string;
  readonly title: string;
  /** The action, the fields of the existing record, and as `sent` the fields that an update sends. */
  readonly values: Existing;
}

/** Returns the fields of records that count. Contacts come and go, and reviews take place, while a plan is reviewed. */
function countingFields(kind: RecordKind): readonly string[] {
  const fields: Readonly<Record<string, Field>> = resources[kind];
  return namesOf(fields, ({ type, shown }) => type !== "status" && shown === undefined);
}

/** Returns the steps of a plan that change something, as they are reviewed. */
export function reviewedSteps(plan: Plan): readonly ReviewedStep[] {
  return changingSteps(plan).map((step) => {
    const { kind, action } = step;
    const { existing = {}, desired = {} }: StepFields = step;
    const id = idText(existing);
    const key = action === "delete" ? [id] : [desired.name, desired.id, desired.uuid];
    const before = countingFields(kind).map((field) => [field, existing[field]]);
    const sent = action === "update" ? updateBody(step.desired, step.changes) : undefined;
    return {
      key: jsonText([kind, ...key]),
      title: stepTitle(step),
      values: { action, ...Object.fromEntries(before), id, sent },
    };
  });
}

type ChangedValue = ReturnType<typeof changedValues>[number];

/**
 * Compares the steps of a plan with those that were reviewed. Returns the values that differ: a field, or an action, null
 * where the step is missing.
 */
function changedValues(reviewed: readonly ReviewedStep[], current: readonly ReviewedStep[]) {
  const before = new Map(reviewed.map((step) => [step.key, step]));
  const after = new Map(current.map((step) => [step.key, step]));
  return [...new Map([...after, ...before])].flatMap(([key, { title }]) => {
    const [old, now] = [before.get(key)?.values ?? {}, after.get(key)?.values ?? {}];
    const isSame = old["action"] === now["action"];
    return (isSame ? Object.keys({ ...old, ...now }) : ["action"])
      .map((field) => {
        return { title, field, reviewed: old[field] ?? null, current: now[field] ?? null };
      })
      .filter((value) => jsonText(value.reviewed) !== jsonText(value.current));
  });
}

/** Reports what differs from the steps that were reviewed, and returns the exit code; undefined if nothing does. */
export async function refuseChanges(
  { output }: Pick<Session, "output">,
  reviewed: readonly ReviewedStep[],
  plan: Plan,
): Promise<ExitCode | undefined> {
  const changes = changedValues(reviewed, reviewedSteps(plan));
  if (changes.length === 0) return undefined;
  const message = "the records have changed since the plan was reviewed; nothing was applied";
  const hint = "review a new plan";
  const data = { applied: 0, changed: changes };
  const markdown = () => [
    `${message}\n\n`,
    ...changes.map((change) => `- ${code(changeText(change))}\n`),
  ];
  await output.report({ message, data, error: { kind: "differences", hint }, markdown });
  const lines = changes.slice(0, maxLines).map(changeText);
  const more = changes.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  await output.printError([message, ...lines, `hint: ${hint}`].join("\n"));
  return exitCodes.differences;
}

/** Maximum number of changes that are printed; `--json` has all. */
const maxLines = 20;

/** The names of fields that no record has. */
const names: Readonly<Record<string, string>> = { sent: "the body of its update" };

function changeText({ title, field, reviewed, current }: ChangedValue): string {
  return field === "action"
    ? `${title}: ${plannedText(reviewed)} in the plan, ${plannedText(current)} now`
    : `${title}: ${names[field] ?? field} was ${shownAll([reviewed, current]).join(" in the plan, is ")} now`;
}
