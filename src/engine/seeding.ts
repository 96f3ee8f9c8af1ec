import type { Reply } from "../contract/service.ts";
import { doneWith, notFound } from "./replies.ts";
import type { SeedCounts, SeedPace } from "./seed/fill.ts";
import type { Store } from "./store.ts";

/** What to fill a database with. */
interface SeedWish extends SeedCounts {
  /** The name of the integration that gets it. */
  readonly integration: string;
  /** The same text, the same records; undefined for any. */
  readonly randomSeed: string | undefined;
}

/**
 * Adds made-up records, and answers with how many there are more, and the random seed that they are made
 * of. Sender IDs whose names are there are left as they are; groups and contacts are always added.
 */
export type Seeding = (wish: SeedWish, pace: SeedPace) => Promise<Reply>;

export function createSeeding(store: Store): Seeding {
  return async ({ integration, randomSeed, ...counts }, pace) => {
    const owner = (await store.integrations()).find(({ name }) => name === integration);
    if (owner === undefined) return notFound("Integration", integration);
    const { fill } = await import("./seed/fill.ts");
    const plan = { ...counts, randomSeed: randomSeed ?? (await anySeed()) };
    const added = await fill(store, owner.id, plan, pace);
    return doneWith(200, "Records added", {
      integration,
      random_seed: plan.randomSeed,
      sender_ids_added: added.senderIds,
      groups_added: added.groups,
      contacts_added: added.contacts,
    });
  };
}

async function anySeed(): Promise<string> {
  const { randomInt } = await import("node:crypto");
  return String(randomInt(2 ** 32));
}
