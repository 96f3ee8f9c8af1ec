import {
  type Page,
  type PageQuery,
  type Reply,
  type ShownRecord,
  isRefused,
} from "../contract/service.ts";
import { cursorHeader } from "../contract/request.ts";
import { SendctlError } from "../core/error.ts";
import { attempted, isRefusal } from "./refusals.ts";
import { createSeen, linesOf, totalText, type RecordSink, type Total } from "./lines.ts";

/** An operation that lists records. It throws a Refusal. */
export type List = (query: PageQuery) => Promise<Reply>;

/** Maximum number of times that a list is read if records are missing or were deleted meanwhile. */
const maxPasses = 3;

/** The page size to request first. If the service refuses it, its default is used. */
const defaultPageSize = 1000;

/** The page size to request if a service fails on a larger page. */
const easyPageSize = 100;

/** Page sizes to try if the service refuses a page with all records. */
const smallerSizes: readonly number[] = [500, 200, 100, 50];

/** Added to twice the page count to limit the number of pages: a list may grow meanwhile. */
const sparePages = 100;

/** Maximum number of requests for a page with all records, each for twice as many. */
const maxGrowths = 12;

export interface ReadOptions {
  /** Page size that the user chose; undefined for the largest that the service accepts. */
  readonly perPage?: number | undefined;
  /** Initial page size if the user chose none. */
  readonly pageSize?: number | undefined;
  /** Called after each page. @param total as the service says */
  readonly progress?: (count: number, total: Total) => Promise<void>;
  /** Returns whether enough records were read. The list then counts as whole. */
  readonly isEnough?: () => boolean;
}

/**
 * Reads every record of a list once, in the service's order. If the total shrinks meanwhile, so
 * that records may have moved up past a page, or if records are missing, the list is read again, at
 * most twice, unless the sink cannot drop its records.
 *
 * @returns the message of the service
 * @throws SendctlError "unexpected_response" if the list is incomplete; Refusal
 */
export async function readList(
  list: List,
  sink: RecordSink,
  options: ReadOptions = {},
): Promise<string> {
  for (let pass = 1; ; pass += 1) {
    const reading = createReading(list, sink, options);
    const isAtEnd = await readToEnd(reading, list, options);
    if (reading.isEnough() || (isAtEnd && reading.isWhole())) return reading.message;
    if (sink.clear === undefined || pass === maxPasses) throw incomplete(reading, isAtEnd);
    sink.clear();
  }
}

/** Requests the newest records of a list: up to 1000, or fewer if necessary. @throws Refusal */
export async function newestPage(list: List): Promise<Reply> {
  const { reply } = await firstPage(list, { perPage: defaultPageSize, acceptsSmaller: true });
  return reply;
}

/** A list, with the recent writes of this user that the service may not show yet. */
export interface OwnView {
  /** Returns a listed record with what was written since; undefined if it was deleted. */
  readonly current: (shown: ShownRecord) => ShownRecord | undefined;
  /** Returns the new records that the list lacked, newest first. Called after its last record. */
  readonly unlisted: () => readonly ShownRecord[];
}

/** Passes every record of a list to `take` once. @throws as `readList` */
export async function eachRecord(
  list: List,
  take: (record: ShownRecord) => void,
  view?: OwnView,
): Promise<void> {
  const taken = createSeen();
  await readList(list, {
    add: async (lines) => {
      for (const line of lines) {
        if (!taken.add(line)) continue;
        const record = view === undefined ? line.record : view.current(line.record);
        if (record !== undefined) take(record);
      }
    },
    // Records stay taken, even if they were deleted since.
    clear: () => {},
  });
  view?.unlisted().forEach(take);
}

/** Requests the first page. @returns it, and the accepted page size @throws Refusal */
async function firstPage(list: List, size: PageQuery): Promise<{ reply: Reply; size: PageQuery }> {
  const first = await attempted(list(size));
  if (!isRefusal(first)) return { reply: first, size };
  const { reply } = first;
  const isTooMuch = [500, 504].includes(reply.status) && Number(size.perPage) > easyPageSize;
  const isTooLong = isRefused(reply) && reply.status !== 404;
  if (size.acceptsSmaller !== true || !(isTooMuch || isTooLong)) throw first;
  const smaller = isTooMuch ? { ...size, perPage: easyPageSize } : {};
  return { reply: await list(smaller), size: smaller };
}

/** Reads a list once. @returns whether it was read to its end @throws Refusal */
async function readToEnd(reading: Reading, list: List, options: ReadOptions): Promise<boolean> {
  const { perPage, pageSize = defaultPageSize } = options;
  const wanted = perPage === undefined ? { perPage: pageSize, acceptsSmaller: true } : { perPage };
  const { reply, size } = await firstPage(list, wanted);
  const first = await reading.take(size, reply);
  return (await readPages(reading, first, size)) || readAtOnce(reading);
}

/**
 * Reads the pages after the first in order, even beyond `last_page` while they are full, because
 * totals may lag behind.
 *
 * @returns whether the end was reached; false if the service does not honour `page`
 */
async function readPages(reading: Reading, first: PageRead, size: PageQuery): Promise<boolean> {
  const { last_page, per_page } = first.page;
  // The service counts pages of the size that it names.
  const maxPages = 2 * last_page * Math.ceil(per_page / first.size) + sparePages;
  /** Whether the service, or a proxy before it, refuses the parameter `cursor`. */
  let isCursorRefused = false;
  let last = first;
  for (let number = 1; number < maxPages && !reading.isEnough(); number += 1) {
    if (last.isEnd !== undefined) return last.isEnd;
    const query: PageQuery = { ...size, page: number + 1 };
    const cursor = isCursorRefused ? undefined : last.cursor;
    let next = await reading.request(cursor === undefined ? query : { ...query, cursor });
    if (cursor !== undefined && "status" in next) {
      isCursorRefused = true;
      next = await reading.request(query);
    }
    if ("status" in next)
      return next.status === 404 || (reading.isPaged && number >= last.page.last_page);
    last = next;
  }
  return false;
}

