import type { Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import { linesOf, onePageReply, type Line } from "../output/replies.ts";
import type { IsOld } from "./list-position.ts";
import { readList, type List } from "./pages.ts";
import { incomplete } from "./stream-list.ts";

/** Maximum number of times that a list is read if it changes meanwhile. */
const passes = 3;

/**
 * Reads every record of a list, newest first, into one reply with a single page: specification, part 2.
 *
 * @param perPage page size; undefined for the largest that the service accepts
 * @returns the whole list, or the service's refusal
 * @throws SendctlError "unexpected_response" if the list is incomplete
 */
export async function wholeList(list: List, perPage: number | undefined): Promise<Reply> {
  const items = new Map<string, Line>();
  let total = 0;
  let message = "";
  let isSorted = true;

  /** Stores the records of a page, and returns how many were not seen before. */
  const take = async (reply: Reply, isOld: IsOld): Promise<number> => {
    const before = items.size;
    const page = reply.envelope!.data as Page<Line["record"]>;
    let hasNew = false;
    for (const line of linesOf(reply)) {
      const id = line.record["id"];
      if (!isOld(id)) continue;
      const key = isId(id) ? String(id) : line.text;
      // A new record listed before a known one is out of order in `items`.
      if (items.has(key)) isSorted &&= !hasNew;
      else {
        hasNew = true;
        items.set(key, line);
      }
    }
    total = page.total;
    message = reply.envelope!.message;
    return items.size - before;
  };

  /** Returns all records, in the service's order, or sorted if several reads were combined. */
  const whole = (): Reply => {
    const lines = [...items.values()];
    if (!isSorted)
      lines.sort(({ record: one }, { record: other }) => compare(other["id"], one["id"]));
    return onePageReply(message, lines);
  };

  for (let pass = 1; pass <= passes; pass += 1) {
    const read = await readList(list, perPage, take);
    if ("refusal" in read) return read.refusal;
    // Another pass leaves out the records that were deleted, unless more are deleted all the time.
    if (read.isWhole && (!read.hasShrunk || pass === passes)) return whole();
    if (read.isFinal) break;
    if (read.hasShrunk) items.clear();
    else isSorted = false;
  }
  throw incomplete(items.size, total);
}

function isId(id: unknown): id is number | bigint | string {
  return ["number", "bigint", "string"].includes(typeof id);
}

function compare(one: unknown, other: unknown): number {
  if (!isId(one) || !isId(other) || one === other) return 0;
  return one < other ? -1 : 1;
}
