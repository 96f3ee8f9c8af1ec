import { faultLimit } from "./limits.ts";
import type { Fault, Place } from "./manifest.ts";

/** Faults of several files, as they come. */
export interface Faults {
  readonly add: (place: Place, message: string) => void;
  readonly isEmpty: () => boolean;
  /** In the order they stand; what is over the limit is counted by the last of them. */
  readonly list: () => readonly Fault[];
}

/** @param files in the order in which they are read */
export function createFaults(files: readonly string[]): Faults {
  const order = new Map(files.map((file, index) => [file, index]));
  let kept: Fault[] = [];
  let count = 0;
  const inOrder = (): Fault[] =>
    kept.toSorted(
      (a, b) => order.get(a.file)! - order.get(b.file)! || a.line - b.line || a.column - b.column,
    );
  return {
    add: ({ file, line, column }, message) => {
      count += 1;
      kept.push({ file, line, column, message });
      // One more is kept, for the place where the rest begin.
      if (kept.length > faultLimit * 20) kept = inOrder().slice(0, faultLimit + 1);
    },
    isEmpty: () => count === 0,
    list: () => {
      const sorted = inOrder();
      const first = sorted[faultLimit];
      if (first === undefined) return sorted;
      const message = `and ${count - faultLimit} more`;
      return [...sorted.slice(0, faultLimit), { ...first, message }];
    },
  };
}
