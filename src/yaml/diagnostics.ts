import { diagnosticLimit, type Diagnostic, type Location } from "../contract/error.ts";

/** Collects diagnostics of several files in any order. */
export interface Diagnostics {
  readonly add: (location: Location, message: string) => void;
  readonly isEmpty: () => boolean;
  /** Returns them sorted by location. Over the limit, the last one is a count of the rest. */
  readonly list: () => readonly Diagnostic[];
}

/** Creates an empty collection. @param files names in reading order */
export function createDiagnostics(files: readonly string[]): Diagnostics {
  const order = new Map(files.map((file, index) => [file, index]));
  let stored: Diagnostic[] = [];
  let count = 0;
  const inOrder = (): Diagnostic[] =>
    stored.toSorted(
      (a, b) => order.get(a.file)! - order.get(b.file)! || a.line - b.line || a.column - b.column,
    );
  return {
    add: ({ file, line, column }, message) => {
      count += 1;
      stored.push({ file, line, column, message });
      // One more than the limit: the count of the rest has its location.
      if (stored.length > diagnosticLimit * 20) stored = inOrder().slice(0, diagnosticLimit + 1);
    },
    isEmpty: () => count === 0,
    list: () => {
      const sorted = inOrder();
      const first = sorted[diagnosticLimit];
      if (first === undefined) return sorted;
      const message = `and ${count - diagnosticLimit} more`;
      return [...sorted.slice(0, diagnosticLimit), { ...first, message }];
    },
  };
}
