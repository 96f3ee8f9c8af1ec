import { jsonText } from "../../contract/text/json-text.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Style } from "../../output/style.ts";
import { changesOf, type Existing } from "../../plan/group-changes.ts";
import type { GroupStep, Plan, SenderIdStep, Step } from "../../plan/plan.ts";
import { groupKey, nameOf } from "../../plan/record-keys.ts";
import { textOf, type RecordView } from "../../output/views.ts";

const kinds = { "sender-id": "sender ID", group: "group" } as const;

const signs: Readonly<Record<Step["action"], string>> = {
  create: "+",
  update: "~",
  replace: "±",
  delete: "-",
  keep: " ",
};

/** Number of steps with each action. */
export type Summary = Readonly<Record<Step["action"], number>>;

export function summaryOf({ steps }: Plan): Summary {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, keep: 0 };
  for (const { action } of steps) counts[action] += 1;
  return counts;
}

/** Returns the steps that change something. */
export function changingSteps({ steps }: Plan): Step[] {
  return steps.filter(({ action }) => action !== "keep");
}

/** Returns the title of a step: `group Customers (id 12)`. */
export function stepTitle(step: Step): string {
  const name = "desired" in step ? step.desired.name : nameOf(step.existing);
  const id = step.kind === "group" && "existing" in step ? ` (id ${groupKey(step.existing)})` : "";
  return safeText(`${kinds[step.kind]} ${name}${id}`);
}

/** Returns a step as text: its action and record, with the fields below. */
export function stepText(step: Step, style: Style): string {
  const paint = {
    create: style.good,
    update: style.waiting,
    replace: style.bad,
    delete: style.bad,
    keep: style.faint,
  }[step.action];
  const fields = fieldsOf(step);
  const width = Math.max(0, ...fields.map(({ field }) => field.length));
  const lines = fields.map(
    ({ field, text }) => `    ${style.faint(field)}${" ".repeat(width - field.length)}  ${text}`,
  );
  const remark = blockedBy(step) ?? (step.action === "replace" ? "will be replaced" : "");
  const title = `${signs[step.action]} ${stepTitle(step)} ${remark}`.trimEnd();
  return [paint(title), ...lines].join("\n");
}

/** Returns why apply does not carry out a step of a plan, if it does not. */
export function blockedBy(step: Step): string | undefined {
  if (step.action === "replace" && !step.isAllowed) return "needs --replace";
  if (step.action !== "create" || step.unlisted === undefined) return undefined;
  const { id, age } = step.unlisted;
  return `was created ${age} s ago (id ${id}) and is not listed yet`;
}

/** Returns whether two plans have the same steps. Contacts and statuses do not count. */
export function areSame(plan: Plan, other: Plan): boolean {
  const [text, otherText] = [plan, other].map((one) =>
    jsonText(
      changingSteps(one).map((step) => {
        const { action, kind, name, id, changes, sender_id } = stepRecord(step);
        return [action, kind, name, id, changes, sender_id, blockedBy(step) !== undefined];
      }),
    ),
  );
  return text === otherText;
}

interface FieldText {
  readonly field: string;
  readonly text: string;
}

function fieldsOf(step: Step): FieldText[] {
  if (step.action === "keep") return [];
  if (step.action === "delete") return deletedFields(step);
  if (step.kind === "sender-id") return senderIdFields(step);
  const record = step.action === "update" ? step.existing : {};
  const changes = step.action === "update" ? step.changes : changesOf(step.desired, record);
  return [
    ...changes
      .filter(({ member }) => step.action === "update" || member !== "name")
      .map(({ member, from, to }) => ({
        field: member,
        text: step.action === "update" ? `${shown(from)} → ${shown(to)}` : shown(to),
      })),
    ...senderOf(step),
  ];
}

function senderOf(step: Exclude<GroupStep, { action: "delete" | "keep" }>): FieldText[] {
  const { sender_id } = step.desired;
  if (sender_id === undefined) return [];
  const remark = step.action === "update" ? " (cannot be compared; sent with every update)" : "";
  return [{ field: "sender_id", text: `${shown(sender_id)}${remark}` }];
}

function deletedFields(step: Step & { readonly existing: Existing }): FieldText[] {
  const { status } = step.existing;
  if (step.kind === "sender-id") {
    return typeof status === "string" ? [{ field: "status", text: shown(status) }] : [];
  }
  const count = contactsOf(step.existing);
  return count > 0 ? [{ field: "contacts_count", text: `${count} (deleted with the group)` }] : [];
}

/** Returns the number of contacts that a list showed for a group. */
export function contactsOf({ contacts_count: count }: Existing): number | bigint {
  return typeof count === "number" || typeof count === "bigint" ? count : 0;
}

/** Returns the title of a deleted record with its contacts: `group Customers (id 12) and its 3 contacts`. */
export function deletedTitle(step: Step): string {
  const title = stepTitle(step);
  const count = step.kind === "group" && "existing" in step ? contactsOf(step.existing) : 0;
  if (count === 0 || count === 0n) return title;
  return `${title} and its ${Number(count) === 1 ? "contact" : `${count} contacts`}`;
}

function senderIdFields(step: Exclude<SenderIdStep, { action: "delete" | "keep" }>): FieldText[] {
  const { purpose } = step.desired;
  if (step.action === "create") return [{ field: "purpose", text: shown(purpose) }];
  return [
    { field: "purpose", text: `${shown(step.existing["purpose"])} → ${shown(purpose)}` },
    { field: "warning", text: lossOf(step) },
  ];
}

