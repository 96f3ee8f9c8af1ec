import type { Page } from "../contract/records.ts";
import type { Reply, ShownRecord } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { readList, type List } from "./pages.ts";
import { linesOf, type Line } from "../output/replies.ts";

/** What came of it: a refusal as it came, or how many records. */
export type Streamed = { readonly refusal: Reply } | { readonly count: number };

/**
 * Reads every record of a list, page by page, each once: in constant memory, however many there are. What was
 * shown can't be taken back, so a list that turns out not to be whole ends with an error.
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
  const read = await readList(list, perPage, take);
  if ("refusal" in read) return read;
  if (read.isWhole && !hasShrunk) return { count };
  throw incomplete(count, total);
}

/** Gives every record of a list to `take`; returns a refusal where there is one. @throws as `streamList` */
export async function eachRecord(
  list: List,
  take: (record: ShownRecord) => void,
): Promise<Reply | undefined> {
  const streamed = await streamList(list, undefined, async (lines) => {
    for (const { record } of lines) take(record);
  });
  return "refusal" in streamed ? streamed.refusal : undefined;
}

/** @param count records that came */
export function incomplete(count: number, total: number): SendctlError {
  const expected = count < total ? String(total) : "more";
  return new SendctlError(
    "unexpected_response",
    `the list is incomplete: ${count} records came, ${expected} were expected`,
    { hint: "try again; a service that ignores `page` may not show all of its records" },
  );
}

/**
 * Returns whether a record was not seen before. Where records come by descending id, as the service's do, two
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
      const { id } = record;
      const key = isNumeric(id) || typeof id === "string" ? String(id) : text;
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
