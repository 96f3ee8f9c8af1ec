import { jsonText } from "../../core/json-text.ts";
import { capitalized, counted, quotedPair, safeText, visibleText } from "../../core/text.ts";
import type { Style } from "../../output/terminal.ts";
import {
  type Change,
  type DesiredGroup,
  type Existing,
  changesOf,
  groupKey,
  nameOf,
  nouns,
} from "../../manifest/manifest.ts";
import type { Plan, SenderIdStep, Step } from "../../manifest/plan/plan.ts";
import { textOf, type RecordView } from "../../output/views.ts";

/** The actions of steps: their signs and colours, and how counts name them in a plan and afterwards. */
const actions = {
  create: { sign: "+", paint: "good", planned: "to create", done: "created" },
  update: { sign: "~", paint: "waiting", planned: "to update", done: "updated" },
  replace: { sign: "±", paint: "bad", planned: "to replace", done: "replaced" },
  delete: { sign: "-", paint: "bad", planned: "to delete", done: "deleted" },
  keep: { sign: " ", paint: "faint", planned: "unchanged", done: "unchanged" },
} as const;

/** Numbers of records, by what is done with them. */
type Summary = Readonly<Record<(typeof actions)[Step["action"]]["done"], number>>;

/** Counts steps by their action, without those that apply does not carry out. */
export function summaryOf(steps: readonly Step[]): Summary {
  const summary = { created: 0, updated: 0, replaced: 0, deleted: 0, unchanged: 0 };
  for (const step of steps) {
    if (blockedBy(step) === undefined) summary[actions[step.action].done] += 1;
  }
  return summary;
}

/** Counts the steps of a plan as `--json` prints them. @param summary of the steps that are or would be carried out */
export function planCounts({ steps, notCompared, notManaged }: Plan, summary = summaryOf(steps)) {
  return {
    summary: {
      ...summary,
      not_managed: { sender_ids: notManaged.senderIds, groups: notManaged.groups },
      not_compared: notCompared,
    },
    must_be_replaced: steps.filter((step) => step.action === "replace" && !step.isAllowed).length,
    not_compared: notCompared,
  };
}

/**
 * Formats a summary without zeros: `2 to create, 5 unchanged` as planned, `2 created (1 incomplete)` when done.
 *
 * @param incomplete number of records that were created and not completed
 */
export function summaryText(summary: Summary, tense: "planned" | "done", incomplete = 0): string {
  return Object.values(actions)
    .filter(({ done }) => summary[done] > 0)
    .map((action) => {
      const count = `${summary[action.done]} ${action[tense]}`;
      return action === actions.create ? `${count}${incompleteText(incomplete)}` : count;
    })
    .join(", ");
}

function incompleteText(count: number): string {
  return count === 0 ? "" : ` (${count} incomplete)`;
}

/** Returns what a plan does with a record: `to create`. @param action null if the plan has no such step */
export function plannedText(action: unknown): string {
  return action === null ? "nothing to do" : actions[action as Step["action"]].planned;
}

/** Returns the steps that change something. */
export function changingSteps({ steps }: Plan): Step[] {
  return steps.filter(({ action }) => action !== "keep");
}

/** Returns why apply does not carry out a step of a plan, if it does not. */
export function blockedBy(step: Step): string | undefined {
  if (step.action === "replace" && !step.isAllowed) return "needs --replace";
  if (step.action !== "create" || step.unlisted === undefined) return undefined;
  const { id, age } = step.unlisted;
  return `was created ${age} s ago (id ${id}) and is not listed yet`;
}

/** Returns the steps that apply carries out. */
export function dueSteps(plan: Plan): Step[] {
  return changingSteps(plan).filter((step) => blockedBy(step) === undefined);
}

