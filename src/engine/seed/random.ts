import { createHash } from "node:crypto";

/** Initial state of the generator. The same seed produces the same numbers on every machine. */
export type Seed = readonly [number, number, number];

/** One stream for each use, so that a change to one does not change the numbers of the others. */
const streams = { senderIds: 1, countries: 2, groups: 3, groupSizes: 4, contacts: 5, uuids: 6 };

/** Derives a seed from a text: the first three words of its SHA-256. */
export function seedOf(text: string): Seed {
  const hash = createHash("sha256").update(text).digest();
  return [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8)];
}

/** Random numbers from one stream. */
interface Random {
  /** Returns 32 random bits as an unsigned integer. */
  readonly word: () => number;
  /** Returns an integer from 0 to `limit` - 1. `limit` is at most 2^32. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(list: readonly Item[]) => Item;
}

/**
 * Creates a generator: sfc32 by Chris Doty-Humphrey, from PractRand. Small and fast, but not for secrets.
 *
 * @param index of the stream, for uses with many streams
 */
export function randomOf(seed: Seed, stream: keyof typeof streams, index = 0): Random {
  let a = seed[0] ^ index;
  let b = seed[1] ^ Math.floor(index / 2 ** 32);
  let c: number = seed[2];
  let counter = streams[stream];
  const word = (): number => {
    const drawn = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + drawn;
    return drawn >>> 0;
  };
  // Mix the state until every bit of the seed has affected every other bit.
  for (let round = 0; round < 15; round += 1) word();
  const below = (limit: number): number => Math.floor((word() * limit) / 2 ** 32);
  return { word, below, pick: (list) => list[below(list.length)]! };
}

/** Returns the items in random order. */
export function shuffled<Item>(items: readonly Item[], { below }: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
