import type { Reply } from "../../contract/service.ts";
import { doneWith, notFound } from "../replies.ts";
import type { SeedCounts, SeedPace } from "./fill.ts";
import type { Store } from "../store.ts";

/** What to fill a database with. */
interface SeedRequest extends SeedCounts {
  /** The name of the integration that gets it; undefined for the one that the key selects. */
  readonly integration: string | undefined;
  readonly key: string | undefined;
  /** What holds the key, where that is not SENDCTL_SECRET_KEY. */
  readonly source: string | undefined;
  /** The same text, the same records; undefined for any. */
  readonly randomSeed: string | undefined;
}

/**
 * Adds made-up records, and answers with how many there are more, and the random seed that they are made
 * of. Sender IDs whose names are there are left as they are; groups and contacts are always added.
 *
 * @throws SendctlError "auth" for a key that this database did not issue
 */
export type Seeding = (request: SeedRequest, pace: SeedPace) => Promise<Reply>;

/** @param integrationOf the id of the one that a key selects */
export function createSeeding(
  store: Store,
  integrationOf: (key: string | undefined, source?: string) => Promise<number>,
): Seeding {
  return async ({ integration, key, source, randomSeed, ...counts }, pace) => {
    const selected = integration === undefined ? await integrationOf(key, source) : undefined;
    const owner = (await store.integrations()).find(
      ({ id, name }) => id === selected || name === integration,
    );
    if (owner === undefined) return notFound("Integration", integration ?? String(selected));
    const { fill } = await import("./fill.ts");
    const plan = { ...counts, randomSeed: randomSeed ?? (await anySeed()) };
    const added = await fill(store, owner.id, plan, pace);
    return doneWith(200, "Records added", {
      integration: owner.name,
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
