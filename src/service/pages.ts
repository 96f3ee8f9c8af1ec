import type { Page } from "../contract/records.ts";
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

/** The result of reading a list. */
export type ListRead =
  | { readonly refusal: Reply }
  | {
      /** Whether all records were read, as far as the pages show. */
      readonly isWhole: boolean;
      /** The service's latest total. */
      readonly total: number;
      /** Whether the service is known to show no more than this. */
      readonly isFinal: boolean;
    };

/** Options for callers that do not need the whole list. */
export interface Reading {
  /** Initial page size, if the user has not set one. */
  readonly pageSize?: number;
  /** Returns whether enough records were read. */
  readonly isEnough?: () => boolean;
}

interface PageRead {
  readonly page: Page<unknown>;
  /** Number of records not seen before. */
  readonly fresh: number;
  /** Whether more pages may follow, even beyond `last_page`. */
  readonly isFull: boolean;
}

/**
 * Reads a list to its end. Requests page after page until one is not full, even beyond `last_page`, because the
 * total may lag behind. The specification allows a service to ignore or refuse `page`; then a single page with
 * all records is requested.
 *
 * @param perPage page size; undefined for the largest that the service accepts
 * @param take stores the records of a page, and returns how many were not seen before
 * @param reading options to stop early; the list then counts as whole
 */
export async function readList(
  list: List,
  perPage: number | undefined,
  take: (reply: Reply) => Promise<number>,
  { pageSize = defaultPageSize, isEnough = () => false }: Reading = {},
): Promise<ListRead> {
  let seen = 0;
  let total = 0;
  let longest = 0;
  let paging: Paging | undefined;

  const read = async (query: PageQuery): Promise<PageRead | Reply> => {
    const reply = await list(query);
    if (!succeeded(reply)) return reply;
    paging ??= reply.paging;
    const page = reply.envelope!.data as Page<unknown>;
    const fresh = await take(reply);
    const count = page.data.length;
    seen += fresh;
    total = page.total;
    longest = Math.max(longest, count);
    return { page, fresh, isFull: count > 0 && count >= page.per_page };
  };

  /** Returns whether the last page was reached, or a refusal that is unrelated to paging. */
  const readPages = async (first: PageRead, size: PageQuery): Promise<boolean | Reply> => {
    const maxPages = 2 * first.page.last_page + sparePages;
    let current = first;
    let isPaged = false;
    for (let number = 1; number < maxPages; number += 1) {
      const { page, fresh, isFull } = current;
      if (isEnough()) return true;
      if (number > 1 && page.data.length === 0) return true;
      const isLastAgain = number > page.last_page && fresh === 0;
      if (isLastAgain && paging?.pastTheEnd === "last") return true;
      if (number > 1 && (page.current_page !== number || fresh === 0)) return false;
      if (number > 1) isPaged = true;
      if (number >= page.last_page && !isFull) return true;
      if (isWithoutPages(paging)) return false;
      const next = await read({ ...size, page: number + 1 });
      if ("status" in next) {
        if (!isRefused(next)) return next;
        // The service refuses pages beyond the last one.
        return (isPaged || paging?.page === "honoured") && number >= page.last_page;
      }
      current = next;
    }
    return false;
  };

  /** Reads a single page that is large enough for all records. Returns the same as `readPages`. */
  const readAtOnce = async (): Promise<boolean | Reply> => {
    const maxSize = paging?.maxSize ?? Infinity;
    if (longest >= maxSize) return seen === total;
    let wanted = Math.min(maxSize, Math.max(total, seen) + 1);
    for (let growths = 0; growths < maxGrowths; growths += 1) {
      const grown = await read({ perPage: wanted });
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
  const paged = await readPages(first, size);
  if (typeof paged === "object") return { refusal: paged };
  if (paged && (seen >= total || isEnough())) return { isWhole: true, total, isFinal: false };
  const grown = await readAtOnce();
  if (typeof grown === "object") return { refusal: grown };
  const isFinal = isWithoutPages(paging) && longest >= (paging?.maxSize ?? Infinity);
  return { isWhole: grown && (seen >= total || isEnough()), total, isFinal };
}

/** Returns whether the service is known to have only the first page of a list. */
function isWithoutPages(paging: Paging | undefined): boolean {
  return paging?.page === "ignored" || paging?.page === "refused";
}
