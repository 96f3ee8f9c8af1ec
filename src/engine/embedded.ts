import {
  changedSwitches,
  ownBehaviour,
  type Behaviour,
  type PartialBehaviour,
} from "../contract/behaviour.ts";
import { inNextTurn } from "../core/time.ts";
import { doneWith, invalid, notFound, refusing } from "./rules/replies.ts";
import type { Group, Reply, Service } from "../contract/service.ts";
import {
  createAdministration,
  createApproval,
  integrationOfKey,
  keyHash,
  type Administration,
  type Approval,
} from "./administration/administration.ts";
import type { Contacts } from "./contacts/contacts.ts";
import { createEngine } from "./engine.ts";
import type { SeedCounts, SeedStep } from "./seed/seed.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import { type ReviewStore, type Store } from "./store/store.ts";
import { defaultIntegration, type Microseconds } from "./store/stored.ts";
import { reviewStatuses } from "./rules/rulings.ts";
import { groupRecord, listedGroupRecord, senderIdRecord } from "./rules/records.ts";

/** The owner of a key. */
interface Caller {
  /** Id of the key. */
  readonly id: string;
  /** Name of the integration. */
  readonly integration: string;
  readonly service: Service;
}

/** Maximum number of keys whose look-up is remembered. */
const maxRemembered = 1000;

/** The engine in this process, with everything that the owner of the database can do. */
export type Embedded = ReturnType<typeof createEmbedded>;

/** How an engine is opened. */
export interface OpenOptions {
  /** Maximum wait for other processes or for a connection, in milliseconds. */
  readonly timeout?: number | undefined;
  /** Switches that differ from the engine's own rulings. */
  readonly behaviour?: PartialBehaviour | undefined;
}

/**
 * Opens the engine on an SQLite file.
 *
 * @param file absolute path of the database, which is created if it does not exist
 * @param now time in microseconds since 1970
 * @throws SendctlError "database" for an unusable file; `service` throws "auth" for an unknown key
 */
export function openEmbedded(
  file: string,
  now: () => Microseconds,
  { behaviour, timeout }: OpenOptions = {},
): Embedded {
  return createEmbedded(openSqliteStore(file, now, timeout), now, behaviour);
}

/**
 * Creates the engine on a store, which is closed with it.
 *
 * @param now time in microseconds since 1970
 * @param given switches that differ from the engine's own rulings
 */
