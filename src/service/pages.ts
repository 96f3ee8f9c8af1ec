import type { Page } from "../contract/records.ts";
import { followList, type IsOld, type ListPosition } from "./list-position.ts";
import {
  isRefused,
  succeeded,
  type PageQuery,
  type Paging,
  type Reply,
} from "../contract/service.ts";

/** An operation that lists records. */
export type List = (query: PageQuery) => Promise<Reply>;

/** Page sizes to request, in order, until the service accepts one; `{}` is the service's default. */
const defaultPageSize = 1000;
const otherSizes: readonly PageQuery[] = [{}, { perPage: 100 }, { perPage: 50 }];

/** Page sizes to try if the service refuses a page with all records. */
const smallerSizes: readonly number[] = [500, 200, 100, 50];

/** Added to twice the service's page count to limit the number of pages, because a list may grow while it is read. */
const sparePages = 100;

/** Maximum number of requests for a page with all records, each for twice as many. */
const maxGrowths = 12;

/** The result of reading the pages of a list. */
export type PagesRead =
  | { readonly refusal: Reply }
  | {
      /** Whether all records that existed throughout were read, as far as the pages show. */
      readonly isWhole: boolean;
      /** Whether records were deleted meanwhile, as far as the totals of numbered pages show. */
      readonly hasShrunk: boolean;
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
  /** Returns whether enough records were read. The list then counts as whole. */
  readonly isEnough?: () => boolean;
}

/** One of the pages of a list. */
interface PageRead {
  readonly page: Page<unknown>;
  readonly number: number;
  readonly cursor: string | undefined;
  /** Whether it was read by the cursor of the page before. */
  readonly isNext: boolean;
  /** Whether it was skipped, because records may be missing before it. */
  readonly isSkipped: boolean;
  /** Whether the service returned its last page instead of one past the end. */
  readonly isLastInstead: boolean;
  /** Whether it has no new records, without a change that would explain it. */
  readonly isAgain: boolean;
  /** Number of records not seen before. */
  readonly fresh: number;
  /** Whether more pages may follow, even beyond `last_page`. */
  readonly isFull: boolean;
}

/**
 * Returns true if a page was the last, false if the service repeats a page instead of the next one, and undefined if
 * more pages may follow.
 */
function endsAt(
  { page, number, isNext, isLastInstead, isAgain, fresh, isFull }: PageRead,
  isFirst: boolean,
  paging: Paging | undefined,
): boolean | undefined {
  if (isNext) return isFull && fresh > 0 ? undefined : !isFull;
  if (isLastInstead || (!isFirst && page.data.length === 0)) return true;
  if (number > page.last_page && fresh === 0 && paging?.pastTheEnd === "last") return true;
  if (!isFirst && (page.current_page !== number || isAgain)) return false;
  return number >= page.last_page && !isFull ? true : undefined;
}

/**
 * Reads a list to its end. Requests page after page until one is not full, even beyond `last_page`, because the
 * total may lag behind. The specification allows a service to ignore or refuse `page`; then a single page with
 * all records is requested. If records are created or deleted meanwhile, see `followList`; created ones are left out
 * if the list is sorted by id.
 *
 * @param take stores the old records of a page, and returns how many were not seen before
 */
