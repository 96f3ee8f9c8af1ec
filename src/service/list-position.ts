import type { Page } from "../contract/envelope.ts";
import type { ShownRecord } from "../contract/service.ts";

/** The id of a record of a list that may be sorted by it. */
type ListedId = number | bigint;

/** How far a list has been read, while other clients create and delete records. */
export interface ListPosition {
  /** Returns whether a record with this id existed when the first page was read, as far as known. */
  readonly isOld: (id: unknown) => boolean;
  /** Whether all records down to the last page were read. If not sure, the list is not sorted by id, newest first. */
  readonly isSorted: () => boolean;
  /**
   * Adds a page unless records may be missing between it and the pages before, because deletes moved them up.
   *
   * @param isNext whether the service continued after the last page, so that nothing can be missing
   * @returns whether it was added
   */
  readonly add: (page: Page<unknown>, number: number, isNext: boolean) => boolean;
  /** Returns the number of the page to request next. */
  readonly nextNumber: () => number;
  /** Returns whether the pages reach the end of a list whose total says little: it has changed, or cursors led there. */
  readonly isAtEnd: () => boolean;
}

/**
 * Follows a list from its first page. New records push others down, so that pages overlap, and deletes move others up
 * past the next page. If a list is sorted by id, newest first, a page directly follows the pages before if it overlaps
 * them, or if it is the next one and the total has not fallen since: then at most as many records moved up as down.
 *
 * @param isSeen returns whether a record with this id was read
 */
export function followList(first: Page<unknown>, isSeen: (id: unknown) => boolean): ListPosition {
  const firstIds = idsOf(first) ?? [];
  const [newest] = firstIds;
  let isSorted = newest !== undefined && isDescending(firstIds);
  let hasChanged = false;
  /** The last page that was added: its number (0 after a cursor), total and lowest id. */
  let number = 1;
  let { total } = first;
  let lowest = firstIds.at(-1);
  /** A number of records at the top of the list that are all read or new: only some of the deleted ones were read. */
  let covered = first.data.length;
  let isByCursor = false;
  let latestTotal = total;
  let next = 2;

  /** Returns whether a page at this offset can belong to a sorted list. */
  function fits({ data }: Page<unknown>, ids: readonly ListedId[], offset: number): boolean {
    const newer = ids.filter((id) => id > newest!).length;
    // A page further down has new records only if there are enough of them for the pages above.
    const isTooEarly = newer > 0 && offset > 0 && latestTotal - first.total < offset + newer;
    const isKnown = (id: ListedId, index: number): boolean =>
      id < lowest! || id > newest! || isSeen((data[index] as ShownRecord)["id"]);
    return isDescending(ids) && !isTooEarly && ids.every(isKnown);
  }

  function addNumbered(page: Page<unknown>, requested: number, still: number): boolean {
    const size = Math.max(1, page.per_page);
    const offset = (requested - 1) * size;
    const ids = idsOf(page);
    isSorted &&= ids !== undefined && fits(page, ids, offset);
    const isOverlapping = isSorted && ids?.[0] !== undefined && ids[0] >= lowest!;
    const isDirect = requested === 1 || (requested === number + 1 && page.total >= total);
    if (isSorted && !isOverlapping && !isDirect) {
      next = Math.max(1, Math.min(requested - 1, pageOf(still, size)));
      return false;
    }
    isByCursor = false;
    covered = Math.max(still, offset + page.data.length);
    number = requested;
    // If a page has nothing but new and known records, as many are probably created until the next one is read.
    const isAhead = isSorted && ids!.length > 0 && ids!.at(-1)! >= lowest!;
    const growth = isAhead ? Math.max(0, page.total - total) : 0;
    next = isSorted ? Math.max(number + 1, pageOf(covered + growth, size)) : number + 1;
    return true;
  }

  return {
    isOld: (id) => !isSorted || (listedId(id) ?? newest!) <= newest!,
    isSorted: () => isSorted,
    isAtEnd: () => isSorted && (isByCursor || (hasChanged && covered >= latestTotal)),
    nextNumber: () => next,
    add: (page, requested, isNext) => {
      hasChanged ||= page.total !== latestTotal;
      latestTotal = page.total;
      const still = Math.max(0, covered + page.total - total);
      if (isNext) {
        isByCursor = true;
        covered = still + page.data.length;
        // The next page has the next record, or overlaps, even if the service ignores the cursor.
        number = 0;
        next = Math.floor(covered / Math.max(1, page.per_page)) + 1;
      } else if (!addNumbered(page, requested, still)) return false;
      const low = idsOf(page)?.at(-1);
      if (low !== undefined && low < lowest!) lowest = low;
      ({ total } = page);
      return true;
    },
  };
}

/** Returns the number of the page with the last of the first `count` records. */
function pageOf(count: number, size: number): number {
  return Math.floor((count - 1) / size) + 1;
}

function isDescending(ids: readonly ListedId[]): boolean {
  return ids.every((id, index) => index === 0 || id < ids[index - 1]!);
}

/** Returns the ids of a page as numbers; undefined if one is something else. */
function idsOf({ data }: Page<unknown>): readonly ListedId[] | undefined {
  const ids = (data as readonly ShownRecord[]).map(({ id }) => listedId(id));
  return ids.some((id) => id === undefined) ? undefined : (ids as readonly ListedId[]);
}

/** Returns an id as a number, even if the service writes it as text; undefined if it is something else. */
function listedId(id: unknown): ListedId | undefined {
  if (typeof id === "number" || typeof id === "bigint") return id;
  if (typeof id !== "string" || !/^[0-9]{1,30}$/.test(id)) return undefined;
  return id.length < 16 ? Number(id) : BigInt(id);
}
