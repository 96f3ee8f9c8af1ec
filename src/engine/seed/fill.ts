import type { SeedContact, SeedGroup, SeedStore } from "./seed-store.ts";
import { seedContacts } from "./contacts.ts";
import { seedCountries, seedGroups, seedGroupSizes, seedUuids } from "./groups.ts";
import { seedOf, type Seed } from "./random.ts";
import { seedSenderIds } from "./sender-ids.ts";

/** Number of records of each kind. */
export interface SeedCounts {
  readonly senderIds: number;
  readonly groups: number;
  readonly contacts: number;
}

export interface SeedPlan extends SeedCounts {
  /** The same seed produces the same records. */
  readonly randomSeed: string;
}

/** Progress callback and clock of a seeding run. */
export interface SeedPace {
  /** Called after each transaction with the counts so far. */
  readonly added: (sofar: SeedCounts) => Promise<void>;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Records per transaction, which takes about 70 ms. A killed process leaves only complete transactions. */
const chunk = 20_000;

/** Maximum number of sender IDs that groups use. */
const maxGroupSenders = 50;

/**
 * Pauses for other writers, in milliseconds. They poll the lock at most every 100 ms, and a server waits two
 * seconds for it, so every 1.5 seconds the database stays free for longer than one poll.
 */
const pause = { every: 1500, lasts: 110 } as const;

/**
 * Adds records to an integration in transactions of bounded length.
 *
 * @throws any error of `pace`, between two transactions
 */
export async function fill(
  store: SeedStore,
  integration: number,
  plan: SeedPlan,
  pace: SeedPace,
): Promise<SeedCounts> {
  const seed = await seedOf(plan.randomSeed);
  const added = { senderIds: 0, groups: 0, contacts: 0 };
  let pauseAt = pace.now() + pause.every;
  const afterEach = async (): Promise<void> => {
    await pace.added({ ...added });
    if (pace.now() < pauseAt) return;
    await pace.sleep(pause.lasts);
    pauseAt = pace.now() + pause.every;
  };

  const senderIds = seedSenderIds(seed, plan.senderIds);
  for (let begin = 0; begin < senderIds.length; begin += chunk) {
    const part = senderIds.slice(begin, begin + chunk);
    added.senderIds += await store.insertManySenderIds(integration, part);
    await afterEach();
  }

  const usable = senderIds.filter(({ status }) => status === "APPROVED").map(({ name }) => name);
  const nextGroup = seedGroups(seed, usable.slice(0, maxGroupSenders));
  const uuidsFrom = (firstId: number): (() => string) => seedUuids(seed, firstId);
  const ids: IdRun[] = [];
  while (added.groups < plan.groups) {
    const length = Math.min(chunk, plan.groups - added.groups);
    const part: SeedGroup[] = Array.from({ length }, nextGroup);
    for (const id of await store.insertManyGroups(integration, part, uuidsFrom)) addId(ids, id);
    added.groups += length;
    await afterEach();
  }

  if (plan.contacts === 0) return added;
  for (const part of chunksOf(contactsOf(seed, plan, ids), chunk)) {
    added.contacts += await store.insertManyContacts(part);
    await afterEach();
  }
  return added;
}

/** Successive ids, which take no more memory than one. */
interface IdRun {
  readonly first: number;
  count: number;
}

function addId(runs: IdRun[], id: number): void {
  const last = runs.at(-1);
  if (last !== undefined && id === last.first + last.count) last.count += 1;
  else runs.push({ first: id, count: 1 });
}

/** Yields the contacts of all groups, group by group. */
function* contactsOf(
  seed: Seed,
  { groups, contacts }: SeedPlan,
  ids: readonly IdRun[],
): Generator<SeedContact> {
  const countryOf = seedCountries(seed);
  const sizes = seedGroupSizes(seed, groups, contacts);
  let index = 0;
  for (const { first, count } of ids) {
    for (let id = first; id < first + count; id += 1) {
      yield* seedContacts(seed, countryOf(index), index, id, sizes.next().value as number);
      index += 1;
    }
  }
}

function* chunksOf<Item>(items: Iterable<Item>, length: number): Generator<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < length) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
