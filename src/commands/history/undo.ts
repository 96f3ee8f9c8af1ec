import { mustConfirm } from "../../command/arguments.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import type { Session } from "../../command/session.ts";
import type { JournalEntry } from "../../config/journal.ts";
import type { RecordKind } from "../../contract/resources.ts";
import { SendctlError } from "../../core/error.ts";
import { comparisonKey } from "../../core/names.ts";
import { counted, cut, firstOf, safeText } from "../../core/text.ts";
import { exportedGroup } from "../../manifest/export.ts";
import {
  comparedGroupFields,
  type Existing,
  idText,
  nameOf,
  purposeOf,
  recordKey,
} from "../../manifest/manifest.ts";
import type { ChangingStep, Plan, Step } from "../../manifest/plan/plan.ts";
import { exitCodes } from "../../output/exit-codes.ts";
import { textOf } from "../../output/views.ts";
import { carryOut } from "../manifest/apply.ts";
import { readRecords } from "../manifest/desired-state.ts";
import type { StepFields } from "../manifest/step-data.ts";
import {
  changesLeft,
  netChanges,
  comparable,
  different,
  isUndone,
  keyOf,
  type NetChange,
  problemOf,
  settings,
  titleOf,
  history,
  numberOf,
} from "./history.ts";

const undo = defineCommand({
  path: "undo",
  changes: "service",
  description:
    "Undo the newest command that has not been undone, or entry N of the history (its number or id), after confirmation. Restores the old values of updated fields, recreates deleted records, and deletes created ones unless they have contacts. If a record has changed since, nothing is undone. A recreated record has a new id and uuid, and loses its contacts and its approval.",
  args: { n: optional("number or id of the entry, as `sendctl history` shows it") },
  options: { yes: flag("-y, --yes", "undo without confirmation") },
  exitCodes: [
    [2, "the command cannot be undone"],
    [4, "no such entry, or nothing to undo"],
    [12, "a record has changed since; nothing was undone"],
  ],
  examples: ["sendctl undo --dry-run", "sendctl undo 3 --yes"],
  async run(context, { n }, { yes }) {
    const { target, output, config, ask } = context;
    output.supports("an undo", ["table", "json", "jsonl", "yaml"]);
    const journal = await target.journal();
    const entries = await journal.entries();
    const number = n === undefined ? entries.findIndex(isOpen) + 1 : numberOf(entries, n, ask);
    if (number === 0) {
      const hint = ask.line(["history"]);
      throw new SendctlError("not_found", "nothing to undo", { hint });
    }
    const entry = entries[number - 1]!;
    const shown = ask.line(["history", String(number)]);
    const hint = netChanges(entry).some(({ before }) => before !== null)
      ? `to print its records as they were before: ${ask.line(["history", String(number), "-o", "yaml"])}`
      : shown;
    const obstacle = obstacleTo(entry);
    if (obstacle !== undefined) {
      const message = `entry ${number} (${entry.command}) cannot be undone: ${obstacle}`;
      const next = entries.findIndex((other) => obstacleTo(other) === undefined);
      const other =
        n === undefined && next >= 0
          ? `to undo ${cut(entries[next]!.command, 80)}: ${ask.line(["undo", String(next + 1)])}`
          : shown;
      const isLost = entry.steps.some((step) => step.problem === "unknown" && step.before !== null);
      throw new SendctlError("usage", message, { hint: isLost ? hint : other });
    }
    const { dryRun } = config.settings;
    const mustAsk = !dryRun && mustConfirm(context, yes, "undo");
    journal.takeBack(entry.id);
    await output.say(safeText(`Undoing: ${entry.command}`));
    const review = {
      verb: "undo" as const,
      plan: () => stepsBack(context, entry, hint),
      done: (step: Step) => journal.tookBack(keyOfStep(step)),
    };
    const exitCode = await carryOut(context, review, mustAsk);
    // Also what was taken back by other means.
    const left = exitCode === exitCodes.done && !dryRun ? changesLeft(entry) : [];
    for (const { key } of left) await journal.tookBack(key);
    return exitCode;
  },
});

/** Returns whether a plain `sendctl undo` may take an entry. */
function isOpen(entry: JournalEntry): boolean {
  return entry.undoes === undefined && !isUndone(entry);
}

/** Returns why an entry cannot be undone, whatever the service has now; undefined if it can. */
function obstacleTo(entry: JournalEntry): string | undefined {
  if (entry.undoes !== undefined) return "it is an undo itself";
  return isUndone(entry) ? "it has already been undone" : problemOf(entry);
}

/** Returns the key of the change that a step takes back. */
function keyOfStep({ kind, ...step }: Step): string {
  const { existing, desired }: StepFields = step;
  return keyOf(kind, existing ?? { ...desired });
}

