import type { Reply } from "../../contract/service.ts";
import { doneWith, notFound } from "../replies.ts";
import type { SeedCounts, SeedPace } from "./fill.ts";
import type { Store } from "../store.ts";

/** How many records to add, to which integration. */
interface SeedRequest extends SeedCounts {
  /** Name of the target integration; undefined for the one that the key selects. */
  readonly integration: string | undefined;
  readonly key: string | undefined;
  /** Name of the setting that holds the key (default: SENDCTL_SECRET_KEY). */
  readonly source: string | undefined;
  /** The same seed produces the same records; undefined for a random one. */
  readonly randomSeed: string | undefined;
}

/**
 * Adds generated records. The reply has the number of records added and the random seed. Existing sender IDs
 * stay unchanged; groups and contacts are always added.
 *
 * @throws SendctlError "auth" for a key that this database did not issue
 */
export type Seeding = (request: SeedRequest, pace: SeedPace) => Promise<Reply>;

/** @param integrationOf returns the id of the integration that a key selects */
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
    const plan = { ...counts, randomSeed: randomSeed ?? (await newSeed()) };
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

async function newSeed(): Promise<string> {
  const { randomInt } = await import("node:crypto");
  return String(randomInt(2 ** 32));
}
