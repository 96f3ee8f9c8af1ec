import type { Line } from "./lines.ts";

/** The records that were read. */
export type Seen = ReturnType<typeof createSeen>;

/**
 * Remembers records. Whole numbers in descending order, as the service's ids are, are stored as ranges, so that a million
 * of them take little memory.
 */
export function createSeen() {
  /** The ranges of consecutive ids, highest first. */
  const highs: number[] = [];
  const lows: number[] = [];
  const others = new Set<unknown>();

  const isInRange = (id: number): boolean => {
    let from = 0;
    let to = lows.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (lows[middle]! > id) from = middle + 1;
      else to = middle;
    }
    return from < lows.length && id <= highs[from]!;
  };
  const has = (id: unknown): boolean =>
    (isWhole(id) && isInRange(id)) || (isId(id) && others.has(String(id)));

  return {
    has,
    /** Returns whether a record was not read before. */
    add: (line: Line): boolean => {
      const { id } = line.record;
      const lowest = lows.at(-1) ?? Infinity;
      if (!isWhole(id) || id >= lowest) {
        const key = isId(id) ? String(id) : line.text;
        if (has(id) || others.has(key)) return false;
        others.add(key);
      } else if (id === lowest - 1) lows[lows.length - 1] = id;
      else {
        highs.push(id);
        lows.push(id);
      }
      return true;
    },
  };
}

function isWhole(id: unknown): id is number {
  return Number.isSafeInteger(id);
}

function isId(id: unknown): id is bigint | number | string {
  return ["bigint", "number", "string"].includes(typeof id);
}
