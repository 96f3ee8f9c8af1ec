import { isStop } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import { quotedPair, safeText, visibleText, capitalized, counted } from "../../core/text.ts";
import { type RecordKind, nouns } from "../../contract/resources.ts";
import {
  type Change,
  type DesiredGroup,
  type Existing,
  changesOf,
  idText,
  nameOf,
} from "../../manifest/manifest.ts";
import { type Outcome, pendingAfter } from "../../manifest/plan/execute.ts";
import { type Step, blockedBy } from "../../manifest/plan/plan.ts";
import { textOf, accepted } from "../../output/views.ts";
import { failureText } from "../../service/refusals.ts";
import type { Style } from "../../output/terminal.ts";

/** A step of a plan, and its outcome if it was carried out. */
type PlannedStep = Pick<Outcome, "step"> & Partial<Outcome>;

/** What a step of any kind may have. */
export interface StepFields {
  readonly desired?: Partial<DesiredGroup>;
  readonly existing?: Existing;
}

/** A step as `--json` prints it. */
export type StepData = ReturnType<typeof stepData>;

/**
 * Returns a step as data. A delete has a status, or its group's contacts (null if not listed).
 *
 * @param database the database of the embedded engine; undefined for a service
 */
export function stepData(outcome: PlannedStep, database?: string) {
  const { step, result, record } = outcome;
  const { action, kind } = step;
  const { desired, existing }: StepFields = step;
  const group = kind === "group" ? existing : undefined;
  const deleted = action === "delete" ? existing : undefined;
  const sender = desired?.sender_id;
  const created = result && kind === "group" ? (record?.["id"] ?? null) : undefined;
  return {
    action,
    kind,
    name: desired?.name ?? existing?.["name"],
    id: group?.["id"] ?? created,
    uuid: group?.["uuid"],
    contacts_count: deleted && group && (group["contacts_count"] ?? null),
    status: group === undefined ? deleted?.["status"] : undefined,
    changes: changesBy(step),
    sender_id:
      sender === undefined
        ? undefined
        : {
            to: sender,
            can_be_compared: existing?.["sender_id"] !== undefined,
            is_sent: action !== "keep",
          },
    loses: step.action === "replace" ? lossOf(step.existing) : undefined,
    blocked: blockedBy(step),
    place: desired?.location,
    ...(result && resultData({ ...outcome, result }, database)),
  };
}

/** Returns a step and its result as data. */
function resultData(outcome: Outcome, database: string | undefined) {
  const { result, error, isIncomplete = false, isAccepted = false } = outcome;
  const isDone = result === "done";
  const hasFailed = !isDone && error !== undefined;
  const names = { done: "done", failed: "failed", unknown: "failed", skipped: "not_tried" };
  return {
    outcome: isIncomplete ? "incomplete" : names[result],
    accepted: isAccepted ? true : undefined,
    outcome_unknown: result === "unknown" ? true : undefined,
    message: isDone ? error?.message : reasonOf(outcome, database),
    // The step has its message.
    error: hasFailed
      ? {
          kind: error.kind,
          http_status: error.details.httpStatus ?? null,
          hint: error.hint ?? null,
        }
      : undefined,
    stored_differently: isDone ? error?.details.stored : undefined,
  };
}

/** Returns why a step was not carried out. */
function reasonOf(outcome: Outcome, database: string | undefined): string {
  const { error, note = "" } = outcome;
  // The message of a request interrupted before it was sent says nothing of the other steps.
  const isInterrupted = isStop(error?.kind) && error?.details.check === undefined;
  const reason = error === undefined ? "" : failureText(error, database);
  const reasons = [isInterrupted ? "interrupted" : reason, safeText(note)];
  if (pendingAfter(outcome) !== undefined) reasons.push("its sender ID may be missing");
  return reasons.filter(Boolean).join(" · ");
}

/** Returns the fields that a step changes. */
export function changesBy(step: Step): readonly Change[] {
  if (step.action === "keep" || step.action === "delete") return [];
  if (step.kind === "group") {
    return step.action === "update" ? step.changes : changesOf(step.desired, {});
  }
  const from = step.action === "replace" ? step.existing["purpose"] : null;
  return [{ field: "purpose", from, to: step.desired.purpose }];
}

/** Returns a warning about what is lost when a sender ID is deleted and recreated. */
function lossOf({ status = null }: Existing): string {
  const loss =
    "Its approval status is reset, and the groups that use it lose their sender ID, except for those in the plan.";
  const risk = "Some services never free a name, and refuse to create it again.";
  return `${loss} ${risk} Current status: ${textOf(status)}.`;
}

