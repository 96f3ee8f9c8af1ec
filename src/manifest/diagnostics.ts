import { diagnosticLimit } from "./limits.ts";
import type { Diagnostic, Location } from "./manifest.ts";

/** Diagnostics of several files, as they come. */
export interface Diagnostics {
  readonly add: (location: Location, message: string) => void;
  readonly isEmpty: () => boolean;
  /** In the order they stand; what is over the limit is counted by the last of them. */
  readonly list: () => readonly Diagnostic[];
}

/** @param files in the order in which they are read */
export function createDiagnostics(files: readonly string[]): Diagnostics {
  const order = new Map(files.map((file, index) => [file, index]));
  let kept: Diagnostic[] = [];
  let count = 0;
  const inOrder = (): Diagnostic[] =>
    kept.toSorted(
      (a, b) => order.get(a.file)! - order.get(b.file)! || a.line - b.line || a.column - b.column,
    );
  return {
    add: ({ file, line, column }, message) => {
      count += 1;
      kept.push({ file, line, column, message });
      // One more is kept, for the location where the rest begin.
      if (kept.length > diagnosticLimit * 20) kept = inOrder().slice(0, diagnosticLimit + 1);
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
