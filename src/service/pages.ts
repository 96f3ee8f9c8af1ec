import type { Page } from "../contract/records.ts";
import { isRefused, succeeded, type PageQuery, type Reply } from "../contract/service.ts";

/** The operation that lists records. */
export type List = (query: PageQuery) => Promise<Reply>;

/** Page sizes to ask for, the first first: a service that refuses one decides itself, or takes a smaller one. */
const defaultPageSize = 1000;
const otherSizes: readonly PageQuery[] = [{}, { perPage: 100 }, { perPage: 50 }];

/** Page sizes to try where one that would hold all records is refused. */
const smallerSizes: readonly number[] = [500, 200, 100, 50];

/** Pages are asked for up to twice as many as the service names first, and these: a list may grow while it is read. */
const sparePages = 100;

/** How often a page that would hold all records is asked for, each time twice as long. */
const maxGrowths = 12;

/** What reading a list came to. */
export type ListRead =
  | { readonly refusal: Reply }
  | {
      /** Nothing was left out, as far as pages show it. */
      readonly isWhole: boolean;
      /** As the service said last. */
      readonly total: number;
    };

/** What a caller wants of a list that it does not read to its end. */
export interface Reading {
  /** Records to ask for at first, where the user has named no page size. */
  readonly pageSize?: number;
  /** Whether the records that came are all that are wanted. */
  readonly isEnough?: () => boolean;
}

interface PageRead {
  readonly page: Page<unknown>;
  /** Records that were not seen before. */
  readonly fresh: number;
  /** There may be more behind it, whatever the service says. */
  readonly isFull: boolean;
}

/**
 * Reads a list to its end. Pages are asked for one by one, also beyond the last that a lagging total names,
 * until one is not full. A service that ignores `page` or refuses it, neither of which the specification rules
 * out, is asked for pages that would hold all records.
 *
 * @param perPage records to ask for at a time; undefined for as many as the service accepts
 * @param take keeps the records of a page, and returns how many were not seen before
 * @param reading ends it early; what was read then counts as whole
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

  const read = async (query: PageQuery): Promise<PageRead | Reply> => {
    const reply = await list(query);
    if (!succeeded(reply)) return reply;
    const page = reply.envelope!.data as Page<unknown>;
    const fresh = await take(reply);
    const count = page.data.length;
    seen += fresh;
    total = page.total;
    longest = Math.max(longest, count);
    return { page, fresh, isFull: count > 0 && count >= page.per_page };
  };

  /** Whether a page showed that nothing comes after it; a refusal that has nothing to do with pages ends it. */
  const readPages = async (first: PageRead, size: PageQuery): Promise<boolean | Reply> => {
    const maxPages = 2 * first.page.last_page + sparePages;
    let current = first;
    let isPaged = false;
    for (let number = 1; number < maxPages; number += 1) {
      const { page, fresh, isFull } = current;
      if (isEnough()) return true;
      if (number > 1 && page.data.length === 0) return true;
      if (number > 1 && (page.current_page !== number || fresh === 0)) return false;
      if (number > 1) isPaged = true;
      if (number >= page.last_page && !isFull) return true;
      const next = await read({ ...size, page: number + 1 });
      if ("status" in next) {
        if (!isRefused(next)) return next;
        // It had pages so far, so there are no more.
        return isPaged && number >= page.last_page;
      }
      current = next;
    }
    return false;
  };

  /** The same, of one page that is long enough for all records. */
  const readAtOnce = async (): Promise<boolean | Reply> => {
    let wanted = Math.max(total, seen) + 1;
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
      // It shows no more than that on a page. Its own total is all that is left to go by.
      if (grown.page.data.length < wanted) return seen === total;
      wanted = Math.max(total + 1, 2 * wanted);
    }
    return false;
  };

  let size: PageQuery = { perPage: perPage ?? pageSize };
  let first = await read(size);
  for (const other of perPage === undefined ? otherSizes : []) {
    if (!("status" in first) || !isRefused(first)) break;
    size = other;
    first = await read(size);
  }
  if ("status" in first) return { refusal: first };
  const paged = await readPages(first, size);
  if (typeof paged === "object") return { refusal: paged };
  if (paged && (seen >= total || isEnough())) return { isWhole: true, total };
  const grown = await readAtOnce();
  if (typeof grown === "object") return { refusal: grown };
  return { isWhole: grown && (seen >= total || isEnough()), total };
}
