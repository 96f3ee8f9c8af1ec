import type { Line } from "../output/replies.ts";

/**
 * Returns a function that tells whether a record was not seen before. Whole numbers in descending order, as the
 * service's ids are, are stored as ranges, so that a million of them take little memory.
 */
export function createSeen(): (line: Line) => boolean {
  /** The ranges of consecutive ids, highest first. */
  const highs: number[] = [];
  const lows: number[] = [];
  const others = new Set<string>();

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
  const isNewKey = (key: string): boolean => {
    const { size } = others;
    return others.add(key).size > size;
  };

  return (line) => {
    const { id } = line.record;
    if (!isWhole(id)) return isNewKey(isId(id) ? String(id) : line.text);
    const lowest = lows.at(-1) ?? Infinity;
    if (id >= lowest) return !isInRange(id) && isNewKey(String(id));
    if (id === lowest - 1) lows[lows.length - 1] = id;
    else {
      highs.push(id);
      lows.push(id);
    }
    return true;
  };
}

function isWhole(id: unknown): id is number {
  return Number.isSafeInteger(id);
}

function isId(id: unknown): id is bigint | number | string {
  return ["bigint", "number", "string"].includes(typeof id);
}