/**
 * Reads the records, and returns the steps that take back the rest of an entry, latest first.
 *
 * @param hint of the error
 * @throws SendctlError "differences" if a record has changed since
 */
async function stepsBack(context: Session, entry: JournalEntry, hint: string): Promise<Plan> {
  const left = changesLeft(entry);
  const current = await readCurrent(context, left, Date.parse(entry.time));
  const steps: ChangingStep[] = [];
  const [obstacles, stay]: readonly [string[], string[]] = [[], []];
  for (const change of left) {
    const { kind, before, after } = change;
    const step = stepBack(change, current);
    const again = before === null && current.namesakes.get(nameKey(kind, after!));
    if (typeof step === "string") obstacles.push(`${titleOf(kind, after ?? before!)} ${step}`);
    else if (step !== undefined) steps.push(step);
    else if (again)
      stay.push(`${titleOf(kind, again)} stays: it is not the one that this command created`);
  }
  if (obstacles.length > 0) {
    const message = safeText(`nothing was undone: ${firstOf(obstacles, 20)}`);
    throw new SendctlError("differences", message, { hint });
  }
  const isRemote = context.config.settings.baseUrl !== undefined;
  return {
    steps: await withLinks(context, steps),
    notManaged: { senderIds: 0, groups: 0 },
    notCompared: 0,
    isListed: current.isListed,
    warnings: [...lossesOf(entry, steps, isRemote).map((loss) => `not restored: ${loss}`), ...stay],
  };
}

/**
 * Returns the steps with those that give a replaced sender ID back to its groups, which lose it.
 * Only the engine knows them.
 */
async function withLinks(
  { target }: Session,
  steps: readonly ChangingStep[],
): Promise<readonly ChangingStep[]> {
  const others = new Map(steps.map((step) => [keyOfStep(step), step]));
  for (const step of steps) {
    if (step.action !== "replace") continue;
    const { name } = step.desired;
    const link = { field: "sender_id", from: null, to: name };
    for (const group of (await target.groupsOf(name)) ?? []) {
      const existing: Existing = { ...group };
      const key = keyOf("group", existing);
      const known = others.get(key);
      if (known !== undefined && known.action !== "update") continue;
      const desired = { name: nameOf(existing), location };
      const update = known ?? { action: "update", kind: "group", desired, existing, changes: [] };
      if (update.changes.some(({ field }) => field === "sender_id")) continue;
      others.set(key, { ...update, changes: [...update.changes, link] });
    }
  }
  return [...others.values()];
}

/** The records of a service as far as an undo concerns them. */
type Current = Awaited<ReturnType<typeof readCurrent>>;

/** Reads the records that an undo needs. @param changedAt milliseconds since 1970 */
async function readCurrent(context: Session, left: readonly NetChange[], changedAt: number) {
  const changes = new Map(left.map((change) => [change.key, change]));
  /** The records that the command has changed, by the key of the change. */
  const found = new Map<string, Existing>();
  /** Records whose names block creating others: several groups can have a name. */
  const namesakes = new Map<string, Existing>();
  const listed = new Set<string>();
  /** The names and ids of the sender IDs that exist, or that the undo creates again. */
  const senderIds = new Set<unknown>(
    left.flatMap(({ kind, before }) => (kind === "sender-id" ? (before?.["name"] ?? []) : [])),
  );
  const shownFields = (kind: RecordKind): readonly string[] =>
    (kind === "group" ? comparedGroupFields : settings[kind]).filter((field) =>
      left.some((one) => one.kind === kind && one.after?.[field] !== undefined),
    );
  const isNaming = left.some(({ before }) => typeof before?.["sender_id"] === "string");
  const kinds = [...(isNaming ? (["sender-id"] as const) : []), ...left.map(({ kind }) => kind)];
  await readRecords(context, context.target.service, {
    needs: Object.fromEntries(kinds.map((kind) => [kind, shownFields(kind)])),
    needsSenderId: (group) =>
      changes.get(keyOf("group", group))?.after?.["sender_id"] !== undefined,
    take: (kind, record) => {
      if (kind === "sender-id") senderIds.add(nameOf(record)).add(idText(record));
      listed.add(recordKey(kind, record["id"]));
      const change = changes.get(keyOf(kind, record));
      // Several sender IDs can have a name, too.
      const isChanged = change !== undefined && isSame(record, change.after ?? change.before!);
      if (isChanged) found.set(change.key, comparable(record));
      const isInTheWay = kind === "sender-id" || timeOf(record) > changedAt;
      if (isInTheWay) namesakes.set(nameKey(kind, record), record);
    },
  });
  const isListed: Plan["isListed"] = (kind, { id }) => listed.has(recordKey(kind, id));
  return { found, namesakes, senderIds, changedAt, isListed };
}

