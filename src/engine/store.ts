import type { Field, Fields, groupFields, senderIdFields, ValueOf } from "../contract/resources.ts";
import type { SeedStore } from "./seed/seed-store.ts";

/**
 * What the rules need from a database. Every method is atomic and durable: when its promise is fulfilled,
 * what it wrote survives a crash of the process or the machine.
 *
 * Any method throws a SendctlError of kind "database" when the database can't be used.
 */

/** The integration that every database begins with: whoever can read the file owns it. */
export const defaultIntegration = 1;
export const defaultIntegrationName = "default";

/** Microseconds since 1970, UTC. Rises strictly within a database: ruling 22. */
export type Microseconds = number;

/** A record as a store keeps it: all that responses show of it, with its times as numbers. */
type Stored<Table extends Fields> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly shown: "never" } ? never : Name
  ]: Table[Name] extends { readonly type: "timestamp" } ? Microseconds : ValueOf<Table[Name]>;
};

export interface StoredSenderId extends Stored<typeof senderIdFields> {}
export interface StoredGroup extends Stored<typeof groupFields> {}

/** Whether callers set a field to a value of its own, which is stored as it is given. */
type IsGiven<One extends Field> = One extends { readonly refersTo: string }
  ? false
  : One extends { readonly create: string } | { readonly update: string }
    ? true
    : false;

type Given<Table extends Fields> = {
  readonly [Name in keyof Table as IsGiven<Table[Name]> extends true ? Name : never]: ValueOf<
    Table[Name]
  >;
};

/** What callers set of a group, but for its sender ID. */
export interface NewGroup extends Given<typeof groupFields> {}

/** Fields that are absent keep their stored values. */
export interface GroupUpdate extends Partial<NewGroup> {
  /** The sender ID of this name or, failing that, of this id; null for none. */
  readonly sender_id?: { readonly name: string; readonly id: number | undefined } | null;
}

/** A group by its id or by its uuid, in lower case. */
export type GroupKey = { readonly id: number } | { readonly uuid: string };

/** `count` records after the newest `skip`, newest (highest id) first, and how many there are in all. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Every method is scoped to one integration (specification, part 5), and sees nothing of another. */
export interface RecordStore {
  /** The record, or undefined when the integration has a sender ID of that name. */
  readonly insertSenderId: (
    integration: number,
    fields: { readonly name: string; readonly purpose: string; readonly status: string },
  ) => Promise<StoredSenderId | undefined>;
  readonly sliceOfSenderIds: (
    integration: number,
    skip: number,
    count: number,
  ) => Promise<Slice<StoredSenderId>>;
  readonly senderIdByName: (
    integration: number,
    name: string,
  ) => Promise<StoredSenderId | undefined>;
  /** False when there is none. Groups that use it lose it: ruling 15. */
  readonly deleteSenderId: (integration: number, name: string) => Promise<boolean>;

  readonly insertGroup: (integration: number, group: NewGroup) => Promise<StoredGroup>;
  readonly sliceOfGroups: (
    integration: number,
    skip: number,
    count: number,
  ) => Promise<Slice<StoredGroup>>;
  readonly groupByKey: (integration: number, key: GroupKey) => Promise<StoredGroup | undefined>;
  /** The record as stored afterwards, or which of the two was not found; then nothing is changed. */
  readonly updateGroup: (
    integration: number,
    key: GroupKey,
    update: GroupUpdate,
  ) => Promise<StoredGroup | "no group" | "no sender ID">;
  /** False when there is none. Its contacts go with it: ruling 16. */
  readonly deleteGroup: (integration: number, key: GroupKey) => Promise<boolean>;
}

export interface StoredIntegration {
  readonly id: number;
  readonly name: string;
  readonly senderIds: number;
  readonly groups: number;
  readonly keys: number;
  readonly createdAt: Microseconds;
}

export interface StoredKey {
  readonly id: number;
  /** The name of the integration that it belongs to. */
  readonly integration: string;
  /** The last characters of the key. */
  readonly ending: string;
  readonly createdAt: Microseconds;
}

/** Whoever owns a database owns all its integrations: these methods are scoped to none. */
export interface IntegrationStore {
  /** The record, or undefined when there is an integration of that name. */
  readonly insertIntegration: (name: string) => Promise<StoredIntegration | undefined>;
  /** The newest first. */
  readonly integrations: () => Promise<StoredIntegration[]>;
  /** False when there is none. Everything that belongs to it goes with it. */
  readonly deleteIntegration: (name: string) => Promise<boolean>;

