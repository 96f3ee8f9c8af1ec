import {
  readJournal,
  type JournaledStep,
  type JournalEntry,
  type ownerOf,
} from "../../config/journal.ts";
import type { RecentRecord } from "../../manifest/plan/memory.ts";

/** Returns the entries of a journal; none if it cannot be read, because then nothing is known of the last minute. */
function entriesIn(file: string): readonly JournalEntry[] {
  try {
    return readJournal(file).entries;
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
  readonly isOfApply: boolean;
}

/** Returns the steps of the last minute. @param now milliseconds since 1970 */
export function recentSteps(
  file: string,
  { target, key }: ReturnType<typeof ownerOf>,
  now: number,
): readonly RecentStep[] {
  const entries = entriesIn(file);
  return entries
    .filter((entry) => entry.target === target && entry.key === key)
    .filter(({ time }) => now - Date.parse(time) < recentTime)
    .flatMap(({ steps, time, isOfApply = false }) =>
      steps.map((step) => ({ ...step, at: Date.parse(time), isOfApply })),
    );
}

/** Returns what became of the records whose name or existence some steps have changed. */
export function recentRecords(steps: readonly RecentStep[]): readonly RecentRecord[] {
  const found = new Map<string, RecentRecord>();
  for (const { kind, before, after, problem, at, isOfApply } of steps) {
    const record = after ?? before;
    if (kind === undefined || record === null || problem === "unknown") continue;
    const [id, name] = [String(record["id"]), String(record["name"])];
    const isNamed = before !== null && after !== null && before["name"] === name;
    if (isNamed && !found.has(`${kind} ${id}`)) continue;
    found.set(`${kind} ${id}`, { kind, id, name, at, isOfApply, isDeleted: after === null });
  }
  return [...found.values()];
}
