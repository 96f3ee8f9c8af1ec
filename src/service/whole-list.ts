import type { Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import { linesOf, type Line } from "../output/replies.ts";
import type { Collector, WholeRead } from "../output/output.ts";
import { descendingIds, type DescendingIds } from "./descending-ids.ts";
import type { IsOld } from "./list-position.ts";
import { readList, type List } from "./pages.ts";
import { incomplete } from "./stream-list.ts";

/** Maximum number of times that a list is read if it changes meanwhile. */
const passes = 3;

/** Number of records to hold before those of an ordinary list are passed on as they arrive. */
const heldRecords = 5000;

/** Ends the reading of a list whose records were passed on too early, because others belong between them. */
class OutOfOrder extends Error {}

/**
 * Reads every record of a list, newest first: specification, part 2. The records of a list with descending ids are
 * passed on as they arrive, and those of any other list at the end, because several reads may have to be combined.
 *
 * @param perPage page size; undefined for the largest that the service accepts
 * @param maxHeld number of records that are held in any case
 * @returns the service's message, or its refusal
 * @throws SendctlError "unexpected_response" if the list is incomplete
 */
export async function wholeList(
  list: List,
  perPage: number | undefined,
  collector: Collector,
  maxHeld = heldRecords,
): Promise<WholeRead> {
  const held = new Map<string, Line>();
  /** The ids of the records that were passed on. */
  let passed: DescendingIds | undefined;
  let mayPass = true;
  let total = 0;
  let message = "";
  let isSorted = true;

  /** Holds records, and returns how many were not seen before. */
  const hold = (lines: readonly Line[]): number => {
    const before = held.size;
    let hasNew = false;
    for (const line of lines) {
      const id = line.record["id"];
      const key = isId(id) ? String(id) : line.text;
      // A new record listed before a known one is out of order in `held`.
      if (held.has(key)) isSorted &&= !hasNew;
      else {
        hasNew = true;
        held.set(key, line);
      }
    }
    return held.size - before;
  };
  const take = async (reply: Reply, isOld: IsOld): Promise<number> => {
    const lines = linesOf(reply).filter(({ record }) => isOld(record["id"]));
    ({ total } = reply.envelope!.data as Page<unknown>);
    message = reply.envelope!.message;
    if (passed !== undefined) {
      const fresh = freshOf(lines, passed);
      await collector.add(fresh);
      return fresh.length;
    }
    const count = hold(lines);
    if (held.size <= maxHeld || !mayPass) return count;
    const ids = descendingIds();
    const all = [...held.values()];
    mayPass = all.every(({ record }) => ids.add(record["id"]));
    if (mayPass) {
      passed = ids;
      held.clear();
      await collector.add(all);
    }
    return count;
  };
  const clear = (): void => {
    held.clear();
    passed = undefined;
    collector.clear();
  };

  /** Passes on all records, in the service's order, or sorted if several reads were combined. */
  const finish = async (): Promise<WholeRead> => {
    const lines = [...held.values()];
    if (!isSorted)
      lines.sort(({ record: one }, { record: other }) => compare(other["id"], one["id"]));
    await collector.add(lines);
    return { message };
  };

  for (let pass = 1; pass <= passes; pass += 1) {
    const read = await readList(list, perPage, take).catch((error: unknown) => {
      if (error instanceof OutOfOrder) return undefined;
      throw error;
    });
    if (read !== undefined && "refusal" in read) return read;
    // Another pass leaves out the records that were deleted, unless more are deleted all the time.
    if (read?.isWhole === true && (!read.hasShrunk || pass === passes)) return finish();
    if (read?.isFinal === true) break;
    if (read?.hasShrunk === true) clear();
    else if (passed !== undefined) {
      clear();
      return wholeList(list, perPage, collector, Infinity);
    } else isSorted = false;
  }
  throw incomplete(passed?.count() ?? held.size, total);
}

/** Returns the records that were not seen before. @throws OutOfOrder */
function freshOf(lines: readonly Line[], ids: DescendingIds): readonly Line[] {
  return lines.filter(({ record: { id } }) => {
    if (ids.add(id)) return true;
    if (ids.has(id)) return false;
    throw new OutOfOrder();
  });
}

function isId(id: unknown): id is number | bigint | string {
  return ["number", "bigint", "string"].includes(typeof id);
}

function compare(one: unknown, other: unknown): number {
  if (!isId(one) || !isId(other) || one === other) return 0;
  return one < other ? -1 : 1;
}
