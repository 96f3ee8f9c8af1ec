import {
  type Page,
  type PageQuery,
  type Reply,
  type ShownRecord,
  isRefused,
  succeeded,
} from "../contract/service.ts";
import { cursorHeader } from "../contract/request.ts";
import { SendctlError } from "../core/error.ts";
import { replyTo, successOf } from "./refusals.ts";
import { linesOf, type Line, type RecordSink, type Total } from "./lines.ts";
import {
  compareWith,
  createSeen,
  followList,
  type ListPosition,
  type Seen,
} from "./list-position.ts";

/** An operation that lists records. */
export type List = (query: PageQuery) => Promise<Reply>;

/** Maximum number of times that a list is read if it changes meanwhile, or might have. */
const maxPasses = 3;

/** The page size to request first. If the service refuses it, its default is used. */
const defaultPageSize = 1000;

/** Page sizes to try if the service refuses a page with all records. */
const smallerSizes: readonly number[] = [500, 200, 100, 50];

/** Added to twice the service's page count to limit the number of pages, because a list may grow while it is read. */
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
 * Reads every record of a list once, in the service's order. If records are deleted meanwhile or some are missing, the
 * list is read again, up to three times, unless its records cannot be taken back. A list of several pages that is not
 * sorted by id, newest first, is read until two readings agree: a record may move up past a page unnoticed, when another
 * is deleted and one is created.
 *
 * @returns the message of the service
 * @throws SendctlError "unexpected_response" if the list is incomplete; Refusal
 */
export async function readList(
  list: List,
  sink: RecordSink,
  options: ReadOptions = {},
): Promise<string> {
  const before: Reading[] = [];
  for (;;) {
    const reading = createReading(list, sink, options, before);
    const isWhole = await readToEnd(reading, options);
    if (typeof isWhole === "object") return successOf(isWhole).envelope!.message;
    const { message, hasShrunk, isEnough, isCertain } = reading;
    const isLast = before.push(reading) === maxPasses;
    const mayClear = sink.clear !== undefined && !isLast;
    if (isEnough() || (isWhole && isCertain() && !(hasShrunk && mayClear))) return message;
    if (!mayClear && (isLast || !isWhole)) throw incomplete(reading, isWhole);
    sink.clear?.();
  }
}

/**
 * Requests the newest records of a list: up to 1000, or the default page size if the service refuses that.
 *
 * @throws Refusal
 */
export async function newestPage(list: List): Promise<Reply> {
  const reply = await replyTo(list({ perPage: defaultPageSize, acceptsSmaller: true }));
  return isRefused(reply) && reply.status !== 404 ? successOf(await list({})) : successOf(reply);
}

/** Passes every record of a list to `take`. @throws as `readList` */
export async function eachRecord(list: List, take: (record: ShownRecord) => void): Promise<void> {
  await readList(list, {
    add: async (lines) => {
      for (const { record } of lines) take(record);
    },
  });
}

/**
 * Reads a list to its end. Requests page after page until one is not full, even beyond `last_page`, because the
 * total may lag behind. The specification allows a service to ignore or refuse `page`; then a single page with
 * all records is requested. If records are created or deleted meanwhile, see `followList`; created ones are left out
 * if the list is sorted by id.
 *
 * @returns whether the pages show that all records that existed throughout were read; or the service's refusal
 */
async function readToEnd(
  reading: Reading,
  { perPage, pageSize = defaultPageSize }: ReadOptions,
): Promise<boolean | Reply> {
  let size: PageQuery =
    perPage === undefined ? { perPage: pageSize, acceptsSmaller: true } : { perPage };
  let first = await reading.request(size);
  if (perPage === undefined && "status" in first && isRefused(first)) {
    size = {};
    first = await reading.request(size);
  }
  if ("status" in first) return first;
  const isPaged = await readPages(reading, first, size);
  if (typeof isPaged === "object") return isPaged;
  const { position, hasShrunk, count, total } = reading;
  const isSteady = !hasShrunk || position!.isSorted();
  if (isPaged && ((isSteady && count >= total) || position!.isAtEnd())) return true;
  const isWhole = await readAtOnce(reading);
  if (typeof isWhole === "object") return isWhole;
  return isWhole && !reading.hasShrunk && reading.count >= reading.total;
}