/** Maximum number of groups named in the warning about a replaced sender ID. */
const maxGroups = 5;

/** Returns a warning about what is lost when a sender ID is deleted and recreated. */
function lossOf({ existing, usedBy }: Extract<SenderIdStep, { action: "replace" }>): string {
  const loss = "Its approval status is reset, and the groups that use it lose their sender ID.";
  const status = `Current status: ${textOf(existing["status"] ?? null)}.`;
  if (usedBy.length === 0) return `${loss} ${status}`;
  const groups = usedBy.slice(0, maxGroups).map((name) => shown(name));
  const more = usedBy.length - groups.length;
  const named = `${groups.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${loss} ${status} Groups that get it back: ${named}.`;
}

/** Formats a value as JSON, so that text differs from other types. */
function shown(value: unknown): string {
  return safeText(typeof value === "bigint" ? String(value) : jsonText(value ?? null));
}

/** Returns the counts of a plan: `2 to create, 1 to update, 5 unchanged`. */
export function summaryLine(plan: Plan): string {
  const summary = summaryOf(plan);
  const parts = [
    [summary.create, "to create"],
    [summary.update, "to update"],
    [summary.replace, "to replace"],
    [summary.delete, "to delete"],
    [summary.keep, "unchanged"],
  ] as const;
  const counts = parts.flatMap(([count, what]) => (count === 0 ? [] : `${count} ${what}`));
  const { senderIds, groups } = plan.notManaged;
  const others = [
    ...(senderIds === 0 ? [] : [senderIds === 1 ? "1 sender ID" : `${senderIds} sender IDs`]),
    ...(groups === 0 ? [] : [groups === 1 ? "1 group" : `${groups} groups`]),
  ];
  return [
    counts.length === 0 ? "0 records in the manifest" : counts.join(", "),
    ...(others.length === 0 ? [] : [`${others.join(" and ")} not in the manifest, left alone`]),
  ].join(" · ");
}

/**
 * Returns a line about sender IDs that cannot be compared, if there are any. A plan without a change of a group has no
 * such line: it would appear on every run.
 */
export function notComparedLine({ notCompared, steps }: Plan): string | undefined {
  const isChanging = steps.some(({ kind, action }) => kind === "group" && action !== "keep");
  if (notCompared === 0 || !isChanging) return undefined;
  const groups = notCompared === 1 ? "1 group" : `${notCompared} groups`;
  return `The sender_id of ${groups} was not compared, because the service never returns it (apply --resend-sender-id sends it)`;
}

/** Maximum number of lines about records that the service stores differently; further ones are counted. */
const maxStoredLines = 5;

type StoredStep = Extract<Step, { readonly storedDifferently: unknown }>;

function storedSteps({ steps }: Plan): StoredStep[] {
  return steps.filter(
    (step): step is StoredStep => "storedDifferently" in step && step.storedDifferently.length > 0,
  );
}

/** Returns a line for each record that is not sent again, because the service stores it differently. */
export function storedLines(plan: Plan): string[] {
  const steps = storedSteps(plan);
  const lines = steps.slice(0, maxStoredLines).map((step) => {
    const fields = step.storedDifferently.map(
      ({ field, sent, stored }) => `${field} ${shown(sent)} as ${shown(stored)}`,
    );
    return `${stepTitle(step)} is stored differently by the service: ${fields.join(", ")}`;
  });
  const more = steps.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more records are stored differently`] : lines;
}

/** Returns the same as data; without a field if nothing is stored differently. */
export function storedRecord(plan: Plan): object {
  const steps = storedSteps(plan);
  if (steps.length === 0) return {};
  const stored = steps.flatMap(({ kind, desired, existing, storedDifferently }) =>
    storedDifferently.map((one) => ({ kind, name: desired.name, id: existing["id"], ...one })),
  );
  return { stored_differently: stored };
}

export const stepView: RecordView = {
  one: "step",
  many: "steps",
  toCreate: "sendctl diff -f FILE",
  key: "name",
  fields: {},
  columns: ["action", "kind", "name"],
};

/** Returns a step as data. */
export function stepRecord(step: Step): Readonly<Record<string, unknown>> {
  const { action, kind } = step;
  const existing = "existing" in step ? step.existing : undefined;
  const desired = "desired" in step ? step.desired : undefined;
  const sender = desired !== undefined && "sender_id" in desired ? desired.sender_id : undefined;
  return {
    action,
    kind,
    name: desired?.name ?? existing?.["name"],
    ...(kind === "group" && existing !== undefined
      ? { id: existing["id"], uuid: existing["uuid"] }
      : {}),
    ...(kind === "group" && action === "delete" && existing !== undefined
      ? { contacts_count: existing["contacts_count"] ?? null }
      : {}),
    changes: changesAsData(step),
    ...("storedDifferently" in step && step.storedDifferently.length > 0
      ? { stored_differently: step.storedDifferently }
      : {}),
    ...(sender === undefined
      ? {}
      : { sender_id: { to: sender, can_be_compared: false, is_sent: action !== "keep" } }),
    ...(step.action === "replace" ? { loses: lossOf(step) } : {}),
    ...(desired === undefined ? {} : { place: desired.location }),
  };
}

function changesAsData(step: Step): readonly unknown[] {
  if (step.action === "keep" || step.action === "delete") return [];
  if (step.kind === "group") {
    return step.action === "update" ? step.changes : changesOf(step.desired, {});
  }
  const { purpose } = step.desired;
  const from = step.action === "replace" ? step.existing["purpose"] : null;
  return [{ member: "purpose", from, to: purpose }];
}
