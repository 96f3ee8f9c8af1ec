import type { JournalEntry } from "../../config/journal.ts";
import { SendctlError } from "../../core/error.ts";
import { counted, firstOf, safeText } from "../../core/text.ts";
import { comparisonKey } from "../../core/names.ts";
import { exportedGroup } from "../../manifest/export.ts";
import { type RecordKind } from "../../contract/resources.ts";
import {
  type Existing,
  changesOf,
  comparedGroupFields,
  idText,
  nameOf,
  purposeOf,
  recordKey,
} from "../../manifest/manifest.ts";
import type { ChangingStep, Planner, Step } from "../../manifest/plan/plan.ts";
import { contactsOf } from "../manifest/step-data.ts";
import {
  changed,
  changesLeft,
  different,
  keyOf,
  settings,
  titleOf,
  withSenderText,
  type NetChange,
} from "./net-changes.ts";

type Creation = Extract<ChangingStep, { readonly action: "create" }>;

/** Returns whether two records of a key are the same one: another group has the id of a deleted one after `local reset`. */
function isSame(one: Existing, other: Existing): boolean {
  return ["id", "uuid"].every((field) => {
    const [left, right] = [one[field] ?? other[field], other[field] ?? one[field]];
    return String(left).toLowerCase() === String(right).toLowerCase();
  });
}

/** Tolerance for the clock of the service, in milliseconds. */
const maxClockDifference = 10 * 60_000;

/** Collects the records that an undo needs. @param left the changes to take back */
function createFound(left: readonly NetChange[], entry: JournalEntry) {
  const changes = new Map(left.map((change) => [change.key, change]));
  /** By the key of the change. */
  const found = new Map<string, Existing>();
  /** The records that stand in the way of creating others of their names. */
  const namesakes = new Map<string, Existing>();
  const listed = new Set<string>();
  /** What to send for a sender ID that exists, or that the undo creates again, by its name and by its id. */
  const senderIds = new Map<string, string>();
  for (const { kind, before } of left) {
    if (kind !== "sender-id" || before === null) continue;
    const name = nameOf(before);
    senderIds.set(idText(before) ?? name, name).set(name, name);
  }
  /** When the command changed the records, in milliseconds since 1970. */
  const changedAt = Date.parse(entry.time);
  return {
    changes,
    found,
    namesakes,
    senderIds,
    changedAt,
    isListed: (kind: RecordKind, { id }: Existing): boolean => listed.has(recordKey(kind, id)),
    take: (kind: RecordKind, record: Existing): void => {
      if (kind === "sender-id") {
        const [name, id] = [nameOf(record), idText(record)];
        if (id !== undefined && !senderIds.has(id)) senderIds.set(id, id);
        senderIds.set(name, name);
      }
      listed.add(recordKey(kind, record["id"]));
      const key = keyOf(kind, record);
      const change = changes.get(key);
      // Several sender IDs can have a name, too.
      const known = found.get(key);
      if (change !== undefined && !(known && isSame(known, change.after ?? change.before!))) {
        found.set(key, withSenderText(record));
      }
      // Several groups can have a name.
      const isNew = kind === "sender-id" || timeOf(record) > changedAt;
      if (isNew) namesakes.set(nameKey(kind, record), record);
    },
  };
}

/** What an undo has found of the records that it takes back. */
type Found = ReturnType<typeof createFound>;

/**
 * Creates the planner that takes back what is left of an entry, its last change first.
 *
 * @param hint of the error for records that have changed
 * @returns a planner whose `plan` throws SendctlError "differences" if a record has changed since
 */
export function createUndoPlanner(entry: JournalEntry, hint: string, isRemote: boolean): Planner {
  const left = changesLeft(entry);
  const found = createFound(left, entry);
  const isNaming = left.some(({ before }) => typeof before?.["sender_id"] === "string");
  const comparedFields = (kind: RecordKind): readonly string[] => {
    const shown = kind === "group" ? comparedGroupFields : settings[kind];
    const ofKind = left.filter((change) => change.kind === kind);
    return shown.filter((field) => ofKind.some(({ after }) => after?.[field] !== undefined));
  };
  return {
    needs: {
      ...(isNaming && { "sender-id": [] }),
      ...Object.fromEntries(left.map(({ kind }) => [kind, comparedFields(kind)])),
    },
    needsSenderId: (group) =>
      found.changes.get(keyOf("group", group))?.after?.["sender_id"] !== undefined,
    take: found.take,
    plan: () => {
      const undone = left.map((change) => ({ change, step: undoOf(change, found) }));
      const obstacles = undone.flatMap(({ change: { kind, before, after }, step }) =>
        typeof step === "string" ? `${titleOf(kind, after ?? before!)} ${step}` : [],
      );
      if (obstacles.length > 0) {
        const named = safeText(firstOf(obstacles, 20));
        const message = `nothing was undone: ${named}`;
        throw new SendctlError("differences", message, { hint });
      }
      const steps = undone.flatMap(({ step }) =>
        step === undefined ? [] : (step as ChangingStep),
      );
      return {
        steps,
        notManaged: { senderIds: 0, groups: 0 },
        notCompared: 0,
        isListed: found.isListed,
        losses: lossesOf(entry, steps, isRemote),
      };
    },
  };
}

