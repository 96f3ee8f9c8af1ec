import { getBuiltinModule } from "node:process";
import { type Reply, onePage } from "../../contract/service.ts";
import { nameError } from "../rules/validation.ts";
import { doneWith, invalid, nameTaken, notFound } from "../rules/replies.ts";
import { decimalId } from "../rules/rulings.ts";
import { type ReviewStore, type Store } from "../store/store.ts";
import {
  defaultIntegrationName,
  type Microseconds,
  type StoredIntegration,
  type StoredKey,
} from "../store/stored.ts";
import { timestamp } from "../rules/records.ts";
import { SendctlError } from "../../core/error.ts";

/**
 * Manages integrations and their keys (ruling 23), which the service has no operations for. Replies
 * have the shape of the service's, so that they are printed the same way.
 */
export type Administration = ReturnType<typeof createAdministration>;

export function createAdministration(store: Store) {
  async function createKey(
    integration: string,
    isFirst: boolean,
    given?: string,
  ): Promise<Reply | undefined> {
    const key = given ?? newKey();
    const hash = keyHash(key);
    const stored = await store.insertKey(integration, hash, key.slice(-endingLength), isFirst);
    if (stored === undefined) return undefined;
    const { id, created_at } = recordOf(stored);
    return doneWith(201, "Key created", { id, integration, secret_key: key, created_at });
  }

  return {
    createIntegration: async (name: string): Promise<Reply> => {
      const error = nameError(name);
      if (error !== undefined) return invalid({ name: [error] });
      const stored = await store.insertIntegration(name);
      return stored === undefined
        ? nameTaken("Integration", name)
        : doneWith(201, "Integration created", recordOf(stored));
    },

    listIntegrations: async (): Promise<Reply> => {
      const stored = await store.integrations();
      return doneWith(200, "Integrations retrieved", onePage(stored.map(recordOf)));
    },

    /** Also deletes its sender IDs, groups, contacts and keys. */
    deleteIntegration: async (name: string): Promise<Reply> => {
      if (name === defaultIntegrationName) {
        return invalid({
          name: ["is the default integration, which cannot be deleted"],
        });
      }
      return (await store.deleteIntegration(name))
        ? doneWith(200, "Integration deleted", null)
        : notFound("Integration", name);
    },

    /** The reply has the key at `data.secret_key`, this once. @param key (default: a new one) */
    createKey: async (integration: string, key?: string): Promise<Reply> =>
      (await createKey(integration, false, key)) ?? notFound("Integration", integration),

    /** Creates a key of the default integration if it has none, in one process only. */
    createFirstKey: (): Promise<Reply | undefined> => createKey(defaultIntegrationName, true),

    listKeys: async (): Promise<Reply> => {
      const stored = await store.keys();
      return doneWith(200, "Keys retrieved", onePage(stored.map(recordOf)));
    },

    /** The key is rejected from the next request on. @param id in decimal */
    revokeKey: async (id: string): Promise<Reply> => {
      const revoked = decimalId.test(id) && (await store.deleteKey(Number(id)));
      return revoked ? doneWith(200, "Key revoked", null) : notFound("Key", id);
    },
  };
}

/** Returns an integration or a key as responses show it. */
function recordOf<Stored extends StoredIntegration | StoredKey>(stored: Stored) {
  return { ...stored, created_at: timestamp(stored.created_at) };
}

/** Number of characters of a key that identify it in lists. */
const endingLength = 4;

/** Loads the module at its first use, because most commands need no key. */
const crypto = () => getBuiltinModule("node:crypto");

/** Ruling 23: number of random bytes in a key. */
const keyBytes = 32;

/** Generates a secret key: 256 random bits in characters that are safe in headers and shells. */
function newKey(): string {
  return `sk_${crypto().randomBytes(keyBytes).toString("base64url")}`;
}

/** Returns the SHA-256 of a secret key, which the store has instead of the key (ruling 23). */
export function keyHash(key: string): Uint8Array {
  return crypto().hash("sha256", key, "buffer");
}

/**
 * Returns the id of the integration that a key selects. This is not access control, since anyone
 * who can read the file owns it; it rejects keys that another service issued.
 *
 * @param source name of the setting that holds the key
 * @throws SendctlError "auth" for a key that this database did not issue
 */
export async function integrationOfKey(store: Store, key: string, source: string): Promise<number> {
  const owner = await store.ownerOfKey(keyHash(key));
  if (owner === undefined) {
    throw new SendctlError("auth", `this database did not issue the secret key in ${source}`, {
      hint: "unset it to use the default integration",
      field: source,
    });
  }
  return owner.integration;
}

/** Approves sender IDs automatically once they have been PENDING for a given time. */
export type Approval = ReturnType<typeof createApproval>;

/** Bounds of the milliseconds between two looks. Other processes may always create sender IDs. */
const minPause = 50;
const maxPause = 1000;

/** Sender IDs approved per transaction, so that other writes can run in between. */
const batch = 500;

/**
 * @param after milliseconds a sender ID stays PENDING, and at most a tenth or 1 s more; 0 for none
 * @param now time in microseconds since 1970
 * @param defect called with unexpected errors; an unavailable database is retried instead
 */
export function createApproval(
  store: ReviewStore,
  after: number,
  now: () => Microseconds,
  defect: (error: unknown) => void,
) {
  const pause = Math.min(maxPause, Math.max(minPause, after / 10));
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  /** Approves what is due. Does nothing if the database is unavailable. */
  const approve = async (): Promise<void> => {
    const until = after === 0 ? Number.MAX_SAFE_INTEGER : now() - after * 1000;
    try {
      for (let approved = batch; approved === batch;) {
        approved = isStopped ? 0 : await store.approvePendingBefore(until, batch);
      }
    } catch (error) {
      if (!(error instanceof SendctlError)) defect(error);
    }
  };

  const run = async (): Promise<void> => {
    await approve();
    if (!isStopped) timer = setTimeout(start, pause);
  };
  const start = (): void => void (running = run());

  return {
    approve,
    start,
    /** Stops the timer and waits for the run in progress. */
    stop: (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
