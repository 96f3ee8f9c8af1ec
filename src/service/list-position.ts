import type { Page, ShownRecord } from "../contract/service.ts";
import type { Line } from "./lines.ts";

/** The id of a record of a list that may be sorted by it. */
type ListedId = number | bigint;

/** How far a list has been read, while other clients create and delete records. */
export type ListPosition = ReturnType<typeof followList>;

/**
 * Follows a list from its first page. New records push others down, so that pages overlap, and deletes move others up
 * past the next page. If a list is sorted by id, newest first, nothing is missing before a page that overlaps those
 * read before, or that begins within the part of the list that is certainly read, or that is the next one while the total
 * has not fallen: then at most as many records moved up as down. A service may limit its pages to less than it says.
 *
 * @param isSeen returns whether a record with this id was read
 */
export function followList(first: Page<unknown>, isSeen: (id: unknown) => boolean) {
  const firstIds = idsOf(first) ?? [];
  const [newest] = firstIds;
  const { length } = first.data;
  const isShort = length > 0 && length < Math.min(first.per_page, first.total);
  const sizeOf = ({ per_page }: Page<unknown>): number =>
    Math.max(1, isShort ? Math.min(per_page, length) : per_page);
  let isSorted = newest !== undefined && isDescending(firstIds);
  let lowest = firstIds.at(-1);
  let { total } = first;
  let hasChanged = false;
  /** A number of records at the top of the list that are all read or new. */
  let covered = first.data.length;
  let isByCursor = false;
  /** The number of the last page that was added, 0 after a cursor, and the total that it had. */
  let added = { number: 1, total };
  let next = 2;

  /** Returns whether a page at this offset can belong to a sorted list. */
  function fits({ data }: Page<unknown>, ids: readonly ListedId[], offset: number): boolean {
    const newer = ids.filter((id) => id > newest!).length;
    // A page further down has new records only if there are enough of them for the pages above.
    const isTooEarly = newer > 0 && offset > 0 && total - first.total < offset + newer;
    const isKnown = (id: ListedId, index: number): boolean =>
      id < lowest! || id > newest! || isSeen((data[index] as ShownRecord)["id"]);
    return isDescending(ids) && !isTooEarly && ids.every(isKnown);
  }

  return {
    /** Returns whether a record existed when the first page was read. If the list is not sorted, every record counts. */
    isOld: (id: unknown): boolean => !isSorted || (listedId(id) ?? newest!) <= newest!,
    /** Whether all pages so far are sorted by id, newest first, so that the position is certain. */
    isSorted: (): boolean => isSorted,
    /** Returns whether the pages reach the end of a list whose total says little: it has changed, or cursors led there. */
    isAtEnd: (): boolean => isSorted && (isByCursor || (hasChanged && covered >= total)),
    /** Returns how many records a page can have, by its numbers and by the first page. */
    sizeOf,
    /** Returns the number of the page to request next. */
    nextNumber: (): number => next,
    /**
     * Adds a page unless records may be missing between it and the pages before, because deletes moved them up.
     *
     * @param isNext whether the service continued after the last page, so that nothing can be missing
     * @returns whether it was added
     */
    add: (page: Page<unknown>, number: number, isNext: boolean): boolean => {
      const growth = page.total - total;
      hasChanged ||= growth !== 0;
      ({ total } = page);
      // Every created record is in this part of the list, and at most all the deleted ones were.
      covered = Math.max(0, covered + growth);
      const size = sizeOf(page);
      const offset = isNext ? covered : (number - 1) * size;
      const ids = idsOf(page);
      if (!isNext) isSorted &&= ids !== undefined && fits(page, ids, offset);
      const isOverlapping = ids?.[0] !== undefined && ids[0] >= lowest!;
      const isDirect = number === added.number + 1 && total >= added.total;
      if (isSorted && !isOverlapping && !isDirect && offset > covered) {
        next = pageAt(covered, size);
        return false;
      }
      isByCursor = isNext;
      added = { number: isNext ? 0 : number, total };
      covered = Math.max(covered, offset + page.data.length);
      // As many records are probably created until the next page is read as before this one.
      const ahead = isSorted ? pageAt(covered + growth - 1, size) : 0;
      next = isNext ? pageAt(covered, size) : Math.max(number + 1, ahead);
      const low = ids?.at(-1);
      if (low !== undefined && low < lowest!) lowest = low;
      return true;
    },
  };
}

/** Returns the number of the page that begins at this offset, or contains it. */
function pageAt(offset: number, size: number): number {
  return Math.floor(offset / size) + 1;
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

/** The records that were read. */
export type Seen = ReturnType<typeof createSeen>;

/**
 * Remembers records. Whole numbers in the order of the first two, such as the service's ids, are stored as ranges, so that
 * a million of them take little memory.
 */
export function createSeen() {
  /** The ranges of consecutive ids, highest first; of their negatives, if the ids ascend. */
  const highs: number[] = [];
  const lows: number[] = [];
  const others = new Set<unknown>();
  let sign = 1;

  const isInRange = (value: number): boolean => {
    let from = 0;
    let to = lows.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (lows[middle]! > value) from = middle + 1;
      else to = middle;
    }
    return from < lows.length && value <= highs[from]!;
  };
  const has = (id: unknown): boolean =>
    (isWhole(id) && isInRange(sign * id)) || (isId(id) && others.has(String(id)));

  return {
    has,
    /** Returns whether a record was read before. */
    hasLine: (line: Line): boolean => has(line.record["id"]) || others.has(keyOf(line)),
    /** Returns the highest id of all records that were read. */
    highest: (): ListedId => {
      let highest: ListedId = (sign === 1 ? highs[0] : -lows.at(-1)!) ?? -Infinity;
      for (const key of others) {
        const id = listedId(key);
        if (id !== undefined && id > highest) highest = id;
      }
      return highest;
    },
    /** Returns whether a record was not read before. */
    add: (line: Line): boolean => {
      const { id } = line.record;
      const [only] = lows;
      const isSecond = sign === 1 && lows.length === 1 && highs[0] === only;
      if (isSecond && isWhole(id) && id > only!) {
        sign = -1;
        highs[0] = lows[0] = -only!;
      }
      const lowest = lows.at(-1) ?? Infinity;
      const value = isWhole(id) ? sign * id : Infinity;
      if (value >= lowest) {
        const key = keyOf(line);
        if (has(id) || others.has(key)) return false;
        others.add(key);
      } else if (value === lowest - 1) lows[lows.length - 1] = value;
      else {
        highs.push(value);
        lows.push(value);
      }
      return true;
    },
  };
}

/**
 * Compares a reading of a list with the one before. They agree if no record disappeared between them and all that appeared
 * have higher ids, so that they were created. Then none can have moved past the pages of the one before.
 *
 * @param count of the records in it
 */
export function compareWith(before: Seen, count: number) {
  const highest = before.highest();
  let known = 0;
  let missed = 0;
  return {
    add: (lines: readonly Line[]): void => {
      for (const line of lines) {
        if (before.hasLine(line)) known += 1;
        else if (!((listedId(line.record["id"]) ?? highest) > highest)) missed += 1;
      }
    },
    agrees: (): boolean => known === count && missed === 0,
  };
}

/** Returns the key of a record among others. The text of a line is expensive. */
function keyOf(line: Line): string {
  const { id } = line.record;
  return isId(id) ? String(id) : line.text;
}

function isWhole(id: unknown): id is number {
  return Number.isSafeInteger(id);
}

function isId(id: unknown): id is bigint | number | string {
  return ["bigint", "number", "string"].includes(typeof id);
}
