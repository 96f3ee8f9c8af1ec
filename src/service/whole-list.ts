import type { Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import { linesOf, onePageReply, type Line } from "../output/replies.ts";
import { readList, type List } from "./pages.ts";
import { incomplete } from "./stream-list.ts";

/** A list that changes while it is read is read again, so many times in all. */
const passes = 3;

/**
 * Reads every record of a list, newest first, as one response of one page: specification, part 2.
 *
 * @param list the operation
 * @param perPage records to ask for at a time
 * @returns a refusal as it came, or all of it
 * @throws SendctlError "unexpected_response" when the service has more records than it can be brought to show
 */
export async function wholeList(list: List, perPage: number | undefined): Promise<Reply> {
  const items = new Map<string, Line>();
  let total = 0;
  let message = "";
  let isSorted = true;
  /** Something was deleted since the last page: what moved up in its place was not seen. */
  let hasShrunk = false;

  /** How many of the records were not seen before. */
  const take = async (reply: Reply): Promise<number> => {
    const before = items.size;
    const page = reply.envelope!.data as Page<Line["record"]>;
    let hasNew = false;
    for (const line of linesOf(reply)) {
      const id = line.record["id"];
      const key = isId(id) ? String(id) : line.text;
      // What stands before a known record belongs before it in the list, too.
      if (items.has(key)) isSorted &&= !hasNew;
      else {
        hasNew = true;
        items.set(key, line);
      }
    }
    if (page.total < total) hasShrunk = true;
    total = page.total;
    message = reply.envelope!.message;
    return items.size - before;
  };

  /** All of it, in the service's own order: what did not come in one go is sorted. */
  const whole = (): Reply => {
    const lines = [...items.values()];
    if (!isSorted)
      lines.sort(({ record: one }, { record: other }) => compare(other["id"], one["id"]));
    return onePageReply(message, lines);
  };

  for (let pass = 1; pass <= passes; pass += 1) {
    const read = await readList(list, perPage, take);
    if ("refusal" in read) return read.refusal;
    if (read.isWhole && !hasShrunk) return whole();
    if (hasShrunk) items.clear();
    else isSorted = false;
    hasShrunk = false;
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