export async function readPages(
  list: List,
  take: (reply: Reply, isOld: IsOld) => Promise<number>,
  { perPage, pageSize = defaultPageSize, isEnough = () => false }: PageOptions,
): Promise<PagesRead> {
  let seen = 0;
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
  const read = async (query: PageQuery, isPage = true): Promise<PageRead | Reply> => {
    const reply = await list(query);
    if (!succeeded(reply)) return reply;
    paging ??= reply.paging;
    const { cursor } = reply;
    const page = reply.envelope!.data as Page<unknown>;
    const wanted = Number(query.page ?? 1);
    const isLastInstead =
      isPaged && wanted > page.last_page && page.current_page === page.last_page;
    const number = isLastInstead ? page.last_page : wanted;
    const isNext = query.cursor !== undefined && cursor !== undefined;
    const hasChanged = position !== undefined && page.total !== total;
    hasShrunk ||= !isNext && page.total < total;
    total = page.total;
    longest = Math.max(longest, page.data.length);
    const isFirst = position === undefined;
    position ??= followList(page);
    const isSkipped = isPage && !isFirst && !position.add(page, number, isNext);
    const fresh = isSkipped ? 0 : await take(reply, isPage ? position.isOld : () => true);
    seen += fresh;
    const isFull = page.data.length > 0 && page.data.length >= page.per_page;
    const isAgain = fresh === 0 && !hasChanged && !mayRepeat;
    mayRepeat = isSkipped || isNext;
    return { page, number, cursor, isNext, isSkipped, isLastInstead, isAgain, fresh, isFull };
  };

  /** Returns whether the last page was reached, or a refusal that is unrelated to paging. */
  const readOnward = async (first: PageRead, size: PageQuery): Promise<boolean | Reply> => {
    const maxRequests = 2 * first.page.last_page + sparePages;
    let current = first;
    for (let requests = 1; requests < maxRequests; requests += 1) {
      const { page, number, cursor, isSkipped } = current;
      if (!isSkipped) {
        if (isEnough()) return true;
        const isEnd = endsAt(current, requests === 1, paging);
        if (isEnd !== undefined) return isEnd;
        if (requests > 1) isPaged = true;
        if (cursor === undefined && isWithoutPages(paging)) return false;
      }
      const query: PageQuery = { ...size, page: position!.nextNumber() };
      const hasCursor = cursor !== undefined && !isSkipped && !isCursorRefused;
      let next = await read(hasCursor ? { ...query, cursor } : query);
      if (hasCursor && "status" in next && isRefused(next)) {
        isCursorRefused = true;
        next = await read(query);
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
  };

  /** Reads a single page that is large enough for all records. Returns the same as `readOnward`. */
  const readAtOnce = async (): Promise<boolean | Reply> => {
    const maxSize = paging?.maxSize ?? Infinity;
    if (longest >= maxSize) return seen === total;
    let wanted = Math.min(maxSize, Math.max(total, seen) + 1);
    for (let growths = 0; growths < maxGrowths; growths += 1) {
      const grown = await read({ perPage: wanted }, false);
      if ("status" in grown) {
        if (!isRefused(grown)) return grown;
        const smaller = smallerSizes.find((size) => size < wanted && size > longest);
        if (smaller === undefined) return false;
        wanted = smaller;
        continue;
      }
      if (!grown.isFull || isEnough()) return true;
      // The service limits the page size, so only its total shows whether this is all.
      if (grown.page.data.length < wanted || wanted >= maxSize) return seen === total;
      wanted = Math.min(maxSize, Math.max(total + 1, 2 * wanted));
    }
    return false;
  };

  let size: PageQuery =
    perPage === undefined ? { perPage: pageSize, takesLess: true } : { perPage };
  let first = await read(size);
  for (const other of perPage === undefined ? otherSizes : []) {
    if (!("status" in first) || !isRefused(first)) break;
    size = other;
    first = await read(size);
  }
  if ("status" in first) return { refusal: first };
  const paged = await readOnward(first, size);
  if (typeof paged === "object") return { refusal: paged };
  const isSteady = !hasShrunk || position!.isSorted();
  const isRead = isEnough() || (isSteady && seen >= total) || position!.isAtEnd();
  if (paged && isRead) return { isWhole: true, hasShrunk, total, isFinal: false };
  const grown = await readAtOnce();
  if (typeof grown === "object") return { refusal: grown };
  const isFinal = isWithoutPages(paging) && longest >= (paging?.maxSize ?? Infinity);
  const isWhole = isEnough() || (grown && !hasShrunk && seen >= total);
  return { isWhole, hasShrunk, total, isFinal };
}

/** Returns whether the service is known to have only the first page of a list. */
function isWithoutPages(paging: Paging | undefined): boolean {
  return paging?.page === "ignored" || paging?.page === "refused";
}