/** No file has the records of an undo. */
const location = { file: "history", line: 1, column: 1 };

/** Tolerance for the clock of the service, in milliseconds. */
const maxClockDifference = 10 * 60_000;

/**
 * Returns the step that takes back a change; undefined if it is taken back already; or why the
 * record is not as the command left it.
 */
function stepBack(
  { key, kind, before, after, fields: changed }: NetChange,
  { found, namesakes, senderIds, changedAt }: Current,
): ChangingStep | string | undefined {
  const existing = found.get(key);
  const sender = before?.["sender_id"];
  const isGone = typeof sender === "string" && !senderIds.has(sender);
  if (isGone) return `used the sender ID ${sender}, which no longer exists`;
  if (after === null) {
    const recorded = before!;
    if (existing !== undefined) return `is still listed (id ${String(existing["id"])})`;
    const namesake = namesakes.get(nameKey(kind, recorded));
    if (namesake !== undefined) {
      return `cannot be created again: another one has its name (id ${String(namesake["id"])})`;
    }
    if (kind === "sender-id") return { action: "create", kind, desired: senderIdAs(recorded) };
    const id = idText(recorded);
    const known = { ...(id && { id }), ...(typeof sender === "string" && { sender_id: sender }) };
    const desired = { ...exportedGroup(recorded), ...known, location };
    return { action: "create", kind, desired };
  }
  if (existing === undefined) return before === null ? undefined : "no longer exists";
  const isUpdate = kind === "group" && before !== null;
  const fields = isUpdate ? changed : [...settings[kind], "status"];
  const old = isUpdate ? different(fields, before, existing) : [];
  if (isUpdate && old.length === 0) return undefined;
  const others = different(fields, after, existing);
  if (others.length > 0) return `now has a different ${others.join(", ")}`;
  if (isUpdate) {
    const changes = old.map((field) => ({
      field,
      from: existing[field] ?? null,
      to: before[field],
    }));
    const desired = { name: nameOf({ ...after, ...before }), location };
    return { action: "update", kind, desired, existing, changes };
  }
  if (kind === "sender-id" && before !== null) {
    return { action: "replace", kind, desired: senderIdAs(before), existing, isAllowed: true };
  }
  const count = textOf(existing["contacts_count"]);
  if (kind === "group" && count !== "0") {
    return /^[0-9]+$/.test(count)
      ? `now has ${counted(BigInt(count), "contact")}`
      : "may have contacts: the service does not show how many";
  }
  // A service may respond to a create with a record that existed.
  if (timeOf(existing) < changedAt - maxClockDifference) return "existed before";
  return { action: "delete", kind, existing };
}

/** Returns a sender ID as it was, to create it again. */
function senderIdAs(record: Existing) {
  return { name: nameOf(record), purpose: purposeOf(record), location };
}

/** Lists what an undo does not restore. The engine knows the sender ID of each group read. */
function lossesOf(
  { steps: changed }: JournalEntry,
  steps: readonly ChangingStep[],
  isRemote: boolean,
): readonly string[] {
  const again = steps.filter(({ action }) => action === "create" || action === "replace");
  const isKept = steps.some(({ kind, action }) => kind === "group" && action !== "delete");
  const isHidden = changed.some(
    ({ kind, before, after, setsSenderId }) =>
      kind === "group" &&
      before !== null &&
      (after === null || setsSenderId === true) &&
      [before, after].every((group) => typeof comparable(group ?? {})["sender_id"] !== "string"),
  );
  const isUnlinked = isRemote && again.some(({ kind }) => kind === "sender-id");
  const recreated = "ids, the uuids and contacts of groups, and the approval of sender IDs";
  return [
    ...(again.length > 0 ? [recreated] : []),
    ...(isRemote && isKept && isHidden
      ? ["the sender_id of a group, which the service never shows"]
      : []),
    ...(isUnlinked ? ["the sender_id of groups that used a deleted sender ID"] : []),
  ];
}

/** Returns the name by which a record blocks another: a sender ID's exact name is unique. */
function nameKey(kind: RecordKind, record: Existing): string {
  const name = nameOf(record);
  return recordKey(kind, kind === "group" ? comparisonKey(name) : name);
}

/** Returns whether two records of a key are the same: after `local reset`, ids are used again. */
function isSame(one: Existing, other: Existing): boolean {
  return ["id", "uuid"].every((field) => {
    const [left, right] = [one[field] ?? other[field], other[field] ?? one[field]];
    return String(left).toLowerCase() === String(right).toLowerCase();
  });
}

/** Returns when a record was created, in milliseconds since 1970; NaN if that is not known. */
function timeOf({ created_at: time }: Existing): number {
  return typeof time === "string" ? Date.parse(time) : Number.NaN;
}

/** `sendctl history` and `sendctl undo`. */
export const commands = [history, undo];
