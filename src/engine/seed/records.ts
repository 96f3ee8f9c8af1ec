import words from "./words.json";
import type { SeedContact, SeedGroup, SeedSenderId } from "../store/seed-store.ts";
import { createHash } from "node:crypto";

/**
 * The countries of contacts, with their calling codes, and their mobile prefixes in ascending order, after which any
 * `digits` digits are valid. In `words.json`, some lists are written as one string.
 */
export const countries = words.countries.map((country) => ({
  ...country,
  prefixes: country.prefixes.split(" "),
  firstNames: country.firstNames.split(" "),
}));

type Country = (typeof countries)[number];

const audiences = words.audiences.split(", ");

/** Repeats over the list. Most are approved, whatever the count. */
const statuses = ["APPROVED", "APPROVED", "PENDING", "APPROVED", "REJECTED"] as const;

/**
 * Generates sender IDs with unique names that carriers accept (ruling 5): stems have at most six letters, endings and
 * numbers at most five. Each ending has purposes for that kind of business. The first N of a seed are the same for every
 * count.
 */
export function seedSenderIds(seed: Seed, count: number): SeedSenderId[] {
  const random = randomOf(seed, "senderIds");
  const stems = words.stems.split(" ");
  const endings = Object.entries(words.endings);
  const pairs = shuffled(
    stems.flatMap((stem) => endings.map(([ending, purposes]) => ({ stem, ending, purposes }))),
    random,
  );
  return Array.from({ length: count }, (_, index) => {
    const { stem, ending, purposes } = pairs[index % pairs.length]!;
    // After all pairs are used, names are a stem and a number. The index makes them unique.
    const name = `${stem}${index < pairs.length ? ending : index}`;
    return { name, purpose: random.pick(purposes), status: statuses[index % statuses.length]! };
  });
}

/** Returns a function from the index of a group to the country of its contacts. */
export function seedCountries(seed: Seed): (index: number) => Country {
  const order = shuffled(countries, randomOf(seed, "countries"));
  return (index) => order[index % order.length]!;
}

/** Returns an endless generator of groups. The first N groups of a seed are the same for every count. */
export function seedGroups(seed: Seed, senderIds: readonly string[]): () => SeedGroup {
  const countryOf = seedCountries(seed);
  const { below, pick } = randomOf(seed, "groups");
  let index = 0;
  return () => {
    const country = countryOf(index);
    index += 1;
    const name = `${pick(audiences)} ${pick(country.cities)}`;
    const sendBirthday = below(10) < 7;
    const isWorded = below(10) < (sendBirthday ? 9 : 2);
    const isLocal = below(3) > 0;
    const message = isLocal ? country.birthdayMessage : pick(words.birthdayMessages);
    const holiday = below(5);
    const sender = below(8) > 0 && senderIds.length > 0 ? pick(senderIds) : null;
    return {
      name: below(4) === 0 ? `${name} ${2015 + below(12)}` : name,
      send_birthday: sendBirthday,
      send_holiday: holiday < 2 ? null : holiday < 4,
      birthday_message: isWorded ? message : null,
      senderId: sender,
    };
  };
}

/** Number of consecutive groups whose uuids share a prefix. */
const groupsPerPrefix = 4096;

/** Every text of four hexadecimal digits, because formatting each number takes longer. */
const digits = Array.from({ length: 2 ** 16 }, (_, part) => part.toString(16).padStart(4, "0"));

/**
 * Returns a generator of version 4 uuids for groups whose ids start at `firstId`; group ids are never reused,
 * so neither are these uuids. Consecutive uuids share their first four digits: inserts then hit the index page
 * written last, which is three times as fast as inserts all over the index.
 */
export function seedUuids(seed: Seed, firstId: number): () => string {
  const { word } = randomOf(seed, "uuids", firstId);
  let prefix = "";
  let left = 0;
  return () => {
    if (left === 0) {
      prefix = digits[word() >>> 16]!;
      left = groupsPerPrefix;
    }
    left -= 1;
    const [a, b, c, d] = [word(), word(), word(), word()] as const;
    const start = `${prefix}${digits[a >>> 16]!}-${digits[a & 0xffff]!}`;
    const versionAndVariant = `${digits[0x4000 | (b >>> 20)]!}-${digits[0x8000 | (c >>> 18)]!}`;
    const end = `${digits[b & 0xffff]!}${digits[d >>> 16]!}${digits[d & 0xffff]!}`;
    return `${start}-${versionAndVariant}-${end}`;
  };
}

/** Yields the contact count of each group. The largest groups have about three times as many as the smallest. */
export function* seedGroupSizes(seed: Seed, groups: number, contacts: number): Generator<number> {
  const { below } = randomOf(seed, "groupSizes");
  const weights = Uint8Array.from({ length: groups }, () => 1 + below(3));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let weight = 0;
  let assigned = 0;
  for (const own of weights) {
    weight += own;
    const due = Math.floor((contacts * weight) / all);
    yield due - assigned;
    assigned = due;
  }
}

/** Returns the number of different phones that a country has for seeding. */
export function phoneCount({ prefixes, digits }: Country): number {
  return prefixes.length * 10 ** digits;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const twoDigits = Array.from({ length: 32 }, (_, number) => String(number).padStart(2, "0"));

/**
 * Yields the contacts of one group in ascending order of phone, so that phones are unique and the index grows
 * only at its end. Dates of birth are from 1940 to 2009.
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
  const { below, pick } = randomOf(seed, "contacts", index);
  const { code, prefixes, digits, firstNames } = country;
  const size = 10 ** digits;
  const step = Math.floor(phoneCount(country) / count);
  const birthDate = (): string => {
    // 29 February is overrepresented, because that is where birthday code fails.
    if (below(64) === 0) return `${1940 + 4 * below(18)}-02-29`;
    const month = below(12);
    const year = 1940 + below(70);
    return `${year}-${twoDigits[month + 1]}-${twoDigits[1 + below(monthLengths[month]!)]}`;
  };
  for (let position = 0; position < count; position += 1) {
    const number = position * step + below(step);
    const prefix = prefixes[Math.floor(number / size)]!;
    yield {
      groupId,
      phone: `+${code}${prefix}${String(number % size).padStart(digits, "0")}`,
      firstName: below(40) === 0 ? null : pick(firstNames),
      birthDate: below(12) === 0 ? null : birthDate(),
    };
  }
}

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
function randomOf(seed: Seed, stream: keyof typeof streams, index = 0): Random {
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
function shuffled<Item>(items: readonly Item[], { below }: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const drawn = below(last + 1);
    [order[last], order[drawn]] = [order[drawn]!, order[last]!];
  }
  return order;
}
