import type { Page } from "../contract/envelope.ts";
import { followList, type ListPosition } from "./list-position.ts";
import { lazyLinesOf, type Line } from "./lines.ts";
import {
  isRefused,
  succeeded,
  type PageQuery,
  type Paging,
  type Reply,
} from "../contract/service.ts";
import { createSeen } from "./seen-ids.ts";

/** An operation that lists records. */
export type List = (query: PageQuery) => Promise<Reply>;

/** The page size to request first. If the service refuses it, its default is used. */
const defaultPageSize = 1000;

/** Page sizes to try if the service refuses a page with all records. */
const smallerSizes: readonly number[] = [500, 200, 100, 50];

/** Added to twice the service's page count to limit the number of pages, because a list may grow while it is read. */
const sparePages = 100;

/** Maximum number of requests for a page with all records, each for twice as many. */
const maxGrowths = 12;

/** The records of a page that are in the list and were not read before. */
interface PagePart {
  readonly lines: readonly Line[];
  readonly page: Page<unknown>;
  readonly message: string;
  /** Number of all records so far. */
  readonly count: number;
}

/** How reading the pages of a list ended. */
export type PagesRead =
  | { readonly refusal: Reply }
  | {
      /** Whether all records that existed throughout were read, as far as the pages show. */
      readonly isWhole: boolean;
      /** Whether records were deleted meanwhile, as far as the totals of numbered pages show. */
      readonly hasShrunk: boolean;
      readonly message: string;
      readonly count: number;
      /** The service's latest total. */
      readonly total: number;
      /** Whether the service is known to show no more than this. */
      readonly isFinal: boolean;
    };

export interface PageOptions {
  /** Page size that the user chose; undefined for the largest that the service accepts. */
  readonly perPage?: number | undefined;
  /** Initial page size if the user chose none. */
  readonly pageSize?: number | undefined;
}

/** One of the pages of a list. */
interface PageRead {
  readonly page: Page<unknown>;
  readonly number: number;
  readonly cursor: string | undefined;
  /** Whether it was skipped, because records may be missing before it. */
  readonly isSkipped: boolean;
  /** Whether more pages may follow, even beyond `last_page`. */
  readonly isFull: boolean;
  /** True if it was the last page, false if the service repeats a page instead of the next one, else undefined. */
  readonly isEnd: boolean | undefined;
}

/** Yields the records of pages, and returns a result. */
type Reading<Result> = AsyncGenerator<PagePart, Result, void>;

/**
 * Reads a list to its end. Requests page after page until one is not full, even beyond `last_page`, because the
 * total may lag behind. The specification allows a service to ignore or refuse `page`; then a single page with
 * all records is requested. If records are created or deleted meanwhile, see `followList`; created ones are left out
 * if the list is sorted by id.
 */