/** Reads the pages after the first. @returns whether the last one was reached, or an unrelated refusal */
async function readPages(
  reading: Reading,
  first: PageRead,
  size: PageQuery,
): Promise<boolean | Reply> {
  const { last_page, per_page } = first.page;
  // The service counts pages of the size that it names.
  const pagesEach = Math.max(1, Math.ceil(per_page / reading.position!.sizeOf(first.page)));
  const maxRequests = 2 * last_page * pagesEach + sparePages;
  /** Whether the service, or a proxy before it, refuses the parameter `cursor`, which is not in the specification. */
  let isCursorRefused = false;
  let last = first;
  for (let requests = 1; requests < maxRequests && !reading.isEnough(); requests += 1) {
    const { page, number, cursor, isSkipped, isEnd } = last;
    if (isEnd !== undefined) return isEnd;
    if (requests > 1 && !isSkipped) reading.isPaged = true;
    const query: PageQuery = { ...size, page: reading.position!.nextNumber() };
    const hasCursor = cursor !== undefined && !isSkipped && !isCursorRefused;
    let next = await reading.request(hasCursor ? { ...query, cursor } : query);
    if (hasCursor && "status" in next && isRefused(next)) {
      isCursorRefused = true;
      next = await reading.request(query);
    }
    if ("status" in next) {
      if (!isRefused(next)) return next;
      // The service refuses pages beyond the last one.
      return reading.isPaged && !isSkipped && number >= page.last_page;
    }
    last = next;
  }
  return false;
}

/** Reads a single page that is large enough for all records. @returns as `readPages` */
async function readAtOnce(reading: Reading): Promise<boolean | Reply> {
  const isCounted = (): boolean => reading.count === reading.total;
  let size = Math.max(reading.total, reading.count) + 1;
  for (let growths = 0; growths < maxGrowths && !reading.isEnough(); growths += 1) {
    const read = await reading.request({ perPage: size }, false);
    if ("status" in read) {
      if (!isRefused(read)) return read;
      const smaller = smallerSizes.find((next) => next < size && next > reading.longest);
      // Without a larger page, only the service's total shows whether this is all.
      if (smaller === undefined) return isCounted();
      size = smaller;
    } else {
      if (!read.isFull) return true;
      // So it does if the service limits the page size.
      if (read.page.data.length < size) return isCounted();
      size = Math.max(reading.total + 1, 2 * size);
    }
  }
  return false;
}

/** One of the pages of a list. */
interface PageRead {
  readonly page: Page<unknown>;
  readonly number: number;
  readonly cursor: string | undefined;
  /** Its records that are in the list and were not read before. */
  readonly lines: readonly Line[];
  /** Whether it was skipped, because records may be missing before it. */
  readonly isSkipped: boolean;
  /** Whether more pages may follow, even beyond `last_page`. */
  readonly isFull: boolean;
  /** True if it was the last page, false if the service repeats a page instead of the next one, else undefined. */
  readonly isEnd: boolean | undefined;
}

/** A list while it is read. */
type Reading = ReturnType<typeof createReading>;

