import type { Page } from "../contract/records.ts";
import type { Reply, ShownRecord } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { readList, type List, type Reading } from "./pages.ts";
import { lazyLinesOf, type Line } from "../output/replies.ts";

/** What came of it: a refusal as it came, or how many records. */
export type Streamed = { readonly refusal: Reply } | { readonly count: number };

/**
 * Reads every record of a list, page by page, each once: in constant memory, however many there are. What was
 * shown can't be taken back, so a list that turns out not to be whole ends with an error.
 *
 * @param perPage records to ask for at a time
 * @param show takes the new records of a page
 * @param reading ends it early
 * @throws SendctlError "unexpected_response" when fewer came than there are
 */
export async function streamList(
  list: List,
  perPage: number | undefined,
  show: (lines: readonly Line[], progress: { count: number; total: number }) => Promise<void>,
  reading: Reading = {},
): Promise<Streamed> {
  let freshOf: ((page: readonly Line[]) => readonly Line[]) | undefined;
  let count = 0;
  let total = 0;
  /** Something was deleted since the last page: what moved up in its place was not seen. */
  let hasShrunk = false;
  const take = async (reply: Reply): Promise<number> => {
    const lines = lazyLinesOf(reply);
    const isFirst = freshOf === undefined;
    freshOf ??= novelty(lines);
    const fresh = freshOf(lines);
    count += fresh.length;
    const { total: now } = reply.envelope!.data as Page<unknown>;
    if (now < total) hasShrunk = true;
    total = now;
    if (fresh.length > 0 || isFirst) await show(fresh, { count, total });
    return fresh.length;
  };
  const read = await readList(list, perPage, take, reading);
  if ("refusal" in read) return read;
  if (read.isWhole && (!hasShrunk || reading.isEnough?.() === true)) return { count };
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

type Id = number | bigint;

/** Ids from the lowest to the highest that were all on one page, or on pages that followed each other. */
type Range = readonly [lowest: Id, highest: Id];

/**
 * Returns what keeps the records of a page that were not seen before. Where records come by descending id, as
 * the service's do, a few ranges remember all of them; else every id has to be kept.
 */
function novelty(first: readonly Line[]): (page: readonly Line[]) => readonly Line[] {
  const firstIds = first.map(({ record }) => record["id"]);
  const isDescending = firstIds.every(
    (id, index) => isNumeric(id) && (index === 0 || id < (firstIds[index - 1] as Id)),
  );
  if (!isDescending || firstIds.length === 0) {
    const seen = new Set<string>();
    return (page) => page.filter((line) => isFirstOf(seen, line));
  }
  let ranges: readonly Range[] = [];
  return (page) => {
    const seen = new Set<string>();
    const fresh = page.filter((line) => {
      const { id } = line.record;
      if (!isNumeric(id)) return true;
      return !ranges.some(([low, high]) => id >= low && id <= high) && isFirstOf(seen, line);
    });
    const ids = page.map(({ record }) => record["id"]).filter(isNumeric);
    if (ids.length > 0) ranges = withPage(ranges, ids);
    return fresh;
  };
}

/** @param ranges the lowest last */
function withPage(ranges: readonly Range[], ids: readonly Id[]): readonly Range[] {
  let low = ids.reduce((one, other) => (other < one ? other : one));
  let high = ids.reduce((one, other) => (other > one ? other : one));
  const last = ranges.at(-1);
  // The page behind the last one: nothing lies between them.
  if (last !== undefined && high < last[0]) return [...ranges.slice(0, -1), [low, last[1]]];
  const apart = ranges.filter((range) => range[0] > high || range[1] < low);
  for (const range of ranges) {
    if (apart.includes(range)) continue;
    if (range[0] < low) [low] = range;
    if (range[1] > high) [, high] = range;
  }
  const above = apart.filter(([lowest]) => lowest > high);
  const below = apart.filter(([, highest]) => highest < low);
  return [...above, [low, high], ...below];
}

function isFirstOf(seen: Set<string>, line: Line): boolean {
  const { id } = line.record;
  // The text is read only where it is needed: it has to be cut out of the page.
  const key = isNumeric(id) || typeof id === "string" ? String(id) : line.text;
  const { size } = seen;
  return seen.add(key).size > size;
}

function isNumeric(id: unknown): id is Id {
  return typeof id === "number" || typeof id === "bigint";
}
