import {
  readJournal,
  type JournaledStep,
  type JournalEntry,
  type ownerOf,
} from "../../config/journal.ts";
import type { OwnUpdate } from "../../client/calls.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { jsonText } from "../../core/json-text.ts";
import type { RecentRecord } from "../../manifest/plan/memory.ts";

type Owner = ReturnType<typeof ownerOf>;

/** Returns the entries of an owner; none if the journal cannot be read, because then nothing is known. */
function entriesOf(file: string, { target, key }: Owner): readonly JournalEntry[] {
  try {
    const { entries } = readJournal(file);
    return entries.filter((entry) => entry.target === target && entry.key === key);
  } catch {
    return [];
  }
}

/** In milliseconds. */
const recentTime = 60_000;

/** A step of the last minute. */
export interface RecentStep extends JournaledStep {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Returns the steps of the last minute. @param now milliseconds since 1970 */
export function recentSteps(file: string, owner: Owner, now: number): readonly RecentStep[] {
  return entriesOf(file, owner)
    .filter(({ time }) => now - Date.parse(time) < recentTime)
    .flatMap(({ steps, time }) => steps.map((step) => ({ ...step, at: Date.parse(time) })));
}

/** Returns what became of the records whose name or existence some steps have changed. */
export function recentRecords(steps: readonly RecentStep[]): readonly RecentRecord[] {
  const found = new Map<string, RecentRecord>();
  for (const { kind, before, after, sent, problem, at } of steps) {
    const isUnread = problem === "unknown";
    // The service may have shown the old values.
    const record = after === null && !isUnread ? before : { ...after, ...sent };
    if (kind === undefined || record === null || !("id" in record)) continue;
    const [id, name] = [String(record["id"]), String(record["name"])];
    const isUnchanged = before !== null && after !== null && before["name"] === name;
    if (isUnchanged && !found.has(`${kind} ${id}`)) continue;
    found.set(`${kind} ${id}`, {
      kind,
      id,
      name,
      at,
      isDeleted: after === null && !isUnread,
      isOpen: isUnread,
    });
  }
  return [...found.values()];
}

/** Returns a step as an update of a group, if it is one whose outcome is known. */
export function ownUpdateOf(
  { action, kind, before, after, sent, problem }: JournaledStep,
  { id, uuid }: ShownRecord,
): OwnUpdate | undefined {
  const updated = after ?? sent ?? {};
  const [key, ...own] = [updated["id"], id ?? "", uuid ?? ""].map((value) =>
    jsonText(value ?? null).replaceAll('"', ""),
  );
  // The group of that id may be another one by now.
  const isAnother = jsonText(updated["uuid"] ?? uuid) !== jsonText(uuid ?? updated["uuid"]);
  if (action !== "update" || kind !== "group" || !own.includes(key!) || isAnother) return undefined;
  // How the service shows the sender ID that a raw request sent is not known.
  const { sender_id: _, ...fields } = sent ?? {};
  if (problem === "unread") return { before: undefined, after: fields };
  return before && after ? { before, after: { ...after, ...sent } } : undefined;
}