/** @param earlier the readings before, whose records are passed on only once if the sink cannot drop them */
function createReading(
  list: List,
  sink: RecordSink,
  options: ReadOptions,
  earlier: readonly { readonly seen: Seen; readonly count: number }[],
) {
  const before = earlier.at(-1);
  const comparison = before && compareWith(before.seen, before.count);
  const isNew = (line: Line): boolean => !earlier.some(({ seen }) => seen.hasLine(line));
  const isRepeated = before !== undefined && sink.clear === undefined;
  const reading = {
    /**
     * Requests a page, and passes on its new records.
     *
     * @param isPage whether it is one of the pages that follow each other
     * @returns the service's refusal, otherwise
     */
    request: async (query: PageQuery, isPage = true): Promise<PageRead | Reply> => {
      const reply = await replyTo(list(query));
      if (!succeeded(reply)) return reply;
      const read = takePage(reading, query, reply, isPage);
      comparison?.add(read.lines);
      const lines = isRepeated ? read.lines.filter(isNew) : read.lines;
      if (lines.length > 0) await sink.add(lines);
      await options.progress?.(reading.count, read.page);
      return read;
    },
    isEnough: (): boolean => options.isEnough?.() === true,
    /** Returns whether no record can have moved past the pages: if not by their order, then by the reading before. */
    isCertain: (): boolean =>
      reading.position!.isSorted() ||
      // One page has all records.
      reading.longest >= reading.count ||
      comparison?.agrees() === true,
    message: "",
    /** Number of records that were passed on. */
    count: 0,
    /** The service's latest total. */
    total: 0,
    /** Number of records on the longest page. */
    longest: 0,
    /** Whether the totals of numbered pages show that records were deleted meanwhile. */
    hasShrunk: false,
    /** Whether the service is known to honour `page`. */
    isPaged: false,
    /** Whether the next page may repeat records that were read before. */
    mayRepeat: false,
    /** Undefined before the first page. */
    position: undefined as ListPosition | undefined,
    /** The records that were passed on. */
    seen: createSeen(),
  };
  return reading;
}

/** Takes the next page of a list. @param isPage whether it is one of the pages that follow each other */
function takePage(reading: Reading, query: PageQuery, reply: Reply, isPage: boolean): PageRead {
  const { seen, isPaged, mayRepeat } = reading;
  const page = reply.envelope!.data as Page<unknown>;
  const { data, current_page, last_page, total } = page;
  const requested = Number(query.page ?? 1);
  const isLastInstead = isPaged && requested > last_page && current_page === last_page;
  const number = isLastInstead ? last_page : requested;
  const cursor = reply.headers?.[cursorHeader];
  const isNext = query.cursor !== undefined && cursor !== undefined;
  const isFirst = reading.position === undefined;
  const hasChanged = !isFirst && total !== reading.total;
  const position = (reading.position ??= followList(page, seen.has));
  const isSkipped = isPage && !isFirst && !position.add(page, number, isNext);
  const isListed = ({ record }: Line): boolean => !isPage || position.isOld(record["id"]);
  const lines = (isSkipped ? [] : linesOf(reply)).filter(
    (line) => isListed(line) && seen.add(line),
  );
  const isNew = lines.length > 0;
  const isFull = data.length > 0 && data.length >= (isPage ? position.sizeOf(page) : page.per_page);
  const isRepeated = current_page !== number || (!isNew && !hasChanged && !mayRepeat);
  const isEnd = (): boolean | undefined => {
    if (isSkipped) return undefined;
    if (isNext) return isFull && isNew ? undefined : !isFull;
    if (isLastInstead || (!isFirst && data.length === 0)) return true;
    if (!isFirst && isRepeated) return false;
    return number >= last_page && !isFull ? true : undefined;
  };
  reading.message = reply.envelope!.message;
  reading.count += lines.length;
  reading.hasShrunk ||= !isNext && total < reading.total;
  reading.total = total;
  reading.longest = Math.max(reading.longest, data.length);
  reading.mayRepeat = isSkipped || isNext;
  return { page, number, cursor, lines, isSkipped, isFull, isEnd: isEnd() };
}

/** Returns the error for an incomplete list. @param isWhole whether its last reading was not confirmed by the one before */
function incomplete({ count, total }: Reading, isWhole: boolean): SendctlError {
  if (isWhole) {
    const message = `the list changed during each of ${maxPasses} readings, so records may be missing`;
    return new SendctlError("unexpected_response", message, { hint: "try again" });
  }
  const expected = count < total ? String(total) : "more";
  return new SendctlError(
    "unexpected_response",
    `the list is incomplete: received ${count} records, expected ${expected}`,
    { hint: "try again; a service that ignores `page` may not return all of its records" },
  );
}
