/** Finds texts that occur more than once, in 8 bytes for each text. */
export interface Occurrences {
  readonly add: (text: string) => void;
  /**
   * Returns whether a text that was added may have been added more than once. It is certain that others were not. All
   * texts must have been added.
   */
  readonly mayBeRepeated: (text: string) => boolean;
  /** Returns the same of any text. */
  readonly hasRepeated: () => boolean;
}

export function createOccurrences(): Occurrences {
  let hashes = new Float64Array(1024);
  let count = 0;
  /** The hashes that occur more than once, in ascending order. */
  let repeated: Float64Array | undefined;
  const findRepeated = (): Float64Array => {
    const sorted = hashes.subarray(0, count).toSorted();
    const isFirstAgain = (hash: number, index: number): boolean =>
      hash === sorted[index - 1] && hash !== sorted[index - 2];
    return sorted.filter(isFirstAgain);
  };
  return {
    add: (text) => {
      if (count === hashes.length) {
        const larger = new Float64Array(2 * count);
        larger.set(hashes);
        hashes = larger;
      }
      hashes[count] = hashOf(text);
      count += 1;
    },
    hasRepeated: () => (repeated ??= findRepeated()).length > 0,
    mayBeRepeated: (text) => {
      repeated ??= findRepeated();
      if (repeated.length === 0) return false;
      const hash = hashOf(text);
      let from = 0;
      let to = repeated.length;
      while (from < to) {
        const middle = (from + to) >> 1;
        if (repeated[middle]! < hash) from = middle + 1;
        else to = middle;
      }
      return repeated[from] === hash;
    },
  };
}

/** Returns a hash of 53 bits. Different texts rarely have the same one: 1 in 20,000 lists of a million texts does. */
function hashOf(text: string): number {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2654435761);
    other = Math.imul(other ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 2 ** 32 * (other & 0x1fffff) + (one >>> 0);
}