/**
 * Returns the step that takes back a change; undefined if it is taken back already; or why the record is not as the command
 * left it.
 */
function undoOf(
  { key, kind, before, after }: NetChange,
  { found, namesakes, senderIds, changedAt }: Found,
): ChangingStep | string | undefined {
  const [current, recorded] = [found.get(key), after ?? before!];
  const shown = before?.["sender_id"];
  const sender = typeof shown === "string" ? senderIds.get(shown) : null;
  if (sender === undefined) return `used the sender ID ${String(shown)}, which no longer exists`;
  const existing = current !== undefined && isSame(current, recorded) ? current : undefined;
  if (after === null) {
    if (existing !== undefined) return `is still listed (id ${String(existing["id"])})`;
    const again = namesakes.get(nameKey(kind, recorded));
    if (again === undefined) return creation(kind, recorded, sender);
    return `cannot be created again: another one has its name (id ${String(again["id"])})`;
  }
  if (existing === undefined) return before === null ? undefined : "no longer exists";
  const isUpdate = kind === "group" && before !== null;
  const fields = isUpdate ? changed(kind, before, after) : [...settings[kind], "status"];
  const others = different(fields, after, existing);
  const isTakenBack = isUpdate && different(fields, before, existing).length === 0;
  if (isTakenBack) return undefined;
  if (others.length > 0) return `now has a different ${others.join(", ")}`;
  if (before === null) {
    const isCounted = Number.isFinite(Number(existing["contacts_count"] ?? Number.NaN));
    if (kind === "group" && !isCounted)
      return "may have contacts: the service does not show how many";
    const count = contactsOf(existing);
    if (count > 0) return `now has ${counted(count, "contact")}`;
    // A service may respond to a create with a record that existed.
    if (timeOf(existing) < changedAt - maxClockDifference) return "existed before";
    return { action: "delete", kind, existing };
  }
  const step = creation(kind, { ...after, ...before });
  if (step.kind === "sender-id") {
    return { ...step, action: "replace", existing, isAllowed: true };
  }
  const changes = [
    ...changesOf(step.desired, existing),
    { field: "sender_id", from: existing["sender_id"], to: sender },
  ].filter(({ field }) => fields.includes(field));
  return { ...step, action: "update", existing, changes };
}

/** Returns what an undo does not restore. The embedded engine knows the sender ID of each group that was read. */
function lossesOf(
  { steps: changed }: JournalEntry,
  steps: readonly ChangingStep[],
  isRemote: boolean,
): readonly string[] {
  const again = steps.filter(({ action }) => action === "create" || action === "replace");
  const isHidden = changed.some(({ kind, before, after, setsSenderId = false }) => {
    if (kind !== "group" || before === null || !(after === null || setsSenderId)) return false;
    const [from, to] = [before, after ?? before].map((group) => withSenderText(group)["sender_id"]);
    return from === undefined || (setsSenderId && from === null && to === null);
  });
  // The embedded engine knows which groups used a deleted one, but not which used one that was replaced.
  const isUnlinked = again.some(
    ({ kind, action }) => kind === "sender-id" && (isRemote || action === "replace"),
  );
  return [
    ...(again.length > 0
      ? ["ids, the uuids and contacts of groups, and the approval of sender IDs"]
      : []),
    ...(isHidden ? ["the sender_id of a group, which the service never shows"] : []),
    ...(isUnlinked ? ["the sender_id of groups that used a deleted sender ID"] : []),
  ];
}

/** Returns the name by which a record is in the way of another: a sender ID has no other of exactly its name. */
function nameKey(kind: RecordKind, record: Existing): string {
  const name = nameOf(record);
  return recordKey(kind, kind === "group" ? comparisonKey(name) : name);
}

/** No file has the records of an undo. */
const location = { file: "history", line: 1, column: 1 };

/** Returns the step that creates a record as it was. @param sender of a group, null for none */
function creation(kind: RecordKind, record: Existing, sender: string | null = null): Creation {
  const step = { action: "create" } as const;
  if (kind === "group") {
    const id = idText(record);
    const fields = { ...(id && { id }), ...(sender !== null && { sender_id: sender }) };
    return { ...step, kind, desired: { ...exportedGroup(record), ...fields, location } };
  }
  return { ...step, kind, desired: { name: nameOf(record), purpose: purposeOf(record), location } };
}

/** Returns the key of the change that a step takes back. */
export function undoneBy(step: Step): string {
  const { kind } = step;
  const record: Existing = step.action === "delete" ? step.existing : { ...step.desired };
  return keyOf(kind, record);
}

/** Returns when a record was created, in milliseconds since 1970; NaN if that is not known. */
function timeOf({ created_at: time }: Existing): number {
  return typeof time === "string" ? Date.parse(time) : Number.NaN;
}
