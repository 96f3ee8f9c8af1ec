import { capitalized, counted, safeText, visibleText } from "../../core/text.ts";
import { type RecordKind, groupKey, nameOf, nouns } from "../../manifest/manifest.ts";
import type { Outcome } from "../../manifest/plan/execute.ts";
import { type Step, blockedBy } from "../../manifest/plan/plan.ts";
import type { Style } from "../../output/terminal.ts";
import { accepted, textOf } from "../../output/views.ts";
import { contactsOf, reasonOf, rowsOf, stepData, type StepFields } from "./step-data.ts";

/** The actions of steps: their signs and colours, and how counts name them in a plan and afterwards. */
const actions = {
  create: { sign: "+", paint: "good", planned: "to create", done: "created" },
  update: { sign: "~", paint: "waiting", planned: "to update", done: "updated" },
  replace: { sign: "±", paint: "bad", planned: "to replace", done: "replaced" },
  delete: { sign: "-", paint: "bad", planned: "to delete", done: "deleted" },
  keep: { sign: " ", paint: "faint", planned: "unchanged", done: "unchanged" },
} as const;

/** Returns what a plan does with a record: `to create`. @param action null if the plan has no such step */
export function plannedText(action: unknown): string {
  return action === null ? "nothing to do" : actions[action as Step["action"]].planned;
}

/** Returns the title of a step: `group Customers (id 12)`. */
export function stepTitle(step: Step): string {
  const { desired, existing }: StepFields = step;
  const id = step.kind === "group" && existing !== undefined ? ` (id ${groupKey(existing)})` : "";
  return safeText(`${nouns[step.kind]} ${desired?.name ?? nameOf(existing!)}${id}`);
}

/** Returns the title of a deleted record with its contacts: `group Customers (id 12) and its 3 contacts`. */
export function deletedTitle(step: Step): string {
  const { existing = {} }: StepFields = step;
  const count = contactsOf(existing);
  if (count === 0) return stepTitle(step);
  return `${stepTitle(step)} and its ${count === 1 ? "contact" : `${count} contacts`}`;
}

/** Returns a step of a plan as text: its action and record, with the fields below. */
export function stepText(step: Step, style: Style): string {
  const { sign, paint } = actions[step.action];
  const rows = rowsOf(stepData({ step }));
  const width = Math.max(0, ...rows.map(({ field }) => field.length));
  const lines = rows.map(({ field, texts, remark = "" }) => {
    const value = `${texts.join(" → ")} ${remark}`.trim();
    return `    ${style.faint(field)}${" ".repeat(width - field.length)}  ${value}`;
  });
  const remark = blockedBy(step) ?? (step.action === "replace" ? "will be replaced" : "");
  const title = `${sign} ${stepTitle(step)} ${remark}`.trimEnd();
  return [style[paint](title), ...lines].join("\n");
}

/** Returns the outcome of a step that was carried out as a line: `Created group Customers (id 12)`. */
export function doneLine({ step, record, isAccepted }: Outcome): string {
  const isNewGroup = step.kind === "group" && step.action === "create";
  const id = isNewGroup && record?.["id"] !== undefined ? ` (id ${textOf(record["id"])})` : "";
  const title = capitalized(`${actions[step.action].done} ${stepTitle(step)}${id}`);
  return `${title}${isAccepted ? `: ${accepted}` : ""}`;
}

/**
 * Returns the outcome of a step as a line, with what went wrong.
 *
 * @param database the database of the embedded engine; undefined for a service
 */
export function outcomeLine(outcome: Outcome, database: string | undefined): string {
  const { step, result, error, isIncomplete } = outcome;
  if (result === "done") {
    return visibleText(`${doneLine(outcome)}${error ? `, but ${error.message}` : ""}`);
  }
  if (isIncomplete && step.action === "create") {
    const reason = reasonOf({ ...outcome, note: undefined }, database);
    return `${doneLine(outcome)}, but incomplete: ${reason}`;
  }
  const start = { failed: "Could not", unknown: "Outcome unknown:", skipped: "Did not" }[result];
  return `${start} ${step.action} ${stepTitle(step)}: ${reasonOf(outcome, database)}`;
}

/**
 * Counts steps by their action, without zeros: `2 to create, 5 unchanged` as planned, `2 created (1 incomplete)` when
 * done.
 *
 * @param incomplete those of the steps that are not complete
 * @param kinds to count each kind of records for itself: `1 group updated, 2 sender IDs deleted`
 */
export function countsText(
  steps: readonly Step[],
  tense: "planned" | "done",
  incomplete: readonly Step[] = [],
  kinds: readonly (RecordKind | undefined)[] = [undefined],
): string {
  const counts = Object.entries(actions).flatMap(([action, words]) =>
    kinds.map((kind) => {
      const isOf = (step: Step): boolean =>
        step.action === action && (kind === undefined || step.kind === kind);
      const { length } = steps.filter(isOf);
      if (length === 0) return "";
      const count = kind === undefined ? length : counted(length, nouns[kind]);
      const open = incomplete.filter(isOf).length;
      return `${count} ${words[tense]}${open === 0 ? "" : ` (${open} incomplete)`}`;
    }),
  );
  return counts.filter(Boolean).join(", ");
}

/** Counts steps by their action, as `--json` names them. */
export function summaryOf(steps: readonly Step[]) {
  const summary = { created: 0, updated: 0, replaced: 0, deleted: 0, unchanged: 0 };
  for (const { action } of steps) summary[actions[action].done] += 1;
  return summary;
}
