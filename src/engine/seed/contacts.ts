import type { SeedContact } from "./seed-store.ts";
import type { Country } from "./countries.ts";
import { randomOf, streams, type Random, type Seed } from "./random.ts";

/** Returns the number of different phones that a country has for seeding. */
export function phoneCount({ prefixes, digits }: Country): number {
  return prefixes.length * 10 ** digits;
}

/**
 * Yields the contacts of one group in ascending order of phone, so that phones are unique and the index grows
 * only at its end.
 *
 * @param index of the group
 * @param groupId its id in the database
 * @param count at most `phoneCount(country)`
 */
export function* seedContacts(
  seed: Seed,
  country: Country,
  index: number,
  groupId: number,
  count: number,
): Generator<SeedContact> {
  const random = randomOf(seed, streams.contacts, index);
  const { code, prefixes, digits, firstNames } = country;
  const start = `+${code}`;
  const size = 10 ** digits;
  const step = Math.floor(phoneCount(country) / count);
  for (let position = 0; position < count; position += 1) {
    const number = position * step + random.below(step);
    const prefix = prefixes[Math.floor(number / size)]!;
    yield {
      groupId,
      phone: `${start}${prefix}${String(number % size).padStart(digits, "0")}`,
      firstName: random.below(40) === 0 ? null : random.pick(firstNames),
      birthDate: random.below(12) === 0 ? null : birthDate(random),
    };
  }
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const twoDigits = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, "0"));

/** Returns a date from 1940 to 2009. 29 February is overrepresented, because that is where birthday code fails. */
function birthDate({ below }: Random): string {
  if (below(64) === 0) return `${1940 + 4 * below(18)}-02-29`;
  const month = below(12);
  return `${1940 + below(70)}-${twoDigits[month + 1]}-${twoDigits[1 + below(monthLengths[month]!)]}`;
}
