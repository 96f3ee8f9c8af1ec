import { refuseDryRun, wholeNumber } from "../../command/arguments.ts";
import { defineCommand, optional } from "../../command/define-command.ts";
import { type JournalEntry, type JournaledStep, stepProblems } from "../../config/journal.ts";
import { SendctlError } from "../../core/error.ts";
import { jsonText } from "../../core/json-text.ts";
import {
  exportedGroup,
  type ExportedGroup,
  type ExportedSenderId,
  yamlManifest,
} from "../../manifest/export.ts";
import { uuidForm, type RecordKind, nouns } from "../../contract/resources.ts";
import {
  nameOf,
  purposeOf,
  type Existing,
  comparedGroupFields,
  recordKey,
} from "../../manifest/manifest.ts";
import { recordFormats } from "../../output/formats/formats.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Session } from "../../command/session.ts";
import { timeCell, type RecordView } from "../../output/views.ts";
import { lineOf, onePageReply } from "../../service/lines.ts";
import { shownSenderId } from "../../contract/service.ts";

const historyView: RecordView = {
  key: "id",
  fields: {
    number: { label: "N", column: { align: "right" } },
    time: { label: "Time", cell: timeCell, column: { optional: true } },
    id: { label: "ID", column: { optional: true } },
    changes: { label: "Changes", column: { optional: true } },
    command: { label: "Command", column: { least: 16 } },
    state: { label: "State", column: { least: 8, vital: true } },
  },
  columns: ["number", "time", "id", "changes", "state", "command"],
};

const stepView: RecordView = {
  key: "id",
  fields: {
    action: { label: "Action" },
    record: { label: "Record", column: { least: 12, vital: true } },
    changes: { label: "Changes", column: { least: 20 } },
  },
  columns: ["action", "record", "changes"],
};

export const history = defineCommand({
  path: "history",
  description:
    "Show the commands that changed this target with this key, newest first, from your journal. A new entry moves the numbers; an id stays with its entry. With N, shows the records before and after that entry; -o yaml prints those before it as a manifest for `sendctl apply`.",
  args: { n: optional("number or id of an entry") },
  exitCodes: [[4, "no such entry or, with -o yaml, no records before it"]],
  examples: ["sendctl history", "sendctl history 2 -o yaml > before.yaml"],
  async run(context, { n }) {
    refuseDryRun(context, "this command changes nothing");
    const { output, target, config } = context;
    const entries = await (await target.journal()).entries();
    if (n !== undefined) {
      output.supports("the steps of an entry", recordFormats);
      const number = numberOf(entries, n, context.ask);
      const entry = entries[number - 1]!;
      if (config.settings.format === "yaml") return showManifest(context, entry, number);
      const steps = entry.steps.map(stepRecord);
      const reply = onePageReply(`Entry ${number} of the history`, steps.map(lineOf));
      return output.page(reply, stepView, { isNarrated: false });
    }
    const lines = entries.map((entry, index) => lineOf(summaryOf(entry, index + 1, entries)));
    const nothing = "No changes of this target with this key yet";
    return output.page(onePageReply("History retrieved", lines), historyView, { nothing });
  },
});

/** Returns a step as `history N` shows it: its record, and which fields changed. */
function stepRecord({ action, kind, before, after, sent, problem }: JournaledStep): object {
  const record = after ?? (sent === undefined ? before : { ...before, ...sent });
  const isUpdate = before !== null && record !== null && record !== before;
  const fields = isUpdate
    ? different(Object.keys(after ?? sent ?? {}), record, before)
    : // What was set in a new or deleted record.
      (kind === undefined ? [] : settings[kind]).filter(
        (field) => field !== "name" && (record?.[field] ?? null) !== null,
      );
  const changes = fields.map((field) => {
    const value = jsonText(record![field] ?? null);
    return `${field}: ${isUpdate ? `${jsonText(before[field] ?? null)} → ` : ""}${value}`;
  });
  const texts = [changes.join(", "), problem === "unknown" ? "(outcome unknown)" : ""];
  return {
    action,
    kind: kind ?? null,
    record: kind && record ? titleOf(kind, after ?? before ?? record) : null,
    changes: texts.filter(Boolean).join(" ") || null,
    before,
    after,
    ...(problem && { problem }),
  };
}

