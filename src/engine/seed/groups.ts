import type { SeedGroup } from "./seed-store.ts";
import { countries, type Country } from "./countries.ts";
import words from "./words.json";
import { randomOf, shuffled, streams, type Seed } from "./random.ts";

const { audiences, birthdayMessages } = words;

/** Returns an endless generator of groups. The first N groups of a seed are the same for every count. */
export function seedGroups(seed: Seed, senderIds: readonly string[]): () => SeedGroup {
  const countryOf = seedCountries(seed);
  const { below, pick } = randomOf(seed, streams.groups);
  let index = 0;
  return () => {
    const country = countryOf(index);
    index += 1;
    const name = `${pick(audiences)} ${pick(country.cities)}`;
    const sendBirthday = below(10) < 7;
    const isWorded = below(10) < (sendBirthday ? 9 : 2);
    const isLocal = below(3) > 0;
    const message = isLocal ? country.birthdayMessage : pick(birthdayMessages);
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

/** Returns a function from the index of a group to the country of its contacts. */
export function seedCountries(seed: Seed): (index: number) => Country {
  const order = shuffled(countries, randomOf(seed, streams.countries));
  return (index) => order[index % order.length]!;
}

/** Yields the contact count of each group. The largest groups have about three times as many as the smallest. */
export function* seedGroupSizes(seed: Seed, groups: number, contacts: number): Generator<number> {
  let all = 0;
  const weighed = randomOf(seed, streams.groupSizes);
  for (let index = 0; index < groups; index += 1) all += 1 + weighed.below(3);
  const weighing = randomOf(seed, streams.groupSizes);
  let weight = 0;
  let assigned = 0;
  for (let index = 0; index < groups; index += 1) {
    weight += 1 + weighing.below(3);
    const due = Math.floor((contacts * weight) / all);
    yield due - assigned;
    assigned = due;
  }
}

/** Number of consecutive groups whose uuids share a prefix. */
const groupsPerPrefix = 4096;

/** Offsets of the 16 bytes in the 36 characters of a uuid. */
const byteOffsets = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const blank = "00000000-0000-0000-0000-000000000000";

/**
 * Returns a generator of version 4 uuids for groups whose ids start at `firstId`; group ids are never reused,
 * so neither are these uuids. Consecutive uuids share their first four digits: inserts then hit the index page
 * written last, which is three times as fast as inserts all over the index.
 */
export function seedUuids(seed: Seed, firstId: number): () => string {
  const { word } = randomOf(seed, streams.uuids, firstId);
  const text = Buffer.from(blank, "latin1");
  const put = (byte: number, value: number): void => {
    const offset = byteOffsets[byte]!;
    text[offset] = digits[(value >>> 4) & 0xf]!;
    text[offset + 1] = digits[value & 0xf]!;
  };
  let left = 0;
  return () => {
    if (left === 0) {
      const start = word();
      put(0, start);
      put(1, start >>> 8);
      left = groupsPerPrefix;
    }
    left -= 1;
    const drawn = [word(), word(), word(), word()] as const;
    for (let byte = 2; byte < 16; byte += 1) put(byte, drawn[byte >>> 2]! >>> (8 * (byte & 3)));
    text[14] = digits[4]!;
    text[19] = digits[8 + (drawn[2] & 3)]!;
    return text.toString("latin1");
  };
}

const digits = Buffer.from("0123456789abcdef", "latin1");