/** Returns the number of contacts that a list showed for a group. */
function contactsOf({ contacts_count: count }: Existing): number {
  return Number(count ?? 0) || 0;
}

/** A field of a step, for people. */
interface Row {
  readonly field: string;
  /** The value before and after, or the only one of them that there is. */
  readonly texts: readonly string[];
  readonly remark?: string;
}

/** Returns the fields of a step in the order in which they are shown. */
export function rowsOf(data: StepData): readonly Row[] {
  const { action, changes, status, loses, sender_id: sender } = data;
  const rows: Row[] = [];
  if (typeof status === "string") rows.push({ field: "status", texts: shownAll([status]) });
  const count = contactsOf(data);
  if (count > 0) {
    const remark = "(deleted with the group)";
    rows.push({ field: "contacts_count", texts: shownAll([count]), remark });
  }
  const isNew = action === "create";
  for (const { field, from, to } of changes) {
    const values = isNew ? [to] : [from, to];
    if (!isNew || field !== "name") rows.push({ field, texts: shownAll(values) });
  }
  if (loses !== undefined) rows.push({ field: "warning", texts: [loses] });
  if (sender?.is_sent === true && !sender.can_be_compared) {
    const remark = isNew ? {} : { remark: "(cannot be compared; sent with every update)" };
    rows.push({ field: "sender_id", texts: shownAll([sender.to]), ...remark });
  }
  return rows;
}

/** Formats a value as JSON, so that text differs from other types. */
function shown(value: unknown): string {
  return visibleText(typeof value === "bigint" ? String(value) : jsonText(value ?? null));
}

/** Formats a value, or two that are compared. */
export function shownAll(values: readonly unknown[]): readonly string[] {
  const [left, right] = values;
  const areTexts = values.length === 2 && typeof left === "string" && typeof right === "string";
  return areTexts && left !== right ? quotedPair(left, right) : values.map(shown);
}

/** The actions of steps: signs, colours, and names in the counts of a plan and afterwards. */
const actions = {
  create: { sign: "+", paint: "good", planned: "to create", done: "created" },
  update: { sign: "~", paint: "waiting", planned: "to update", done: "updated" },
  replace: { sign: "±", paint: "bad", planned: "to replace", done: "replaced" },
  delete: { sign: "-", paint: "bad", planned: "to delete", done: "deleted" },
  keep: { sign: " ", paint: "faint", planned: "unchanged", done: "unchanged" },
} as const;

/** Returns the planned action for a record: `to create`. @param action null without a step */
export function plannedText(action: unknown): string {
  return action === null ? "nothing to do" : actions[action as Step["action"]].planned;
}

/** Returns the title of a step: `group Customers (id 12)`. @param record has a new group's id */
export function stepTitle({ kind, ...step }: Step, record?: Existing): string {
  const { desired, existing = record }: StepFields = step;
  const id = kind === "group" && existing !== undefined ? idText(existing) : undefined;
  const title = `${nouns[kind]} ${desired?.name ?? nameOf(existing!)}`;
  return safeText(id === undefined ? title : `${title} (id ${id})`);
}

/** Returns the title of a delete with contacts: `group Customers (id 12) and its 3 contacts`. */
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

/** Returns the line of a step that was carried out: `Created group Customers (id 12)`. */
export function doneLine({ step, record, isAccepted }: Outcome): string {
  const title = capitalized(`${actions[step.action].done} ${stepTitle(step, record)}`);
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
 * Counts steps by their action, without zeros: `2 to create, 5 unchanged` as planned,
 * `2 created (1 incomplete)` when done.
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
    kinds.flatMap((kind) => {
      const countIn = (all: readonly Step[]): number =>
        all.filter((step) => step.action === action && step.kind === (kind ?? step.kind)).length;
      const [count, open] = [countIn(steps), countIn(incomplete)];
      if (count === 0) return [];
      const title = kind === undefined ? count : counted(count, nouns[kind]);
      return `${title} ${words[tense]}${open === 0 ? "" : ` (${open} incomplete)`}`;
    }),
  );
  return counts.join(", ");
}

/** Counts steps by their action, as `--json` names them. */
export function summaryOf(steps: readonly Step[]) {
  const summary = { created: 0, updated: 0, replaced: 0, deleted: 0, unchanged: 0 };
  for (const { action } of steps) summary[actions[action].done] += 1;
  return summary;
}