export async function* readPages(
  list: List,
  { perPage, pageSize = defaultPageSize }: PageOptions,
): Reading<PagesRead> {
  const seen = createSeen();
  let message = "";
  let count = 0;
  let total = 0;
  let longest = 0;
  let hasShrunk = false;
  let paging: Paging | undefined;
  /** Whether the service is known to honour `page`. */
  let isPaged = false;
  let position: ListPosition | undefined;
  /** Whether the next page may repeat records that were read before. */
  let mayRepeat = false;
  /** Whether the service, or a proxy before it, refuses the parameter `cursor`, which is not in the specification. */
  let isCursorRefused = false;

  /** @param isPage whether it is one of the pages that follow each other */
  async function* read(query: PageQuery, isPage = true): Reading<PageRead | Reply> {
    const reply = await list(query);
    if (!succeeded(reply)) return reply;
    paging ??= reply.paging;
    const { cursor } = reply;
    const page = reply.envelope!.data as Page<unknown>;
    const { data, current_page, last_page } = page;
    const wanted = Number(query.page ?? 1);
    const isLastInstead = isPaged && wanted > last_page && current_page === last_page;
    const number = isLastInstead ? last_page : wanted;
    const isNext = query.cursor !== undefined && cursor !== undefined;
    const isFirst = position === undefined;
    const hasChanged = !isFirst && page.total !== total;
    hasShrunk ||= !isNext && page.total < total;
    total = page.total;
    longest = Math.max(longest, data.length);
    position ??= followList(page, seen.has);
    const isSkipped = isPage && !isFirst && !position.add(page, number, isNext);
    const isListed = ({ record }: Line): boolean => !isPage || position!.isOld(record["id"]);
    const lines = isSkipped
      ? []
      : lazyLinesOf(reply).filter((line) => isListed(line) && seen.add(line));
    count += lines.length;
    ({ message } = reply.envelope!);
    yield { lines, page, message, count };
    const isFull = data.length > 0 && data.length >= page.per_page;
    const isNew = lines.length > 0;
    const isRepeated = current_page !== number || (!isNew && !hasChanged && !mayRepeat);
    mayRepeat = isSkipped || isNext;

    const isEnd = (): boolean | undefined => {
      if (isNext) return isFull && isNew ? undefined : !isFull;
      if (isLastInstead || (!isFirst && data.length === 0)) return true;
      if (number > last_page && !isNew && paging?.pastTheEnd === "last") return true;
      if (!isFirst && isRepeated) return false;
      return number >= last_page && !isFull ? true : undefined;
    };
    return { page, number, cursor, isSkipped, isFull, isEnd: isSkipped ? undefined : isEnd() };
  }

  /** Returns whether the last page was reached, or a refusal that is unrelated to paging. */
  async function* readOnward(first: PageRead, size: PageQuery): Reading<boolean | Reply> {
    const maxRequests = 2 * first.page.last_page + sparePages;
    let current = first;
    for (let requests = 1; requests < maxRequests; requests += 1) {
      const { page, number, cursor, isSkipped, isEnd } = current;
      if (isEnd !== undefined) return isEnd;
      if (!isSkipped) {
        if (requests > 1) isPaged = true;
        if (cursor === undefined && isWithoutPages(paging)) return false;
      }
      const query: PageQuery = { ...size, page: position!.nextNumber() };
      const hasCursor = cursor !== undefined && !isSkipped && !isCursorRefused;
      let next = yield* read(hasCursor ? { ...query, cursor } : query);
      if (hasCursor && "status" in next && isRefused(next)) {
        isCursorRefused = true;
        next = yield* read(query);
      }
      if ("status" in next) {
        if (!isRefused(next)) return next;
        // The service refuses pages beyond the last one.
        const isPastTheEnd = isPaged || paging?.page === "honoured";
        return isPastTheEnd && !isSkipped && number >= page.last_page;
      }
      current = next;
    }
    return false;
  }

  /** Reads a single page that is large enough for all records. Returns the same as `readOnward`. */
  async function* readAtOnce(): Reading<boolean | Reply> {
    const maxSize = paging?.maxSize ?? Infinity;
    if (longest >= maxSize) return count === total;
    let wanted = Math.min(maxSize, Math.max(total, count) + 1);
    for (let growths = 0; growths < maxGrowths; growths += 1) {
      const grown = yield* read({ perPage: wanted }, false);
      if ("status" in grown) {
        if (!isRefused(grown)) return grown;
        const smaller = smallerSizes.find((size) => size < wanted && size > longest);
        if (smaller === undefined) return false;
        wanted = smaller;
        continue;
      }
      if (!grown.isFull) return true;
      // The service limits the page size, so only its total shows whether this is all.
      if (grown.page.data.length < wanted || wanted >= maxSize) return count === total;
      wanted = Math.min(maxSize, Math.max(total + 1, 2 * wanted));
    }
    return false;
  }

  let size: PageQuery =
    perPage === undefined ? { perPage: pageSize, acceptsSmaller: true } : { perPage };
  let first = yield* read(size);
  if (perPage === undefined && "status" in first && isRefused(first)) {
    size = {};
    first = yield* read(size);
  }
  if ("status" in first) return { refusal: first };
  const paged = yield* readOnward(first, size);
  if (typeof paged === "object") return { refusal: paged };
  const isSteady = !hasShrunk || position!.isSorted();
  const isRead = (isSteady && count >= total) || position!.isAtEnd();
  if (paged && isRead) return { isWhole: true, isFinal: false, hasShrunk, message, count, total };
  const grown = yield* readAtOnce();
  if (typeof grown === "object") return { refusal: grown };
  const isWhole = grown && !hasShrunk && count >= total;
  const isFinal = isWithoutPages(paging) && longest >= (paging?.maxSize ?? Infinity);
  return { isWhole, isFinal, hasShrunk, message, count, total };
}

/** Returns whether the service is known to have only the first page of a list. */
function isWithoutPages(paging: Paging | undefined): boolean {
  return paging?.page === "ignored" || paging?.page === "refused";
}
