/** Finds texts that occur only once, in 8 bytes for each text. */
export interface Occurrences {
  /** Adds the next text; undefined if one is missing, which is then not unique. */
  readonly add: (text: string | undefined) => void;
  /**
   * Returns whether it is certain that a text was added only once. All texts must have been added.
   *
   * @param index of the text, 0 for the first one
   */
  readonly isUnique: (index: number) => boolean;
}

/** Number of hashes in an array. Arrays of this size are never copied to make room for more. */
const arrayLength = 2 ** 16;

/** Number of ranges of hashes that are sorted one after another, so that only one is copied at a time. */
const ranges = 4;

export function createOccurrences(): Occurrences {
  const hashes: Float64Array[] = [];
  let count = 0;
  /** The hashes that occur more than once, in ascending order. */
  let repeated: readonly number[] | undefined;
  return {
    add: (text) => {
      if (count % arrayLength === 0) hashes.push(new Float64Array(arrayLength).fill(Number.NaN));
      // NaN is equal to nothing, so missing texts are not repeated ones.
      if (text !== undefined) hashes.at(-1)![count % arrayLength] = hashOf(text);
      count += 1;
    },
    isUnique: (index) => {
      repeated ??= repeatedOf(hashes);
      const hash = hashes[Math.floor(index / arrayLength)]![index % arrayLength]!;
      let from = 0;
      let to = repeated.length;
      while (from < to) {
        const middle = (from + to) >> 1;
        if (repeated[middle]! < hash) from = middle + 1;
        else to = middle;
      }
      return repeated[from] !== hash && !Number.isNaN(hash);
    },
  };
}

/** Returns the hashes that occur more than once, in ascending order. */
function repeatedOf(hashes: readonly Float64Array[]): readonly number[] {
  const repeated: number[] = [];
  let some = new Float64Array(arrayLength);
  for (let range = 0; range < ranges; range += 1) {
    let count = 0;
    for (const array of hashes) {
      for (const hash of array) {
        if (Math.floor(hash / (maxHash / ranges)) !== range) continue;
        if (count === some.length) some = grown(some);
        some[count] = hash;
        count += 1;
      }
    }
    const sorted = some.subarray(0, count).toSorted();
    for (let at = 1; at < count; at += 1) {
      const hash = sorted[at]!;
      if (hash === sorted[at - 1] && hash !== repeated.at(-1)) repeated.push(hash);
    }
  }
  return repeated;
}

function grown(array: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * array.length);
  larger.set(array);
  return larger;
}

/** Exceeds every hash. */
const maxHash = 2 ** 53;

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
