import type { Page } from "../contract/records.ts";
import { succeeded, type Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { linesOf, onePageReply, type Line } from "../output/replies.ts";
import { pagesOf, type List } from "./pages.ts";

/** A list that changes while it is read is read again, so many times in all. */
const passes = 3;

/**
 * Every record of a list, newest first, as one answer of one page: specification, part 2. A service that
 * pays no heed to `page`, which the specification does not promise, is asked for all records at once.
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
  const take = (reply: Reply): number => {
    const before = items.size;
    const page = reply.envelope!.data as Page<Line["record"]>;
    for (const line of linesOf(reply)) {
      const id = line.record["id"];
      const key = isId(id) ? String(id) : line.text;
      if (!items.has(key)) items.set(key, line);
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

  /** Every page in turn, as long as they bring anything; a refusal ends it. */
  const readPages = async (): Promise<Reply | undefined> => {
    let isFirst = true;
    for await (const reply of pagesOf(list, perPage)) {
      if (!succeeded(reply)) return reply;
      const isAnythingNew = take(reply) > 0;
      if (!isFirst && !isAnythingNew) break;
      isFirst = false;
    }
    return undefined;
  };

  for (let pass = 1; pass <= passes; pass += 1) {
    const refusal = await readPages();
    if (refusal !== undefined) return refusal;
    if (!hasShrunk && items.size >= total) return whole();
    if (hasShrunk) items.clear();
    else isSorted = false;
    hasShrunk = false;
    if (pass > 1) continue;
    const all = await list({ perPage: total });
    if (succeeded(all)) take(all);
    if (!hasShrunk && items.size >= total) return whole();
  }
  throw new SendctlError(
    "unexpected_response",
    `The service says that there are ${total} records, and shows ${items.size}: ` +
      "it changes faster than it can be read, or does not keep its promise; try again",
  );
}

function isId(id: unknown): id is number | bigint | string {
  return ["number", "bigint", "string"].includes(typeof id);
}

function compare(one: unknown, other: unknown): number {
  if (!isId(one) || !isId(other) || one === other) return 0;
  return one < other ? -1 : 1;
}