  /** @param hash SHA-256 of the key: ruling 23. Undefined when there is no such integration. */
  readonly insertKey: (
    integration: string,
    hash: Uint8Array,
    ending: string,
  ) => Promise<StoredKey | undefined>;
  /** The newest first. */
  readonly keys: () => Promise<StoredKey[]>;
  /** False when there is none. */
  readonly deleteKey: (id: number) => Promise<boolean>;
  /** The id of the integration that a key belongs to, and of the key, by the key's SHA-256 hash. */
  readonly ownerOfKey: (
    hash: Uint8Array,
  ) => Promise<{ readonly integration: number; readonly key: number } | undefined>;
}

export interface StoredContact {
  /** E.164: `+` and digits. Unique within its group. */
  readonly phone: string;
  readonly firstName: string | null;
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is not known. */
  readonly birthDate: string | null;
}

/** What an import says of contacts that are there already; what it does not say stays as it is. */
export interface GivenColumns {
  readonly firstName: boolean;
  readonly birthDate: boolean;
}

/** What became of so many contacts; of those of one phone, the last counts. */
export interface StoredImport {
  /** As it is afterwards. */
  readonly group: StoredGroup;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly duplicates: number;
}

/** A group that sends birthday messages, and has contacts. */
export interface BirthdayGroup {
  readonly id: number;
  readonly name: string;
  readonly birthdayMessage: string | null;
  readonly senderId: { readonly name: string; readonly status: string } | undefined;
}

/** A contact, and its place among those of its group. */
export interface ContactWithId extends StoredContact {
  readonly id: number;
}

/** Scoped to one integration, as the records are: a group's id stands for one that was found there. */
export interface ContactStore {
  /**
   * Takes contacts in, and puts them into a group all at once: added or, by their phone, updated. When
   * the source throws, or `step` does, nothing is changed. Other writers wait only while all is put in.
   *
   * @param step told now and then how many of how many are put in
   * @returns undefined when there is no such group
   */
  readonly importContacts: (
    integration: number,
    key: GroupKey,
    contacts: AsyncIterable<readonly StoredContact[]>,
    given: GivenColumns,
    step: (written: number, total: number) => Promise<void>,
  ) => Promise<StoredImport | undefined>;
  /** Undefined when the group has no contact of that phone. */
  readonly contactByPhone: (group: number, phone: string) => Promise<StoredContact | undefined>;
  /**
   * Deletes contacts by their phones, all at once.
   *
   * @returns the phones that were deleted, in any order; undefined when there is no such group
   */
  readonly deleteContacts: (
    integration: number,
    key: GroupKey,
    phones: readonly string[],
  ) => Promise<readonly string[] | undefined>;
  /** By phone, after so many. */
  readonly sliceOfContacts: (
    group: number,
    skip: number,
    count: number,
  ) => Promise<Slice<StoredContact>>;
  /** By phone, after that of another; "" for the first. */
  readonly contactsAfter: (group: number, phone: string, count: number) => Promise<StoredContact[]>;
  /** The newest first. @param before an id, undefined for the first */
  readonly birthdayGroups: (
    integration: number,
    before: number | undefined,
    count: number,
  ) => Promise<BirthdayGroup[]>;
  /** Contacts of a group that were born on a day of the year, `MM-DD`, after an id. */
  readonly contactsBornOn: (
    group: number,
    monthDay: string,
    after: number,
    count: number,
  ) => Promise<ContactWithId[]>;
}

/** The review of sender IDs: ruling 17. */
export interface ReviewStore {
  /** The record as stored afterwards, or undefined when the integration has none of that name. */
  readonly setSenderIdStatus: (
    integration: number,
    name: string,
    status: string,
  ) => Promise<StoredSenderId | undefined>;
  /** When the oldest that is PENDING was created, in any integration. */
  readonly oldestPending: () => Promise<Microseconds | undefined>;
  /**
   * Approves what is PENDING, in any integration, and was created by then: the oldest first, `count` of
   * them at most. How many there were.
   */
  readonly approvePendingBefore: (time: Microseconds, count: number) => Promise<number>;
}

export interface Store extends RecordStore, IntegrationStore, ContactStore, ReviewStore, SeedStore {
  /** Rejected once the database's file was removed or replaced. */
  readonly refuseReplaced: () => Promise<void>;
  readonly close: () => Promise<void>;
}
