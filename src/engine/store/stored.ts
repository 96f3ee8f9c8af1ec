import {
  contactColumns,
  type Birthday,
  type Contact,
  type ContactColumn,
} from "../../contract/contacts.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Fields,
  type ValueOf,
} from "../../contract/resources.ts";

/** The integration in every database. Using it takes no key, only access to the file. */
export const defaultIntegration = 1;
export const defaultIntegrationName = "default";

/** Microseconds since 1970, UTC. No two records of an integration have the same: ruling 22. */
export type Microseconds = number;

/** A stored record: all fields of responses, times as numbers. SQLite's booleans are 0 and 1. */
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

/** A contact and its group. */
export interface ContactInGroup extends Contact {
  readonly group_id: number;
  readonly group: string;
}

/** How contacts are imported. If a function throws, the import ends and changes nothing. */
interface ImportOptions {
  /** From time to time, with the progress. */
  readonly step?: (written: number, total: number) => Promise<void>;
  /** With the result, before it is stored. */
  readonly beforeCommit?: (imported: StoredImport) => void;
}

/** Result of an import, in numbers of contacts. Of lines with the same phone, the last wins. */
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

/**
 * Imports contacts into a group in one transaction, adding new phones and updating others. Changes
 * nothing if the source or `step` throws. Other writers wait only while contacts are written.
 *
 * @param columns those that it sets; existing contacts keep the values of the others
 * @returns undefined if the group does not exist
 */
export type ImportContacts = (
  integration: number,
  key: GroupKey,
  contacts: AsyncIterable<readonly Contact[]>,
  columns: readonly ContactColumn[],
  options: ImportOptions,
) => Promise<StoredImport | undefined>;

const shownIn = (fields: Fields): string =>
  namesOf(fields, ({ shown }) => shown !== "never").join(", ");

/** The columns of what responses show, for SQL. */
export const senderIdColumns = shownIn(senderIdFields);
export const groupColumns = shownIn(groupFields);

/** The columns that callers set directly. `sender_id` is looked up instead. */
export const givenGroupColumns = namesOf(
  groupFields,
  ({ create, update, refersTo }) => (create ?? update) !== undefined && refersTo === undefined,
) as readonly (keyof NewGroup)[];

/** Returns the stored columns of a record. */
function columnsOf(fields: Fields): readonly string[] {
  return ["integration_id", ...namesOf(fields, ({ shown }) => shown !== "lists")];
}

/** The tables whose ids are never reused, with columns, each after those that it references. */
const numberedTables = {
  integration: ["id", "name", "created_at"],
  secret_key: ["id", "integration_id", "hash", "ending", "created_at"],
  sender_id: columnsOf(senderIdFields),
  contact_group: columnsOf(groupFields),
} as const;

export const numberedNames = Object.keys(numberedTables);

/**
 * All tables, with the columns that are inserted in bulk. Each database computes totals, and gives
 * new ids to contacts, which matter only for their order.
 */
export const tableColumns: Readonly<
  Record<keyof typeof numberedTables | "contact", readonly string[]>
> = { ...numberedTables, contact: ["integration_id", "group_id", ...contactColumns] };
