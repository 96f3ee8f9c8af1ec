import type { SeedSenderId } from "./seed-store.ts";
import words from "./words.json";
import { randomOf, shuffled, streams, type Seed } from "./random.ts";

/**
 * Stems have at most six letters and endings at most five, so that a name with an ending or a number has at most 11
 * characters. Each ending has purposes for that kind of business.
 */
const { stems, endings } = words;

/** Repeats over the list. Most are approved, whatever the count. */
const statuses = ["APPROVED", "APPROVED", "PENDING", "APPROVED", "REJECTED"] as const;

/**
 * Generates sender IDs with unique names that carriers accept (ruling 5). The first N of a seed are the same for
 * every count.
 */
export function seedSenderIds(seed: Seed, count: number): SeedSenderId[] {
  const random = randomOf(seed, streams.senderIds);
  const pairs = shuffled(
    stems.split(" ").flatMap((stem) => endings.map((ending) => [stem, ending] as const)),
    random,
  );
  return Array.from({ length: count }, (_, index) => {
    const [stem, { ending, purposes }] = pairs[index % pairs.length]!;
    const round = Math.floor(index / pairs.length);
    // After all pairs are used, names are a stem and a number. The index makes them unique.
    const name = round === 0 ? `${stem}${ending}` : `${stem}${index}`;
    return { name, purpose: random.pick(purposes), status: statuses[index % statuses.length]! };
  });
}
