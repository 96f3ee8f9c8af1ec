import type { Page } from "../contract/records.ts";
import type { Reply, ShownRecord } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import type { IsOld } from "./list-position.ts";
import { readList, type List, type Reading } from "./pages.ts";
import { lazyLinesOf, type Line, type Total } from "../output/replies.ts";

/** The result of streaming a list: the service's refusal, or the number of records. */
export type Streamed =
  | { readonly refusal: Reply }
  | {
      readonly count: number;
      /** Whether some of them may have been deleted meanwhile. See `ListRead`. */
      readonly hasShrunk: boolean;
    };

/** How many records were read of how many. */
interface ReadSoFar extends Total {
  readonly count: number;
}

/**
 * Streams every record of a list once, page by page, in constant memory. Records already shown cannot be taken back,
 * so a list that turns out to be incomplete ends with an error.
 *
 * @param perPage page size; undefined for the largest that the service accepts
 * @param show prints the new records of a page
 * @param reading options to stop early
 * @throws SendctlError "unexpected_response" if the list is incomplete
 */
export async function streamList(
  list: List,
  perPage: number | undefined,
  show: (lines: readonly Line[], progress: ReadSoFar) => Promise<void>,
  reading: Reading = {},
): Promise<Streamed> {
  let freshOf: ((page: readonly Line[]) => readonly Line[]) | undefined;
  let count = 0;
  let total = 0;
  const take = async (reply: Reply, isOld: IsOld): Promise<number> => {
    const lines = lazyLinesOf(reply).filter(({ record }) => isOld(record["id"]));
    const isFirst = freshOf === undefined;
    freshOf ??= novelty(lines);
    const fresh = freshOf(lines);
    count += fresh.length;
    const page = reply.envelope!.data as Page<unknown>;
    ({ total } = page);
    if (fresh.length > 0 || isFirst)
      await show(fresh, { count, total, isTotalAtLeast: page.isTotalAtLeast });
    return fresh.length;
  };
  const read = await readList(list, perPage, take, reading);
  if ("refusal" in read) return read;
  if (read.isWhole) return { count, hasShrunk: read.hasShrunk };
  throw incomplete(count, total);
}

/** Passes every record of a list to `take`; returns the refusal if the service refuses. @throws as `streamList` */
export async function eachRecord(
  list: List,
  take: (record: ShownRecord) => void,
): Promise<Reply | undefined> {
  const streamed = await streamList(list, undefined, async (lines) => {
    for (const { record } of lines) take(record);
  });
  return "refusal" in streamed ? streamed.refusal : undefined;
}

/** Returns the error for an incomplete list. @param count number of records received */
export function incomplete(count: number, total: number): SendctlError {
  const expected = count < total ? String(total) : "more";
  return new SendctlError(
    "unexpected_response",
    `the list is incomplete: received ${count} records, expected ${expected}`,
    { hint: "try again; a service that ignores `page` may not return all of its records" },
  );
}

type Id = number | bigint;

/** A range of ids covered by one page or by consecutive pages. */
type Range = readonly [lowest: Id, highest: Id];

/**
 * Returns a filter that keeps the records of a page not seen before. If ids descend, as the service's do, a few
 * ranges are enough to remember them; otherwise every id is stored.
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

/** Adds the ids of a page to the ranges. @param ranges the lowest last */
function withPage(ranges: readonly Range[], ids: readonly Id[]): readonly Range[] {
  let low = ids.reduce((one, other) => (other < one ? other : one));
  let high = ids.reduce((one, other) => (other > one ? other : one));
  const last = ranges.at(-1);
  // This page directly follows the previous one.
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
  // Extracting the text from the page is expensive, so it is used only without an id.
  const key = isNumeric(id) || typeof id === "string" ? String(id) : line.text;
  const { size } = seen;
  return seen.add(key).size > size;
}

function isNumeric(id: unknown): id is Id {
  return typeof id === "number" || typeof id === "bigint";
}
