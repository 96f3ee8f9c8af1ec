/** Whole numbers in descending order. Consecutive ones take no more memory than one. */
export interface DescendingIds {
  /** Adds an id, and returns whether it is a whole number below all others. */
  readonly add: (id: unknown) => boolean;
  readonly has: (id: unknown) => boolean;
  readonly count: () => number;
}

export function descendingIds(): DescendingIds {
  /** The ranges of consecutive ids, highest first. */
  const highs: number[] = [];
  const lows: number[] = [];
  let count = 0;
  return {
    add: (id) => {
      const lowest = lows.at(-1) ?? Infinity;
      if (!isWhole(id) || id >= lowest) return false;
      if (id === lowest - 1) lows[lows.length - 1] = id;
      else {
        highs.push(id);
        lows.push(id);
      }
      count += 1;
      return true;
    },
    has: (id) => {
      if (!isWhole(id)) return false;
      let from = 0;
      let to = lows.length;
      while (from < to) {
        const middle = (from + to) >> 1;
        if (lows[middle]! > id) from = middle + 1;
        else to = middle;
      }
      return from < lows.length && id <= highs[from]!;
    },
    count: () => count,
  };
}

function isWhole(id: unknown): id is number {
  return Number.isSafeInteger(id);
}
