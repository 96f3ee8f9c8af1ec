/** What the programs print, and how they fail. */
import process from "node:process";

/** @param {string} line */
export const print = (line) => process.stdout.write(`${line}\n`);

/** Ends the program with an error unless a condition holds. */
export function expect(condition, message) {
  if (!condition) throw new Error(message);
}

/** Counts a kind of response. @param {Map<string, number>} counts */
export function count(counts, kind) {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/** Lists how often each kind was counted, since an earlier copy of the counts if there is one. */
export function listed(counts, before = new Map()) {
  return [...counts]
    .map(([kind, number]) => [kind, number - (before.get(kind) ?? 0)])
    .filter(([, number]) => number > 0)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([kind, number]) => `${kind}: ${number}`)
    .join(", ");
}