export function createEmbedded(
  store: Store,
  now: () => Microseconds,
  given: PartialBehaviour = {},
) {
  const changed = changedSwitches(given);
  const behaviour: Behaviour = { ...ownBehaviour, ...changed };
  /** Cached services by integration. They have no state of their own. */
  const services = new Map<number, Service>();
  const serviceOf = (integration: number): Service => {
    const service = services.get(integration) ?? createEngine(store, integration, behaviour);
    services.set(integration, service);
    return service;
  };
  const integrationOf = async (key?: string, source = "SENDCTL_SECRET_KEY"): Promise<number> =>
    key === undefined ? defaultIntegration : integrationOfKey(store, key, source);
  /** Callers by key, as they were last looked up. Their services check the key with each create. */
  const remembered = new Map<string, Caller>();
  const remember = (key: string, hash: Uint8Array, caller: Caller, integration: number): void => {
    // A response must show whether it is a refusal.
    if (store.withKey === undefined || behaviour.error_status === "always_200") return;
    if (remembered.get(key)?.id === caller.id) return;
    if (remembered.size >= maxRemembered) remembered.clear();
    const service = createEngine(store.withKey(hash), integration, behaviour);
    remembered.set(key, { ...caller, service });
  };
  const callerOf = async (key: string): Promise<Caller | undefined> => {
    const hash = keyHash(key);
    const owner = await store.ownerOfKey(hash);
    if (owner === undefined) {
      remembered.delete(key);
      return undefined;
    }
    const { key: id, name, integration } = owner;
    const caller = { id: String(id), integration: name, service: serviceOf(integration) };
    remember(key, hash, caller, integration);
    return caller;
  };
  const ownIntegration = (id: number) => ({
    service: serviceOf(id),
    contacts: async (): Promise<Contacts> => {
      // Loaded on demand, because no operation of the service uses it.
      const { createContacts } = await import("./contacts/contacts.ts");
      return createContacts(store, id, now);
    },
    /**
     * Returns the name of the sender ID of a group, null without one, which no response shows.
     * Undefined if no update could set it by its name.
     */
    senderIdOf: async (group: number): Promise<string | null | undefined> =>
      behaviour.sender_id_means === "id" ? undefined : store.senderIdOfGroup(id, group),
    /** Returns the groups that use a sender ID, by its name. */
    groupsOf: async (senderId: string): Promise<readonly Group[]> =>
      (await store.groupsOfSenderId(id, senderId)).map(groupRecord),
    /** Returns the groups with a name as lists show them, newest first. */
    groupsNamed: async (name: string): Promise<readonly Group[]> =>
      (await store.groupsNamed(id, name)).map(listedGroupRecord),
    /** Sets the status of a sender ID. */
    review: (review: { readonly name: string; readonly status: string }): Promise<Reply> =>
      reviewSenderId(store, id, review),
  });
  type OwnIntegration = ReturnType<typeof ownIntegration>;
  /** Lookups of this turn of the event loop. Most requests in one turn have the same key. */
  const callers = new Map<string, Promise<Caller | undefined>>();
  let health: Promise<void> | undefined;
  return {
    behaviour,
    /** The switches that differ from the engine's own rulings. */
    changed,
    /** Shapes the refusals of the behaviour. */
    refuse: refusing(behaviour),
    /**
     * Returns the service for the integration of a key, or for the default one without a key.
     *
     * @param source name of the setting that holds the key (default: SENDCTL_SECRET_KEY)
     */
    service: async (key: string | undefined, source?: string): Promise<Service> =>
      serviceOf(await integrationOf(key, source)),
    /** The service of the default integration by the engine's own rulings, for first records. */
    firstService: (): Service => createEngine(store, defaultIntegration, ownBehaviour),
    get administration(): Administration {
      return createAdministration(store);
    },
    /** Opens the integration that a key selects: its service, and the acts of the owner. */
    integration: async (key: string | undefined, source?: string): Promise<OwnIntegration> =>
      ownIntegration(await integrationOf(key, source)),
    /** Returns the same by the name of an integration; undefined if there is none. */
    integrationNamed: async (name: string): Promise<OwnIntegration | undefined> => {
      const found = (await store.integrations()).find((integration) => integration.name === name);
      return found && ownIntegration(found.id);
    },
    approveAfter: (milliseconds: number, defect: (error: unknown) => void): Approval =>
      createApproval(store, milliseconds, now, defect),
    /** Adds generated records. @param integration its name; undefined for that of the key */
    seed: async (
      counts: SeedCounts,
      step: SeedStep,
      integration: string | undefined,
      key: string | undefined,
      source: string | undefined,
    ): Promise<Reply> => {
      const { seedRecords } = await import("./seed/seed.ts");
      const selected = integration === undefined ? await integrationOf(key, source) : undefined;
      const all = await store.integrations();
      const owner = all.find(({ id, name }) => id === selected || name === integration);
      if (owner === undefined) return notFound("Integration", integration ?? String(selected));
      return seedRecords(store, owner, counts, step);
    },
    /** Returns undefined for a key that was never issued, or was revoked. */
    callerOf: (key: string): Promise<Caller | undefined> => {
      const known = callers.get(key);
      if (known !== undefined) return known;
      const caller = callerOf(key);
      if (callers.size === 0) inNextTurn(() => callers.clear());
      callers.set(key, caller);
      return caller;
    },
    /**
     * Returns the caller of a key from an earlier look-up, a statement as costly as a create. Only
     * for creates, and only a success may be reported: it proves that the key is valid. Anything
     * else changes nothing; handle it with `callerOf`, so that a revoked key is refused first.
     */
    rememberedCaller: (key: string): Caller | undefined => remembered.get(key),
    /** Rejects if the database is unusable. Concurrent requests share one check, without a key. */
    checkHealth: (): Promise<void> =>
      (health ??= store.checkHealth().finally(() => {
        health = undefined;
      })),
    snapshot: store.snapshot,
    close: store.close,
  };
}

/** Sets any status of a sender ID (ruling 17). The reply has the shape of the service's. */
async function reviewSenderId(
  store: ReviewStore,
  integration: number,
  { name, status }: { readonly name: string; readonly status: string },
): Promise<Reply> {
  if (!reviewStatuses.includes(status)) {
    return invalid({ status: [`must be one of ${reviewStatuses.join(", ")}`] });
  }
  const stored = await store.setSenderIdStatus(integration, name, status);
  return stored === undefined
    ? notFound("Sender ID", name)
    : doneWith(200, "Sender reviewed", senderIdRecord(stored));
}