/** What a step of any kind may have. */
interface StepFields {
  readonly desired?: Partial<DesiredGroup>;
  readonly existing?: Existing;
  readonly storedDifferently?: Extract<Step, { action: "keep" }>["storedDifferently"];
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

/**
 * Counts steps that were carried out, by kind: `1 group updated, 2 sender IDs deleted`.
 *
 * @param incomplete those of them that are not complete
 */
export function doneText(steps: readonly Step[], incomplete: readonly Step[]): string {
  const counts = Object.entries(actions).flatMap(([action, { done }]) =>
    Object.entries(nouns).flatMap(([kind, noun]) => {
      const isOf = (step: Step): boolean => step.kind === kind && step.action === action;
      const { length } = steps.filter(isOf);
      const text = `${counted(length, noun)} ${done}`;
      return length === 0 ? [] : `${text}${incompleteText(incomplete.filter(isOf).length)}`;
    }),
  );
  return counts.join(", ");
}

/** Returns the title of a step that was carried out: `Created group Customers`. */
export function doneTitle(step: Step): string {
  return capitalized(`${actions[step.action].done} ${stepTitle(step)}`);
}

/** Returns a step as text: its action and record, with the fields below. */
export function stepText(step: Step, style: Style): string {
  const { sign, paint } = actions[step.action];
  const rows = rowsOf(stepRecord(step));
  const width = Math.max(0, ...rows.map(({ field }) => field.length));
  const lines = rows.map(({ field, texts, remark = "" }) => {
    const value = `${texts.join(" → ")} ${remark}`.trim();
    return `    ${style.faint(field)}${" ".repeat(width - field.length)}  ${value}`;
  });
  const remark = blockedBy(step) ?? (step.action === "replace" ? "will be replaced" : "");
  const title = `${sign} ${stepTitle(step)} ${remark}`.trimEnd();
  return [style[paint](title), ...lines].join("\n");
}

/** A field of a step, for people. */
interface Row {
  readonly field: string;
  /** The value before and after, or the only one of them that there is. */
  readonly texts: readonly string[];
  readonly remark?: string;
}

/** Returns the fields of a step in the order in which they are shown. */
export function rowsOf(record: StepRecord): readonly Row[] {
  const { action, changes, status, loses, sender_id: sender } = record;
  const rows: Row[] = [];
  if (typeof status === "string") rows.push({ field: "status", texts: shownAll([status]) });
  const count = contactsOf(record);
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

/** Returns the fields that a step changes. */
function changesBy(step: Step): readonly Change[] {
  if (step.action === "keep" || step.action === "delete") return [];
  if (step.kind === "group") {
    return step.action === "update" ? step.changes : changesOf(step.desired, {});
  }
  const from = step.action === "replace" ? step.existing["purpose"] : null;
  return [{ field: "purpose", from, to: step.desired.purpose }];
}

/** Returns the number of contacts that a list showed for a group. */
export function contactsOf({ contacts_count: count }: Existing): number {
  return Number(count ?? 0) || 0;
}

/** Returns a warning about what is lost when a sender ID is deleted and recreated. */
function lossOf({ existing }: Extract<SenderIdStep, { action: "replace" }>): string {
  const loss =
    "Its approval status is reset, and the groups that use it lose their sender ID, except for those in the manifest.";
  return `${loss} Current status: ${textOf(existing["status"] ?? null)}.`;
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

/** A step as `--json` prints it. */
export type StepRecord = ReturnType<typeof stepRecord>;

/** Returns a step as data. A delete has the contacts of its group, null if no list shows them, or a status. */
export function stepRecord(step: Step) {
  const { action, kind } = step;
  const { desired, existing, storedDifferently = [] }: StepFields = step;
  const group = kind === "group" ? existing : undefined;
  const deleted = action === "delete" ? existing : undefined;
  const sender = desired?.sender_id;
  return {
    action,
    kind,
    name: desired?.name ?? existing?.["name"],
    id: group?.["id"],
    uuid: group?.["uuid"],
    contacts_count: deleted && group && (group["contacts_count"] ?? null),
    status: group === undefined ? deleted?.["status"] : undefined,
    changes: changesBy(step),
    stored_differently: storedDifferently.length > 0 ? storedDifferently : undefined,
    sender_id:
      sender === undefined
        ? undefined
        : {
            to: sender,
            can_be_compared: existing?.["sender_id"] !== undefined,
            is_sent: action !== "keep",
          },
    loses: step.action === "replace" ? lossOf(step) : undefined,
    blocked: blockedBy(step),
    place: desired?.location,
  };
}

/** The columns of steps, for formats that consist of records. */
export const stepView: RecordView = {
  key: "name",
  fields: {},
  columns: ["action", "kind", "name"],
};

/** Returns a line for each record that is not sent again, because the service stores it differently. */
export function storedLines({ steps }: Plan): string[] {
  return steps.flatMap((step) => {
    const { storedDifferently = [] }: StepFields = step;
    const fields = storedDifferently.map(
      ({ field, sent, stored }) => `${field} ${shownAll([sent, stored]).join(" as ")}`,
    );
    return fields.length === 0
      ? []
      : `${stepTitle(step)} is stored differently by the service: ${fields.join(", ")}`;
  });
}
