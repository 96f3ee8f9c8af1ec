import type { Page } from "../contract/records.ts";
import { succeeded, type Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { pagesOf, type List } from "./pages.ts";
import { linesOf, type Line } from "../output/replies.ts";

/** What came of it: a refusal as it came, or how many records. */
export type Streamed = { readonly refusal: Reply } | { readonly count: number };

/**
 * Every record of a list, page by page, each once: for as many records as there are. What was shown can't
 * be taken back, so a list that turns out not to be whole ends with a failure.
 *
 * @param perPage records to ask for at a time
 * @param show takes the new records of a page
 * @throws SendctlError "unexpected_response" when fewer came than there are
 */
export async function streamList(
  list: List,
  perPage: number | undefined,
  show: (lines: readonly Line[], progress: { count: number; total: number }) => Promise<void>,
): Promise<Streamed> {
  let isNew: ((line: Line) => boolean) | undefined;
  let count = 0;
  let total = 0;
  /** Something was deleted since the last page: what moved up in its place was not seen. */
  let hasShrunk = false;
  /** How many of the records were not seen before. */
  const take = async (reply: Reply): Promise<number> => {
    const lines = linesOf(reply);
    const isFirst = isNew === undefined;
    isNew ??= novelty(lines);
    const fresh = lines.filter(isNew);
    count += fresh.length;
    const { total: now } = reply.envelope!.data as Page<unknown>;
    if (now < total) hasShrunk = true;
    total = now;
    if (fresh.length > 0 || isFirst) await show(fresh, { count, total });
    return fresh.length;
  };
  let isFirst = true;
  for await (const reply of pagesOf(list, perPage)) {
    if (!succeeded(reply)) return { refusal: reply };
    const isAnythingNew = (await take(reply)) > 0;
    if (!isFirst && !isAnythingNew) break;
    isFirst = false;
  }
  if (count < total && !hasShrunk) {
    // It may pay no heed to `page`, which the specification does not promise.
    const all = await list({ perPage: total });
    if (succeeded(all)) await take(all);
  }
  if (count >= total && !hasShrunk) return { count };
  throw new SendctlError(
    "unexpected_response",
    `The service says that there are ${total} records, and ${count} came: ` +
      "the list changed while it was read, or the service does not keep its promise",
  );
}

/**
 * Tells records that were not seen before. Where they come by descending id, as the service's do, two
 * numbers remember all of them; else every id has to be kept.
 */
function novelty(first: readonly Line[]): (line: Line) => boolean {
  const ids = first.map(({ record }) => record["id"]);
  const isDescending = ids.every(
    (id, index) => isNumeric(id) && (index === 0 || id < (ids[index - 1] as number | bigint)),
  );
  if (!isDescending || ids.length === 0) {
    const seen = new Set<string>();
    return ({ record, text }) => {
      const key = isNumeric(record["id"]) ? String(record["id"]) : text;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    };
  }
  let highest = ids[0] as number | bigint;
  let lowest: number | bigint | undefined;
  return ({ record: { id } }) => {
    if (!isNumeric(id)) return true;
    if (lowest !== undefined && id >= lowest && id <= highest) return false;
    if (lowest === undefined || id < lowest) lowest = id;
    if (id > highest) highest = id;
    return true;
  };
}

function isNumeric(id: unknown): id is number | bigint {
  return typeof id === "number" || typeof id === "bigint";
}