/** Reads a single page that is large enough for all records. @returns whether they were read */
async function readAtOnce(reading: Reading): Promise<boolean> {
  let size = Math.max(reading.total, reading.count) + 1;
  for (let requests = 0; requests < maxGrowths && !reading.isEnough(); requests += 1) {
    const read = await reading.request({ perPage: size });
    if ("status" in read) {
      const { count, total } = reading;
      const smaller = smallerSizes.find((next) => next < size && next >= total && next > count);
      // Without a larger page, only the service's total shows whether this is all.
      if (smaller === undefined) return count === total;
      size = smaller;
    } else {
      const { data, per_page } = read.page;
      if (data.length < Math.max(1, per_page)) return reading.count >= reading.total;
      if (data.length < size) return reading.count === reading.total;
      size = Math.max(reading.total + 1, 2 * size);
    }
  }
  return false;
}

/** One of the pages of a list. */
interface PageRead {
  readonly page: Page<unknown>;
  /** How many records it can have. */
  readonly size: number;
  readonly cursor: string | undefined;
  /** True for the last page, false if the service does not honour `page`, else undefined. */
  readonly isEnd: boolean | undefined;
}

/** A list while it is read. */
type Reading = ReturnType<typeof createReading>;

function createReading(list: List, sink: RecordSink, options: ReadOptions) {
  const seen = createSeen();
  let first: Page<unknown> | undefined;
  let topOfPage: unknown;
  /** Whether each page after the first continued after the last record of the one before. */
  let isByCursor = true;

  const reading = {
    message: "",
    /** Number of records that were passed on. */
    count: 0,
    /** The service's highest total. */
    total: 0,
    isTotalAtLeast: undefined as Total["isTotalAtLeast"],
    /** Whether the totals of numbered pages show that records were deleted meanwhile. */
    hasShrunk: false,
    /** Whether the service is known to honour `page`. */
    isPaged: false,
    isEnough: (): boolean => options.isEnough?.() === true,
    /** Returns whether a list read to its end is complete, apart from new records. */
    isWhole: (): boolean =>
      (reading.isPaged && isByCursor) || (!reading.hasShrunk && reading.count >= first!.total),
    /** Requests and takes a page. @returns it, or the refusal @throws Refusal */
    request: async (query: PageQuery): Promise<PageRead | Reply> => {
      const reply = await attempted(list(query));
      if (!isRefusal(reply)) return reading.take(query, reply);
      if (isRefused(reply.reply)) return reply.reply;
      throw reply;
    },
    /** Passes on the new records of a page. */
    take: async (query: PageQuery, reply: Reply): Promise<PageRead> => {
      const page = reply.envelope!.data as Page<ShownRecord>;
      const { data, current_page, last_page, per_page, total } = page;
      const number = Number(query.page ?? 1);
      const cursor = reply.headers?.[cursorHeader];
      const isNext = query.cursor !== undefined && cursor !== undefined;
      const isNumbered = number > 1 && !isNext;
      const isOther = isNumbered && current_page !== number;
      const lines = linesOf(reply).filter((line) => seen.add(line));
      const isNew = lines.length > 0;
      const isRepeated = isNumbered && !isNew && data[0]?.["id"] === topOfPage;
      topOfPage = data[0]?.["id"];
      isByCursor &&= first === undefined || isNext;
      first ??= page;
      // A service may limit its pages to less than it says.
      const isShort = first.data.length < Math.min(first.per_page, first.total);
      const size = Math.max(1, isShort ? Math.min(per_page, first.data.length) : per_page);
      const isFull = data.length >= size;
      reading.isPaged ||= number > 1 && isNew && !isOther;
      // Some services send an empty page without numbers.
      reading.hasShrunk ||= !isNext && total > 0 && total < reading.total;
      reading.total = Math.max(reading.total, total);
      reading.isTotalAtLeast = page.isTotalAtLeast;
      reading.count += lines.length;
      reading.message = reply.envelope!.message;
      if (isNew) await sink.add(lines);
      await options.progress?.(reading.count, page);
      const isEnd = (): boolean | undefined => {
        if (isNext) return isFull && isNew ? undefined : !isFull;
        if (isNumbered && data.length === 0) return true;
        // Beyond its last page, a service may repeat that page.
        const isBeyond = reading.isPaged && number > last_page;
        if (isOther) return isBeyond && current_page === last_page;
        if (isRepeated && (isBeyond || !reading.isPaged)) return isBeyond;
        return number >= last_page && !isFull ? true : undefined;
      };
      return { page, size, cursor, isEnd: isEnd() };
    },
  };
  return reading;
}

/** Returns the error for an incomplete list. */
function incomplete(reading: Reading, isAtEnd: boolean): SendctlError {
  const { count, total, hasShrunk } = reading;
  const expected = count < total ? totalText(reading) : "more";
  const [message, hint] =
    isAtEnd && hasShrunk
      ? ["the list changed while it was read, so records may be missing", "try again"]
      : [
          `the list is incomplete: received ${count} records, expected ${expected}`,
          "try again; a service that ignores `page` may not return all of its records",
        ];
  return new SendctlError("unexpected_response", message, { hint });
}