/** What an entry changed: how many records, raw requests, and requests with an unknown outcome. */
type Counts = Record<"created" | "updated" | "deleted" | "sent" | "unknown", number>;

/** What a step does to a record whose values were not stored. */
const participles = {
  create: "created",
  update: "updated",
  delete: "deleted",
  request: "sent",
} as const;

/** Counts the records that an entry changed, each once, whatever the number of requests. */
function countsOf({ steps }: JournalEntry): Counts {
  const counts: Counts = { created: 0, updated: 0, deleted: 0, sent: 0, unknown: 0 };
  const known = steps.filter(({ problem }) => problem !== "unknown");
  counts.unknown = steps.length - known.length;
  for (const { action, kind, before, after } of known) {
    if (kind === undefined || (before ?? after) === null) counts[participles[action]] += 1;
  }
  for (const { before, after } of netChanges({ steps: known })) {
    const isSame = before !== null && after !== null && before["id"] === after["id"];
    if (isSame) counts.updated += 1;
    else if (after !== null) counts.created += 1;
    if (!isSame && before !== null) counts.deleted += 1;
  }
  return counts;
}

/** Returns an entry as the list shows it. */
function summaryOf(entry: JournalEntry, number: number, entries: readonly JournalEntry[]): object {
  const { time, target, command, undoes } = entry;
  const counts = countsOf(entry);
  const changes = Object.entries(counts).filter(([, count]) => count > 0);
  const undone = entries.findIndex(({ id }) => id === undoes) + 1;
  const problem = problemOf(entry);
  const states = [
    ...(undoes === undefined ? [] : [undone === 0 ? "undo" : `undo of ${undone}`]),
    ...(isUndone(entry) ? ["undone"] : []),
    ...(problem === undefined ? [] : ["cannot be undone"]),
  ];
  return {
    number,
    id: shownId(entry),
    time,
    changes: changes.map(([name, count]) => `${count} ${name}`).join(", "),
    ...counts,
    command,
    state: states.join("; ") || null,
    problem: problem ?? null,
    target,
  };
}

/** Prints the records before an entry as a manifest. @throws SendctlError "not_found" for none */
async function showManifest(
  { output, ask }: Session,
  entry: JournalEntry,
  number: number,
): Promise<ExitCode> {
  const senderIds: ExportedSenderId[] = [];
  const groups: ExportedGroup[] = [];
  for (const { kind, before, after } of netChanges(entry)) {
    if (before === null) continue;
    if (kind === "sender-id") senderIds.push({ name: nameOf(before), purpose: purposeOf(before) });
    else {
      const { id, uuid, sender_id: sender } = before;
      const isKnown = typeof sender === "string" || sender === null;
      // Another group may have the id by now.
      const key = uuidForm.test(String(uuid)) ? { uuid: String(uuid) } : { id: String(id) };
      groups.push({
        ...exportedGroup(before),
        // A group that exists may have another name.
        ...(after && key),
        ...(isKnown && { sender_id: sender }),
      });
    }
  }
  if (senderIds.length + groups.length === 0) {
    throw new SendctlError("not_found", `the history has no records from before entry ${number}`, {
      hint: ask.line(["history", String(number)]),
    });
  }
  // An empty section would be pruned by an apply.
  const sections = [
    senderIds.length > 0 ? senderIds : undefined,
    groups.length > 0 ? groups : undefined,
  ] as const;
  for (const part of yamlManifest(...sections)) await output.raw(part);
  return exitCodes.done;
}

/** Returns the id by which users name an entry, which it keeps when others follow. */
function shownId({ id }: JournalEntry): string {
  return id.replace(/^.*?-/, "").slice(0, 8);
}

/**
 * Returns the number of the entry with this id or number.
 *
 * @throws SendctlError "not_found" without such an entry, "usage" if it is neither id nor number
 */
