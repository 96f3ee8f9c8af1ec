import type { SeedContact } from "./seed-store.ts";
import type { Country } from "./countries.ts";
import { randomOf, streams, type Random, type Seed } from "./random.ts";

/** How many different phones a country has for seeding. */
export function phonesOf({ prefixes, digits }: Country): number {
  return prefixes.length * 10 ** digits;
}

/**
 * The contacts of one group, by phones that rise, so that no two are the same and an index grows at its
 * end only.
 *
 * @param index the group's place among the groups
 * @param count at most as many as the country has phones
 */
export function* seedContacts(
  seed: Seed,
  country: Country,
  index: number,
  count: number,
): Generator<Omit<SeedContact, "groupId">> {
  const random = randomOf(seed, streams.contacts, index);
  const { code, prefixes, digits, firstNames } = country;
  const start = `+${code}`;
  const size = 10 ** digits;
  const step = Math.floor(phonesOf(country) / count);
  for (let place = 0; place < count; place += 1) {
    const number = place * step + random.below(step);
    const prefix = prefixes[Math.floor(number / size)]!;
    yield {
      phone: `${start}${prefix}${String(number % size).padStart(digits, "0")}`,
      firstName: random.below(40) === 0 ? null : random.pick(firstNames),
      birthDate: random.below(12) === 0 ? null : birthDate(random),
    };
  }
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const twoDigits = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, "0"));

/** From 1940 to 2009. The 29th of February comes up more often than in life: it is where birthdays go wrong. */
function birthDate({ below }: Random): string {
  if (below(64) === 0) return `${1940 + 4 * below(18)}-02-29`;
  const month = below(12);
  return `${1940 + below(70)}-${twoDigits[month + 1]}-${twoDigits[1 + below(monthLengths[month]!)]}`;
}
