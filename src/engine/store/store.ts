import type { Birthday, Contact, ContactColumn } from "../../contract/contacts.ts";
import type { Fields, groupFields, senderIdFields, ValueOf } from "../../contract/resources.ts";
import type { BulkRow } from "./bulk.ts";

/**
 * The storage interface of the engine. Every method is atomic and durable: once its promise is fulfilled, its
 * writes survive a crash of the process or the machine.
 *
 * Any method throws a SendctlError of kind "database" if the database cannot be used.
 */

/** The integration that exists in every database. Using it takes no key, only access to the file. */
export const defaultIntegration = 1;
export const defaultIntegrationName = "default";

/** Microseconds since 1970, UTC. No two records of an integration have the same: ruling 22. */
export type Microseconds = number;

/** A stored record: all fields that responses show, with times as numbers. SQLite has no booleans, but 0 and 1. */
type Stored<Table extends Fields> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly shown: "never" } ? never : Name
  ]: Table[Name] extends { readonly type: "timestamp" }
    ? Microseconds
    : ValueOf<Table[Name]> | (Table[Name] extends { readonly type: "boolean" } ? number : never);
};

export interface StoredSenderId extends Stored<typeof senderIdFields> {}
export interface StoredGroup extends Stored<typeof groupFields> {}

export interface NewSenderId extends Pick<StoredSenderId, "name" | "purpose" | "status"> {}

/** The fields of a group that callers set, except its sender ID. */
export interface NewGroup extends Omit<
  StoredGroup,
  "id" | "uuid" | "contacts_count" | "created_at"
> {}

/** Identifies a sender ID by this name or otherwise by this id. */
export interface SenderIdKey {
  readonly name: string | undefined;
  readonly id: number | undefined;
  /** Whether none is used if it does not exist. */
  readonly isOptional?: true;
}

/** Absent fields keep their stored values. */
export interface GroupUpdate extends Partial<NewGroup> {
  /** Null for none. */
  readonly sender_id?: SenderIdKey | null;
}

/** Identifies a group by its id or its lower-case uuid. */
export type GroupKey = { readonly id: number } | { readonly uuid: string };

/** Part of a list, newest (highest id) first, and the total count of the list. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/**
 * Reads a part of an integration's list.
 *
 * @param skip number of newer records that are not in it
 * @param count maximum number of records
 * @param before if given, the part has the newest records with a lower id, whatever `skip` is
 */
export type ReadSlice<Item> = (
  integration: number,
  skip: number,
  count: number,
  before?: number,
) => Promise<Slice<Item>>;

/** Sender IDs and groups. Every method is limited to one integration (specification, part 5). */
export interface RecordStore {
  /** Returns the record, or undefined if the integration already has a sender ID with that name. */
  readonly insertSenderId: (
    integration: number,
    fields: NewSenderId,
  ) => Promise<StoredSenderId | undefined>;
  readonly sliceOfSenderIds: ReadSlice<StoredSenderId>;
  readonly senderIdByName: (
    integration: number,
    name: string,
  ) => Promise<StoredSenderId | undefined>;
  /** Returns false if it does not exist. Groups that use it lose their sender ID (ruling 15). */
  readonly deleteSenderId: (integration: number, name: string) => Promise<boolean>;

  /**
   * Returns the record. Changes nothing if the sender ID does not exist or the name is taken.
   *
   * @param sender its sender ID (default: none)
   * @param hasUniqueName whether no other group of the integration may have its name (default: false)
   */
  readonly insertGroup: (
    integration: number,
    group: NewGroup,
    sender?: SenderIdKey | null,
    hasUniqueName?: boolean,
  ) => Promise<StoredGroup | "name taken" | "no sender ID">;
  readonly sliceOfGroups: ReadSlice<StoredGroup>;
  /** Returns all groups with a name, newest first. */
  readonly groupsNamed: (integration: number, name: string) => Promise<StoredGroup[]>;
  readonly groupByKey: (integration: number, key: GroupKey) => Promise<StoredGroup | undefined>;
  /**
   * Returns the updated record. Changes nothing if the group or the sender ID does not exist, or the name is taken.
   *
   * @param hasUniqueName whether no other group of the integration may have the new name (default: false)
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

export interface StoredIntegration {
  readonly id: number;
  readonly name: string;
  readonly sender_ids_count: number;
  readonly groups_count: number;
  readonly keys_count: number;
  readonly created_at: Microseconds;
}

export interface StoredKey {
  readonly id: number;
  /** Name of its integration. */
  readonly integration: string;
  /** The last characters of the key. */
  readonly ending: string;
  readonly created_at: Microseconds;
}

