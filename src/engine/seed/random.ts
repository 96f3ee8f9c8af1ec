/** What random draws begin with: the same words, the same draws, on every machine. */
export type Seed = readonly [number, number, number];

/** Draws from one stream, in turn. */
export interface Random {
  /** 32 random bits, as a number from 0. */
  readonly word: () => number;
  /** A whole number from 0, below `limit`, which is at most 2^32. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(list: readonly Item[]) => Item;
}

/** One for each use, so that none changes what another draws. */
export const streams = {
  senderIds: 1,
  countries: 2,
  groups: 3,
  groupSizes: 4,
  contacts: 5,
  uuids: 6,
} as const;

/** The seed that a text stands for: the first words of its SHA-256. */
export async function seedOf(text: string): Promise<Seed> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256").update(text).digest();
  return [hash.readUInt32LE(0), hash.readUInt32LE(4), hash.readUInt32LE(8)];
}

/**
 * Chris Doty-Humphrey's sfc32, of PractRand: small, quick, and good enough for anything but secrets.
 *
 * @param stream one of `streams`
 * @param index which of the streams of that kind, where there are many
 */
export function randomOf(seed: Seed, stream: number, index = 0): Random {
  let a = seed[0] ^ index;
  let b = seed[1] ^ Math.floor(index / 2 ** 32);
  let c: number = seed[2];
  let counter = stream;
  const word = (): number => {
    const drawn = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + drawn;
    return drawn >>> 0;
  };
  // Until every bit of the beginning has reached every other.
  for (let round = 0; round < 15; round += 1) word();
  const below = (limit: number): number => Math.floor((word() * limit) / 2 ** 32);
  return { word, below, pick: (list) => list[below(list.length)]! };
}

/** The same items in another order. */
export function shuffled<Item>(items: readonly Item[], { below }: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}
