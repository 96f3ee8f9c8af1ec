import { hash, randomUUID } from "node:crypto";
import words from "./words.json";
import type { Reply } from "../../contract/service.ts";
import { doneWith } from "../rules/replies.ts";
import type { Contact } from "../../contract/contacts.ts";
import { sequenceOf } from "../../core/runtime.ts";
import { chunksOf } from "../store/bulk.ts";
import type { Store } from "../store/store.ts";
import type { NewGroup, NewSenderId, StoredIntegration } from "../store/stored.ts";

/** Number of records of each kind. */
export interface SeedCounts {
  readonly senderIds: number;
  readonly groups: number;
  readonly contacts: number;
}

/** Called after each transaction with the counts so far. */
export type SeedStep = (added: SeedCounts) => Promise<void>;

/** A row of a contact. */
type SeededContact = { readonly group_id: number } & Pick<Contact, keyof Contact>;

/**
 * Records per transaction, which takes about 100 ms: others write in between. A killed process
 * leaves only complete transactions.
 */
const chunk = 20_000;

/**
 * Adds generated records, which depend only on the numbers of records: the same in new databases.
 * Replies with the number added. Sender IDs stay unchanged; groups and contacts are always added.
 *
 * @throws any error of `step`, between two transactions
 */
export async function seedRecords(
  store: Store,
  owner: StoredIntegration,
  counts: SeedCounts,
  step: SeedStep,
): Promise<Reply> {
  const seed = `${owner.sender_ids_count} ${owner.groups_count}`;
  const added = { senderIds: 0, groups: 0, contacts: 0 };
  const count = async (kind: keyof SeedCounts, number: number): Promise<void> => {
    added[kind] += number;
    await step({ ...added });
  };

  const senderIds = [...seedSenderIds(seed, counts.senderIds)];
  for (const part of chunksOf(senderIds, chunk)) {
    await count("senderIds", (await store.insertMany(owner.id, "sender_id", part)).length);
  }

  const approved = senderIds.filter(({ status }) => status === "APPROVED");
  const found = approved.map(({ name }) => store.senderIdByName(owner.id, name));
  const usable = (await Promise.all(found)).flatMap((senderId) => senderId?.id ?? []);
  const ids: number[] = [];
  for (const part of chunksOf(seedGroups(seed, counts.groups, usable), chunk)) {
    // With a common start, inserts hit the index pages written last, which halves their time.
    const start = randomUUID().slice(0, 8);
    const groups = part.map((group) => ({ ...group, uuid: start + randomUUID().slice(8) }));
    ids.push(...(await store.insertMany(owner.id, "contact_group", groups)));
    await count("groups", part.length);
  }

  for (const part of chunksOf(contactsOf(seed, ids, counts.contacts), chunk)) {
    await count("contacts", (await store.insertMany(owner.id, "contact", part)).length);
  }
  return doneWith(200, "Records added", {
    integration: owner.name,
    sender_ids_added: added.senderIds,
    groups_added: added.groups,
    contacts_added: added.contacts,
  });
}

/** Yields contacts group by group: the first groups have the fewest, the last twice the average. */
function* contactsOf(
  seed: string,
  groups: readonly number[],
  contacts: number,
): Generator<SeededContact> {
  if (contacts === 0) return;
  const before = (index: number): number => Math.floor(contacts * (index / groups.length) ** 2);
  for (const [index, id] of groups.entries()) {
    yield* seedContacts(seed, index, id, before(index + 1) - before(index));
  }
}

/**
 * The countries of groups. Any seven digits after a prefix are a valid mobile number. In
 * `words.json`, lists are written as one string.
 */
export const countries = words.countries.map((country) => ({
  ...country,
  cities: country.cities.split(", "),
  firstNames: country.firstNames.split(" "),
}));

/** Number of different phones in one group. */
export const phonesPerGroup = 10 ** 7;

const audiences = words.audiences.split(", ");
const stems = words.stems.split(" ");
const purposes = Object.entries(words.purposes);

/** Repeats over the list. Most are approved, whatever the count. */
const statuses = ["APPROVED", "APPROVED", "PENDING", "APPROVED", "REJECTED"] as const;

/** The country of the group with an index. */
function countryOf(index: number): (typeof countries)[number] {
  return countries[index % countries.length]!;
}

/**
 * Generates sender IDs with unique names that carriers accept (ruling 5): stems have up to six
 * letters, endings and numbers five. The first N of a seed never change, nor do those of groups.
 */
export function* seedSenderIds(seed: string, count: number): Generator<NewSenderId> {
  const { pick } = randomOf(`${seed} sender IDs`);
  const taken = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const stem = pick(stems);
    const [ending, purpose] = pick(purposes);
    const name = taken.has(`${stem}${ending}`) ? `${stem}${index}` : `${stem}${ending}`;
    taken.add(name);
    yield { name, purpose, status: statuses[index % statuses.length]! };
  }
}

const sendsBirthday = [true, true, false] as const;
const sendsHoliday = [null, true, false] as const;

/** Generates groups with unique names. @param senderIds ids to use */
export function* seedGroups(
  seed: string,
  count: number,
  senderIds: readonly number[],
): Generator<NewGroup & { readonly sender_id: number | null }> {
  const { below, pick } = randomOf(`${seed} groups`);
  for (let index = 0; index < count; index += 1) {
    const { cities, birthdayMessage } = countryOf(index);
    yield {
      name: `${pick(audiences)} ${pick(cities)} ${index + 1}`,
      send_birthday: pick(sendsBirthday),
      send_holiday: pick(sendsHoliday),
      birthday_message: below(3) === 0 ? null : birthdayMessage,
      sender_id: senderIds.length > 0 && below(8) > 0 ? pick(senderIds) : null,
    };
  }
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/**
 * Generates the contacts of one group in ascending order of phone, so that phones are unique and
 * the index grows only at its end. Dates of birth are from 1940 to 2009.
 *
 * @param index of the group
 * @param groupId its id in the database
 * @param count at most `phonesPerGroup`
 */
export function* seedContacts(
  seed: string,
  index: number,
  groupId: number,
  count: number,
): Generator<SeededContact> {
  const { below, pick } = randomOf(`${seed} contacts ${index}`);
  const { prefix, firstNames } = countryOf(index);
  const step = Math.floor(phonesPerGroup / count);
  const birthDate = (): string =>
    // 29 February is overrepresented, because that is where birthday code fails.
    below(64) === 0
      ? `${1940 + 4 * below(18)}-02-29`
      : `${1940 + below(70)}-${twoDigits(1 + below(12))}-${twoDigits(1 + below(28))}`;
  for (let position = 0; position < count; position += 1) {
    yield {
      group_id: groupId,
      phone: `+${prefix}${String(position * step + below(step)).padStart(7, "0")}`,
      first_name: below(40) === 0 ? null : pick(firstNames),
      birth_date: below(12) === 0 ? null : birthDate(),
    };
  }
}

/**
 * Creates a generator.
 *
 * @param text gives the same numbers on every machine; each use has its own, so that a change to
 *   one does not change the others
 */
function randomOf(text: string) {
  const draw = sequenceOf(hash("sha256", text, "buffer").readInt32LE(0));
  const below = (limit: number): number => Math.floor(draw() * limit);
  const pick = <Item>(list: readonly Item[]): Item => list[below(list.length)]!;
  return { below, pick };
}