/** Integrations and keys. These methods are not limited to one integration. */
export interface IntegrationStore {
  /** Returns the record, or undefined if an integration with that name exists. */
  readonly insertIntegration: (name: string) => Promise<StoredIntegration | undefined>;
  /** Returns all integrations, newest first. */
  readonly integrations: () => Promise<StoredIntegration[]>;
  /** Returns false if it does not exist. Also deletes its records and keys. */
  readonly deleteIntegration: (name: string) => Promise<boolean>;

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
  /** Returns all keys, newest first. */
  readonly keys: () => Promise<StoredKey[]>;
  /** Returns false if it does not exist. */
  readonly deleteKey: (id: number) => Promise<boolean>;
  /** Returns the ids of a key and of its integration, and its name, by the key's SHA-256 hash. */
  readonly ownerOfKey: (
    hash: Uint8Array,
  ) => Promise<
    { readonly integration: number; readonly name: string; readonly key: number } | undefined
  >;
}

/** A contact and its group. */
export interface ContactInGroup extends Contact {
  readonly group_id: number;
  readonly group: string;
}

/** How contacts are imported. If a function throws, the import ends and changes nothing. */
export interface ImportOptions {
  /** From time to time, with the progress. */
  readonly step?: (written: number, total: number) => Promise<void>;
  /** With the result, before it is stored. */
  readonly beforeCommit?: (imported: StoredImport) => void;
}

/** Result of an import, in numbers of contacts. If a phone occurs more than once, the last line wins. */
export interface StoredImport {
  /** The group after the import. */
  readonly group: StoredGroup;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly duplicates: number;
}

/** A group that sends birthday messages and has contacts, with its sender ID. */
export interface BirthdayGroup extends Pick<Birthday, "group" | "sender_id"> {}

/** Contacts of one integration. A group's numeric id must come from a lookup in that integration. */
export interface ContactStore {
  /**
   * Imports contacts into a group in one transaction, adding new phones and updating existing ones. Changes
   * nothing if the source or `step` throws. Other writers wait only while the contacts are written.
   *
   * @param columns those that it sets; existing contacts keep the values of the others
   * @returns undefined if the group does not exist
   */
  readonly importContacts: (
    integration: number,
    key: GroupKey,
    contacts: AsyncIterable<readonly Contact[]>,
    columns: readonly ContactColumn[],
    options: ImportOptions,
  ) => Promise<StoredImport | undefined>;
  /** Returns the contacts with a phone in all groups, newest group first. */
  readonly contactsByPhone: (integration: number, phone: string) => Promise<ContactInGroup[]>;
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
  /**
   * Returns the contacts after a phone, sorted by phone.
   *
   * @param phone "" to start at the beginning
   * @param skip number of contacts after the phone that are left out (default: 0)
   */
  readonly contactsAfter: (
    integration: number,
    group: number,
    phone: string,
    count: number,
    skip?: number,
  ) => Promise<Contact[]>;
  /** Returns all such groups, newest first. */
  readonly birthdayGroups: (integration: number) => Promise<BirthdayGroup[]>;
  /** Returns the contacts born on a day of the year (`MM-DD`), in the order in which they were added. */
  readonly contactsBornOn: (
    integration: number,
    group: number,
    monthDay: string,
  ) => Promise<Contact[]>;
}

/** Reviews of sender IDs (ruling 17). */
export interface ReviewStore {
  /** Returns the name of the sender ID of a group, null without one; undefined if the integration has no such group. */
  readonly senderIdOfGroup: (
    integration: number,
    group: number,
  ) => Promise<string | null | undefined>;
  /** Returns the groups that use a sender ID, by its name. */
  readonly groupsOfSenderId: (integration: number, name: string) => Promise<readonly StoredGroup[]>;
  /** Returns the updated record, or undefined if the integration has no sender ID with that name. */
  readonly setSenderIdStatus: (
    integration: number,
    name: string,
    status: string,
  ) => Promise<StoredSenderId | undefined>;
  /** Returns the creation time of the oldest PENDING sender ID of all integrations. */
  readonly oldestPending: () => Promise<Microseconds | undefined>;
  /**
   * Approves PENDING sender IDs of all integrations created at or before `time`, oldest first.
   *
   * @param count maximum number to approve
   * @returns the number approved
   */
  readonly approvePendingBefore: (time: Microseconds, count: number) => Promise<number>;
}

export interface Store extends RecordStore, IntegrationStore, ContactStore, ReviewStore {
  /**
   * Returns the records of callers whose key was looked up earlier: an insert adds nothing once the key, given by its
   * SHA-256 hash, is not the integration's. Undefined if a look-up costs too little to be remembered.
   */
  readonly withKey?: (hash: Uint8Array) => RecordStore;
  /**
   * Adds records of one kind in one transaction, in their order. Those whose name or phone is taken are skipped.
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
