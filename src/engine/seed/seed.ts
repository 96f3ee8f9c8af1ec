import { randomInt } from "node:crypto";
import type { Reply } from "../../contract/service.ts";
import { doneWith, notFound } from "../rules/replies.ts";
import type { SeedContact, Store } from "../store/store.ts";
import { seedContacts, seedGroups, seedSenderIds, seedUuids } from "./records.ts";

/** Number of records of each kind. */
export interface SeedCounts {
  readonly senderIds: number;
  readonly groups: number;
  readonly contacts: number;
}

/** How many records to add, to which integration. */
export interface SeedRequest extends SeedCounts {
  /** Name of the target integration; undefined for the one that the key selects. */
  readonly integration: string | undefined;
  readonly key: string | undefined;
  /** Name of the setting that holds the key (default: SENDCTL_SECRET_KEY). */
  readonly source: string | undefined;
  /** The same seed produces the same records; undefined for a random one. */
  readonly randomSeed: string | undefined;
}

/** Progress callback and clock of a seeding run. */
export interface SeedPace {
  /** Called after each transaction with the counts so far. */
  readonly added: (counts: SeedCounts) => Promise<void>;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Records per transaction, which takes about 100 ms. A killed process leaves only complete transactions. */
const chunk = 20_000;

/**
 * Pauses for other writers, in milliseconds. They poll the lock at most every 100 ms, and a server waits two
 * seconds for it, so every 1.5 seconds the database stays free for longer than one poll.
 */
const pause = { every: 1500, lasts: 110 } as const;

/**
 * Adds generated records. The reply has the number of records added and the random seed. Existing sender IDs
 * stay unchanged; groups and contacts are always added.
 *
 * @param integrationOf returns the id of the integration that a key selects
 * @throws SendctlError "auth" for a key that this database did not issue; any error of `pace`, between two transactions
 */
export async function seedRecords(
  store: Store,
  integrationOf: (key: string | undefined, source?: string) => Promise<number>,
  { integration, key, source, randomSeed = String(randomInt(2 ** 32)), ...counts }: SeedRequest,
  pace: SeedPace,
): Promise<Reply> {
  const selected = integration === undefined ? await integrationOf(key, source) : undefined;
  const owner = (await store.integrations()).find(
    ({ id, name }) => id === selected || name === integration,
  );
  if (owner === undefined) return notFound("Integration", integration ?? String(selected));
  const added = await fill(store, owner.id, randomSeed, counts, pace);
  return doneWith(200, "Records added", {
    integration: owner.name,
    random_seed: randomSeed,
    sender_ids_added: added.senderIds,
    groups_added: added.groups,
    contacts_added: added.contacts,
  });
}

/** Adds records in transactions of bounded length. */
async function fill(
  store: Store,
  integration: number,
  seed: string,
  counts: SeedCounts,
  pace: SeedPace,
): Promise<SeedCounts> {
  const { insertManySenderIds, insertManyGroups, insertManyContacts } = await store.seeding();
  const added = { senderIds: 0, groups: 0, contacts: 0 };
  let pauseAt = pace.now() + pause.every;
  const count = async (kind: keyof SeedCounts, number: number): Promise<void> => {
    added[kind] += number;
    await pace.added({ ...added });
    if (pace.now() < pauseAt) return;
    await pace.sleep(pause.lasts);
    pauseAt = pace.now() + pause.every;
  };

  const senderIds = [...seedSenderIds(seed, counts.senderIds)];
  for (const part of chunksOf(senderIds)) {
    await count("senderIds", await insertManySenderIds(integration, part));
  }

  const approved = senderIds.filter(({ status }) => status === "APPROVED").map(({ name }) => name);
  const ids: number[] = [];
  for (const part of chunksOf(seedGroups(seed, counts.groups, approved))) {
    ids.push(...(await insertManyGroups(integration, part, (id) => seedUuids(seed, id))));
    await count("groups", part.length);
  }

  for (const part of chunksOf(contactsOf(seed, counts, (index) => ids[index]!))) {
    await count("contacts", await insertManyContacts(integration, part));
  }
  return added;
}

/** Yields arrays of `chunk` items; the last one may have fewer. */
function* chunksOf<Item>(items: Iterable<Item>): Generator<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < chunk) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** Yields the contacts of all groups, group by group: the first groups have the fewest, the last twice the average. */
function* contactsOf(
  seed: string,
  { groups, contacts }: SeedCounts,
  idOf: (index: number) => number,
): Generator<SeedContact> {
  if (contacts === 0) return;
  const before = (index: number): number => Math.floor(contacts * (index / groups) ** 2);
  for (let index = 0; index < groups; index += 1) {
    yield* seedContacts(seed, index, idOf(index), before(index + 1) - before(index));
  }
}
