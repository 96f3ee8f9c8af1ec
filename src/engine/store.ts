/**
 * What the rules need from a database. Every method but `close` and `integrationOfKey` is scoped to one
 * integration (specification, part 5) and sees nothing of another. Each is atomic and durable: when its
 * promise is fulfilled, what it wrote survives a crash of the process or the machine.
 *
 * Any method throws a Failure of kind "database" when the database can't be used.
 */

/** The integration that every database begins with: whoever can read the file owns it. */
export const defaultIntegration = 1;

/** Microseconds since 1970, UTC. Rises strictly within a database: ruling 22. */
export type Microseconds = number;

export interface StoredSenderId {
  readonly id: number;
  readonly name: string;
  readonly purpose: string;
  readonly status: string;
  readonly createdAt: Microseconds;
}

export interface StoredGroup {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly sendBirthday: boolean;
  readonly sendHoliday: boolean | null;
  readonly birthdayMessage: string | null;
  readonly contactsCount: number;
  readonly createdAt: Microseconds;
}

export interface NewGroup {
  readonly name: string;
  readonly sendBirthday: boolean;
  readonly sendHoliday: boolean | null;
  readonly birthdayMessage: string | null;
}

/** Members that are absent keep their stored values. */
export interface GroupUpdate extends Partial<NewGroup> {
  /** The sender ID of this name or, failing that, of this id; null for none. */
  readonly senderId?: { readonly name: string; readonly id: number | undefined } | null;
}

/** A group by its id or by its uuid, in lower case. */
export type GroupKey = { readonly id: number } | { readonly uuid: string };

/** `count` records after the newest `skip`, newest (highest id) first, and how many there are in all. */
export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

export interface Store {
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

  /** The integration that a key belongs to, by the SHA-256 hash of the key: ruling 23. */
  readonly integrationOfKey: (hash: Uint8Array) => Promise<number | undefined>;
  readonly close: () => Promise<void>;
}