export function numberOf(
  entries: readonly JournalEntry[],
  given: string,
  { line }: Pick<Session["ask"], "line">,
): number {
  const key = given.toLowerCase();
  const found = entries.findIndex((entry) => shownId(entry) === key) + 1;
  const number = found > 0 || /[a-z]/.test(key) ? found : wholeNumber(given, "N", 1)!;
  if (number > 0 && number <= entries.length) return number;
  const message = `the history of this target has no entry ${given}`;
  throw new SendctlError("not_found", message, { hint: line(["history"]) });
}

/** What a command did to one record, over all its steps. */
export interface NetChange {
  readonly key: string;
  readonly kind: RecordKind;
  /** The record before the first step and after the last one; null if it did not exist. */
  readonly before: Existing | null;
  readonly after: Existing | null;
  /** The fields that differ and that a manifest can set: all for a new or deleted record. */
  readonly fields: readonly string[];
}

/** Returns whether all changes of an entry have been taken back. */
export function isUndone(entry: JournalEntry): boolean {
  return entry.undone.length > 0 && changesLeft(entry).length === 0;
}

/** Returns why an entry cannot be undone; undefined if it can. */
export function problemOf(entry: JournalEntry): string | undefined {
  const step = entry.steps.find(({ problem }) => problem !== undefined);
  if (step?.problem !== undefined) {
    return Object.hasOwn(stepProblems, step.problem) ? stepProblems[step.problem] : "it is damaged";
  }
  const isVisible = entry.undone.length > 0 || changesLeft(entry).length > 0;
  return isVisible ? undefined : "it changed no field that the service shows";
}

/** Returns the changes that are not taken back and that responses show. */
export function changesLeft(entry: JournalEntry): readonly NetChange[] {
  return netChanges(entry).filter(
    ({ key, fields }) => fields.length > 0 && !entry.undone.includes(key),
  );
}

/** Joins the steps of each record that the entry changed for good, the newest first. */
export function netChanges({ steps }: Pick<JournalEntry, "steps">): readonly NetChange[] {
  const changes = new Map<string, NetChange>();
  for (const { kind, ...step } of steps) {
    const [first, after] = [step.before, step.after].map((record) => record && comparable(record));
    const record = after ?? first;
    if (kind === undefined || !record) continue;
    const key = keyOf(kind, record);
    const known = changes.get(key);
    const before = known === undefined ? first! : known.before;
    changes.delete(key);
    changes.set(key, { key, kind, before, after: after!, fields: changed(kind, before, after!) });
  }
  return [...changes.values()].toReversed();
}

/** Returns a record with its sender ID, if the service shows it, as text. */
export function comparable(shown: Existing): Existing {
  const { sender_id: _, ...record } = shown;
  const sender = shownSenderId(shown);
  return sender === undefined ? record : { ...record, sender_id: sender };
}

/** Returns the key of a record in a journal: services find groups by id and sender IDs by name. */
export function keyOf(kind: RecordKind, { id, name }: Existing): string {
  return recordKey(kind, kind === "group" ? (id ?? name) : name);
}

/** The fields that a manifest can set. A record of a remote service has no sender_id. */
export const settings = {
  group: [...comparedGroupFields, "sender_id"],
  "sender-id": ["name", "purpose"],
} as const;

function changed(
  kind: RecordKind,
  before: Existing | null,
  after: Existing | null,
): readonly string[] {
  if (before !== null && after !== null) return different(settings[kind], before, after);
  return before === after ? [] : settings[kind];
}

/** Returns the fields of a record that have another value in another one. */
export function different(
  fields: readonly string[],
  of: Existing,
  other: Existing,
): readonly string[] {
  return fields.filter(
    (field) => of[field] !== undefined && jsonText(of[field]) !== jsonText(other[field] ?? null),
  );
}

/** Returns the title of a record: `group Customers (id 4)`. */
export function titleOf(kind: RecordKind, record: Existing): string {
  const id = kind === "group" && "id" in record ? ` (id ${String(record["id"])})` : "";
  return `${nouns[kind]} ${nameOf(record)}${id}`;
}
