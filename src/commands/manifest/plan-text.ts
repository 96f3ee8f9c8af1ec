import { jsonText } from "../../contract/json-text.ts";
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

/** How often each thing is done. */
export type Summary = Readonly<Record<Step["action"], number>>;

export function summaryOf({ steps }: Plan): Summary {
  const counts = { create: 0, update: 0, replace: 0, delete: 0, keep: 0 };
  for (const { action } of steps) counts[action] += 1;
  return counts;
}

/** Steps that are taken, without those that keep what there is. */
export function changingSteps({ steps }: Plan): Step[] {
  return steps.filter(({ action }) => action !== "keep");
}

/** As `group Customers (12)`. */
export function stepTitle(step: Step): string {
  const name = "desired" in step ? step.desired.name : nameOf(step.existing);
  const id = step.kind === "group" && "existing" in step ? ` (${groupKey(step.existing)})` : "";
  return safeText(`${kinds[step.kind]} ${name}${id}`);
}

/** A step as people read it: what is done to what, and each member below it. */
export function stepText(step: Step, style: Style): string {
  const paint = {
    create: style.good,
    update: style.waiting,
    replace: style.bad,
    delete: style.bad,
    keep: style.faint,
  }[step.action];
  const members = membersOf(step);
  const width = Math.max(0, ...members.map(({ member }) => member.length));
  const lines = members.map(
    ({ member, text }) => `    ${style.faint(member.padEnd(width))}  ${text}`,
  );
  const remark = step.action === "replace" ? " must be replaced" : "";
  return [paint(`${signs[step.action]} ${stepTitle(step)}${remark}`), ...lines].join("\n");
}

interface MemberText {
  readonly member: string;
  readonly text: string;
}

function membersOf(step: Step): MemberText[] {
  if (step.action === "keep") return [];
  if (step.action === "delete") return deletedMembers(step);
  if (step.kind === "sender-id") return senderIdMembers(step);
  const record = step.action === "update" ? step.existing : {};
  const changes = step.action === "update" ? step.changes : changesOf(step.desired, record);
  return [
    ...changes
      .filter(({ member }) => step.action === "update" || member !== "name")
      .map(({ member, from, to }) => ({
        member,
        text: step.action === "update" ? `${shown(from)} → ${shown(to)}` : shown(to),
      })),
    ...senderOf(step),
  ];
}

function senderOf(step: Exclude<GroupStep, { action: "delete" | "keep" }>): MemberText[] {
  const { sender_id } = step.desired;
  if (sender_id === undefined) return [];
  const remark = step.action === "update" ? " (can't be compared; it is sent)" : "";
  return [{ member: "sender_id", text: `${shown(sender_id)}${remark}` }];
}

function deletedMembers(step: Step & { readonly existing: Existing }): MemberText[] {
  const { contacts_count, status } = step.existing;
  if (step.kind === "sender-id") {
    return typeof status === "string" ? [{ member: "status", text: shown(status) }] : [];
  }
  return typeof contacts_count === "number" && contacts_count > 0
    ? [{ member: "contacts_count", text: `${contacts_count}, which go with it` }]
    : [];
}

function senderIdMembers(step: Exclude<SenderIdStep, { action: "delete" | "keep" }>): MemberText[] {
  const { purpose } = step.desired;
  if (step.action === "create") return [{ member: "purpose", text: shown(purpose) }];
  return [
    { member: "purpose", text: `${shown(step.existing["purpose"])} → ${shown(purpose)}` },
    { member: "loses", text: lossOf(step) },
  ];
}

/** What goes with a sender ID that is deleted and created anew. */
function lossOf({ existing, usedBy }: Extract<SenderIdStep, { action: "replace" }>): string {
  const groups = usedBy.slice(0, 5).map((name) => shown(name));
  const more = usedBy.length > groups.length ? ` and ${usedBy.length - groups.length} more` : "";
  const own =
    usedBy.length === 0
      ? "the groups that use it"
      : `the groups that use it (${groups.join(", ")}${more} are given it again, others are not)`;
  return `its status ${textOf(existing["status"] ?? null)}, and ${own}`;
}

/** A value as JSON has it, so that text can be told from what is none. */
function shown(value: unknown): string {
  return safeText(typeof value === "bigint" ? String(value) : jsonText(value ?? null));
}

/** As `2 to create, 1 to update, 5 unchanged`. */
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
    counts.length === 0 ? "Nothing is managed" : counts.join(", "),
    ...(others.length === 0 ? [] : [`${others.join(" and ")} not in the manifest, left alone`]),
  ].join(" · ");
}

/** What can't be told from the service, if anything. */
export function notComparedLine({ notCompared }: Plan): string | undefined {
  if (notCompared === 0) return undefined;
  const groups = notCompared === 1 ? "1 group names" : `${notCompared} groups name`;
  return `${groups} a sender_id, which can't be compared: the service never shows it (apply --resend-sender-id sends it)`;
}

/** In lines: more records that the service stores differently are counted. */
const mostStored = 5;

type StoredStep = Extract<Step, { readonly storedDifferently: unknown }>;

function storedSteps({ steps }: Plan): StoredStep[] {
  return steps.filter(
    (step): step is StoredStep => "storedDifferently" in step && step.storedDifferently.length > 0,
  );
}

/** Returns a line for each record that the service stores differently, which is not sent again. */
export function storedLines(plan: Plan): string[] {
  const steps = storedSteps(plan);
  const lines = steps.slice(0, mostStored).map((step) => {
    const fields = step.storedDifferently.map(
      ({ field, sent, stored }) => `${field} ${shown(sent)} as ${shown(stored)}`,
    );
    return `${stepTitle(step)}: the service stores it differently: ${fields.join(", ")}`;
  });
  const more = steps.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more records are stored differently`] : lines;
}

/** Returns the same as data; no field where nothing is stored differently. */
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

/** A step as data. */
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
