import { nouns } from "../../manifest/manifest.ts";
import { jsonText } from "../../core/json-text.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Style } from "../../output/style.ts";
import {
  changesOf,
  groupKey,
  nameOf,
  type Change,
  type Existing,
} from "../../manifest/plan/records.ts";
import type { Plan, SenderIdStep, Step } from "../../manifest/plan/plan.ts";
import { textOf, type RecordView } from "../../output/views.ts";

/** The sign of each action, and how it is painted. */
const signs: Readonly<Record<Step["action"], readonly [sign: string, paint: keyof Style]>> = {
  create: ["+", "good"],
  update: ["~", "waiting"],
  replace: ["±", "bad"],
  delete: ["-", "bad"],
  keep: [" ", "faint"],
};

/** Numbers of records, by what is done with them. */
type Summary = ReturnType<typeof summaryOf>;

/** Counts steps by their action. */
export function summaryOf(steps: readonly Step[]) {
  const count = (action: Step["action"]): number =>
    steps.filter((step) => step.action === action).length;
  return {
    created: count("create"),
    updated: count("update"),
    replaced: count("replace"),
    deleted: count("delete"),
    unchanged: count("keep"),
  };
}

/** Returns the steps that change something. */
export function changingSteps({ steps }: Plan): Step[] {
  return steps.filter(({ action }) => action !== "keep");
}

/** Returns the title of a step: `group Customers (id 12)`. */
export function stepTitle(step: Step): string {
  const name = "desired" in step ? step.desired.name : nameOf(step.existing);
  const id = step.kind === "group" && "existing" in step ? ` (id ${groupKey(step.existing)})` : "";
  return safeText(`${nouns[step.kind]} ${name}${id}`);
}

/** Returns a step as text: its action and record, with the fields below. */
export function stepText(step: Step, style: Style): string {
  const [sign, paint] = signs[step.action];
  const fields = fieldsOf(step);
  const width = Math.max(0, ...fields.map(([field]) => field.length));
  const lines = fields.map(
    ([field, text]) => `    ${style.faint(field)}${" ".repeat(width - field.length)}  ${text}`,
  );
  const remark = blockedBy(step) ?? (step.action === "replace" ? "will be replaced" : "");
  const title = `${sign} ${stepTitle(step)} ${remark}`.trimEnd();
  return [style[paint](title), ...lines].join("\n");
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

/** Returns the fields that a step changes. */
function changesBy(step: Step): readonly Change[] {
  if (step.action === "keep" || step.action === "delete") return [];
  if (step.kind === "group") {
    return step.action === "update" ? step.changes : changesOf(step.desired, {});
  }
  const from = step.action === "replace" ? step.existing["purpose"] : null;
  return [{ field: "purpose", from, to: step.desired.purpose }];
}

/** Returns the fields below the title of a step, and their texts. */
function fieldsOf(step: Step): (readonly [field: string, text: string])[] {
  const isNew = step.action === "create";
  const changes = changesBy(step)
    .filter(({ field }) => !isNew || field !== "name")
    .map(({ field, from, to }) => {
      return [field, isNew ? shown(to) : `${shown(from)} → ${shown(to)}`] as const;
    });
  if (step.action === "replace") return [...changes, ["warning", lossOf(step)]];
  if (step.action === "delete") {
    const { status } = step.existing;
    if (step.kind === "sender-id")
      return typeof status === "string" ? [["status", shown(status)]] : [];
    const count = contactsOf(step.existing);
    return count > 0 ? [["contacts_count", `${count} (deleted with the group)`]] : [];
  }
  if (step.kind === "sender-id" || step.action === "keep") return changes;
  const { sender_id } = step.desired;
  if (sender_id === undefined) return changes;
  const remark = isNew ? "" : " (cannot be compared; sent with every update)";
  return [...changes, ["sender_id", `${shown(sender_id)}${remark}`]];
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

/** Formats a summary without zeros: `2 created, 5 unchanged`. */
export function summaryText(
  summary: Summary,
  verbs?: Readonly<Record<keyof Summary, string>>,
): string {
  return (Object.keys(summary) as (keyof Summary)[])
    .flatMap((name) => (summary[name] === 0 ? [] : `${summary[name]} ${verbs?.[name] ?? name}`))
    .join(", ");
}

/** Returns the counts of a plan: `2 to create, 1 to update, 5 unchanged`. */
export function summaryLine(plan: Plan): string {
  const verbs: Readonly<Record<keyof Summary, string>> = {
    created: "to create",
    updated: "to update",
    replaced: "to replace",
    deleted: "to delete",
    unchanged: "unchanged",
  };
  const counts = summaryText(summaryOf(plan.steps), verbs);
  const { senderIds, groups } = plan.notManaged;
  const others = [
    ...(senderIds === 0 ? [] : [senderIds === 1 ? "1 sender ID" : `${senderIds} sender IDs`]),
    ...(groups === 0 ? [] : [groups === 1 ? "1 group" : `${groups} groups`]),
  ];
  return [
    counts === "" ? "0 records in the manifest" : counts,
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

type StoredStep = Extract<Step, { readonly storedDifferently: unknown }>;

function storedSteps({ steps }: Plan): StoredStep[] {
  return steps.filter(
    (step): step is StoredStep => "storedDifferently" in step && step.storedDifferently.length > 0,
  );
}

/** Returns a line for each record that is not sent again, because the service stores it differently. */
export function storedLines(plan: Plan): string[] {
  return storedSteps(plan).map((step) => {
    const fields = step.storedDifferently.map(
      ({ field, sent, stored }) => `${field} ${shown(sent)} as ${shown(stored)}`,
    );
    return `${stepTitle(step)} is stored differently by the service: ${fields.join(", ")}`;
  });
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
    changes: changesBy(step),
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
