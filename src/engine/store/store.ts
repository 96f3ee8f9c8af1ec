import type { BulkRow } from "./bulk.ts";
import type {
  contactReads,
  integrationMethods,
  recordReads,
  reviewMethods,
} from "./shared-methods.ts";
import {
  type GroupKey,
  type GroupUpdate,
  type ImportContacts,
  type NewGroup,
  type NewSenderId,
  type ReadSlice,
  type SenderIdKey,
  type StoredGroup,
  type StoredIntegration,
  type StoredKey,
  type StoredSenderId,
  defaultIntegrationName,
} from "./stored.ts";

/**
 * The storage interface of the engine. Every method is atomic and durable: once its promise is
 * fulfilled, its writes survive a crash of the process or the machine.
 *
 * Any method throws a SendctlError of kind "database" if the database cannot be used.
 */

/** Sender IDs and groups. Every method is limited to one integration. */
export interface RecordStore extends ReturnType<typeof recordReads> {
  /** Returns the record, or undefined if the integration already has a sender ID with that name. */
  readonly insertSenderId: (
    integration: number,
    fields: NewSenderId,
  ) => Promise<StoredSenderId | undefined>;
  readonly sliceOfSenderIds: ReadSlice<StoredSenderId>;
  /** Returns false if it does not exist. Groups that use it lose their sender ID (ruling 15). */
  readonly deleteSenderId: (integration: number, name: string) => Promise<boolean>;

  /**
   * Returns the record. Changes nothing if the sender ID does not exist or the name is taken.
   *
   * @param sender its sender ID (default: none)
   * @param hasUniqueName whether no other group of the integration may have it (default: false)
   */
  readonly insertGroup: (
    integration: number,
    group: NewGroup,
    sender?: SenderIdKey | null,
    hasUniqueName?: boolean,
  ) => Promise<StoredGroup | "name taken" | "no sender ID">;
  readonly sliceOfGroups: ReadSlice<StoredGroup>;
  /**
   * Returns the updated record. No change without the group or sender ID, or if the name is taken.
   *
   * @param hasUniqueName whether no other group of the integration may have it (default: false)
   */
  readonly updateGroup: (
    integration: number,
    key: GroupKey,
    update: GroupUpdate,
    hasUniqueName?: boolean,
  ) => Promise<StoredGroup | "no group" | "name taken" | "no sender ID">;
  /** Returns false if it does not exist. Also deletes its contacts (ruling 16). */
  readonly deleteGroup: (integration: number, key: GroupKey) => Promise<boolean>;
}

/** Integrations and keys. These methods are not limited to one integration. */
export interface IntegrationStore extends ReturnType<typeof integrationMethods> {
  /** Returns the record, or undefined if an integration with that name exists. */
  readonly insertIntegration: (name: string) => Promise<StoredIntegration | undefined>;
  /**
   * @param hash SHA-256 of the key (ruling 23)
   * @param isFirst whether to insert it only if the database has no key
   * @returns undefined if the integration does not exist, or the key would not be the first
   */
  readonly insertKey: (
    integration: string,
    hash: Uint8Array,
    ending: string,
    isFirst?: boolean,
  ) => Promise<StoredKey | undefined>;
}

/** Contacts of one integration. A group's numeric id must come from a lookup in it. */
export interface ContactStore extends ReturnType<typeof contactReads> {
  readonly importContacts: ImportContacts;
  /**
   * Deletes contacts by phone in one transaction.
   *
   * @returns the deleted phones in any order; undefined if the group does not exist
   */
  readonly deleteContacts: (
    integration: number,
    key: GroupKey,
    phones: readonly string[],
  ) => Promise<readonly string[] | undefined>;
}

export type ReviewStore = ReturnType<typeof reviewMethods>;

export interface Store extends RecordStore, IntegrationStore, ContactStore, ReviewStore {
  /**
   * Returns the records of remembered callers: an insert adds nothing once the key, given by its
   * SHA-256 hash, is not the integration's. Undefined if a look-up is too cheap to remember.
   */
  readonly withKey?: (hash: Uint8Array) => RecordStore;
  /**
   * Adds records of one kind in one transaction, in order. Skips those with a taken name or phone.
   *
   * @param rows their columns, without id, integration and time
   * @returns the ids of those that were added
   */
  readonly insertMany: (
    integration: number,
    table: "sender_id" | "contact_group" | "contact",
    rows: readonly BulkRow[],
  ) => Promise<readonly number[]>;
  /** Rejects if the database cannot be used. Reads nothing that grows with the records. */
  readonly checkHealth: () => Promise<void>;
  /** Remembers all records, and returns what restores them. Undefined for a store that cannot. */
  readonly snapshot?: () => Promise<RestoreSnapshot>;
  readonly close: () => Promise<void>;
}

/**
 * Restores the records of a snapshot in one transaction, and deletes all others.
 *
 * @param integration name of the only integration whose records are deleted instead
 * @returns false if there is no such integration
 */
export type RestoreSnapshot = (integration?: string) => Promise<boolean>;

/** How a Store is opened whose database may not exist yet. */
interface LateOptions {
  /** Opens it, and creates it if it is missing. */
  readonly create: () => Store | Promise<Store>;
  /** Opens an empty one in memory. */
  readonly openEmpty: () => Store;
  /** Called for each read until it exists, because another process may create it. */
  readonly isMissing: () => boolean | Promise<boolean>;
  /** Closes what is open even before the Store is. */
  readonly close?: () => Promise<void>;
}

/** The methods that create the database, unless an empty one would refuse them. */
const creating: {
  readonly [Name in keyof Store]?: (...given: Parameters<NonNullable<Store[Name]>>) => boolean;
} = {
  insertSenderId: () => true,
  insertGroup: (_integration, _group, sender) => sender?.isOptional ?? (sender ?? null) === null,
  insertIntegration: (name) => name !== defaultIntegrationName,
  insertKey: (integration) => integration === defaultIntegrationName,
  insertMany: () => true,
};

/**
 * Opens the Store of a database that may not exist yet. The first record creates it; until then,
 * reads find an empty database in memory, and nothing is written.
 */
export function openLateStore({ create, openEmpty, isMissing, close }: LateOptions): Store {
  let opened: Promise<Store> | undefined;
  let empty: Store | undefined;

  async function storeFor(isCreating: boolean): Promise<Store> {
    if (!isCreating && opened === undefined && (await isMissing())) return (empty ??= openEmpty());
    return (opened ??= (async () => create())().catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  }

  const closeAll = async (): Promise<void> => {
    await (close?.() ?? (await opened)?.close());
    await empty?.close();
  };
  type Method = (...given: unknown[]) => unknown;
  return new Proxy<object>(
    {},
    {
      get: (_, name: string) => {
        if (name === "close") return closeAll;
        // It has neither of the first two, and a promise of it is not to wait for it.
        if (["snapshot", "withKey", "then"].includes(name)) return undefined;
        return async (...given: unknown[]) => {
          const isCreating = (creating as Record<string, Method>)[name]?.(...given) === true;
          const store = (await storeFor(isCreating)) as unknown as Record<string, Method>;
          return store[name]!(...given);
        };
      },
    },
  ) as Store;
}
