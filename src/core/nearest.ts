/**
 * Returns whether a service may treat two names as equal, as databases do whose comparisons ignore case, accents
 * or outer white space.
 */
export function areAlike(name: string, found: unknown): boolean {
  return typeof found === "string" && folded(name) === folded(found);
}

function folded(name: string): string {
  return normalized(name, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}

/** More marks on one letter than any language writes. Sorting them takes time that grows with their square. */
const manyMarks = /\p{M}{31}/u;

/** Returns a text in a Unicode normalization form, or unchanged if a letter has more than 30 marks. */
export function normalized(text: string, form: "NFC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}

/** Returns the known word that is closest to a mistyped one; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const mistakes = known.map((name) => ({ name, count: distance(plain(word), plain(name)) }));
  const [best] = mistakes.toSorted((a, b) => a.count - b.count);
  return best !== undefined && best.count <= Math.max(1, plain(best.name).length / 4)
    ? best.name
    : undefined;
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Returns the number of letters to add, drop, change or swap with their neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = i > 1 && j > 1 && isSwap ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1, swapped));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
