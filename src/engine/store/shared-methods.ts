import { contactColumns, type Contact, type ContactColumn } from "../../contract/contacts.ts";
import { SendctlError } from "../../core/error.ts";
import {
  groupColumns,
  senderIdColumns,
  type BirthdayGroup,
  type ContactInGroup,
  type GroupKey,
  type Microseconds,
  type StoredGroup,
  type StoredIntegration,
  type StoredKey,
  type StoredSenderId,
} from "./stored.ts";

/** Store methods whose statements are the same on both databases. */

/** A value of a statement. Neither lists nor booleans are the same on both databases. */
type SharedValue = string | number | null | Uint8Array;

/** Returns the error of a caller whose integration was deleted meanwhile. */
export function integrationDeleted(cause?: unknown): SendctlError {
  const hint = "sendctl local integration list";
  return new SendctlError("auth", "the integration was deleted", { hint, cause });
}

/** Runs statements that are the same on SQLite and PostgreSQL. $1 is the first value, and so on. */
export interface SharedQueries {
  /** Returns the rows that a statement reads. */
  readonly select: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
  /** Reads at once, without waiting for other reads. */
  readonly selectNow: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
  /** Runs a statement that changes rows, and returns those of RETURNING. Durable when fulfilled. */
  readonly change: <Row>(sql: string, ...values: SharedValue[]) => Promise<Row[]>;
}

/**
 * Returns whether both databases can store a text. Others are never looked up: PostgreSQL refuses
 * NUL, and SQLite's addon would replace lone surrogates with U+FFFD, and find another record.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/**
 * Returns the store methods that read single records.
 *
 * @param ofIntegration the condition for all groups of the integration $1
 */
export function recordReads({ select }: SharedQueries, ofIntegration: string) {
  const groups = `SELECT ${groupColumns} FROM contact_group`;
  return {
    senderIdByName: async (integration: number, name: string) => {
      if (!isStorable(name)) return undefined;
      const sql = `SELECT ${senderIdColumns} FROM sender_id WHERE integration_id = $1 AND name = $2`;
      return (await select<StoredSenderId>(sql, integration, name))[0];
    },

    /** Returns an integration's groups with a name, newest first; names need not be unique. */
    groupsNamed: async (integration: number, name: string) => {
      if (!isStorable(name)) return [];
      const sql = `${groups} WHERE ${ofIntegration} AND name = $2 ORDER BY integration_id DESC, id DESC`;
      return select<StoredGroup>(sql, integration, name);
    },

    groupByKey: async (integration: number, key: GroupKey) => {
      const [column, value] = "id" in key ? ["id", key.id] : ["uuid", key.uuid];
      const sql = `${groups} WHERE integration_id = $1 AND ${column} = $2`;
      return (await select<StoredGroup>(sql, integration, value))[0];
    },
  };
}

/** A group, and its sender ID. Its fields are null without one. */
type BirthdayGroupRow = BirthdayGroup["group"] & {
  readonly sender: string | null;
  readonly status: string | null;
};

/**
 * Returns the store methods that read contacts.
 *
 * @param ofIntegration the condition for groups, as `one`, of the integration $1
 * @param ofGroup the left side of the condition for contacts of one of them
 * @param monthDay the indexed expression for the last five characters of a birth date
 */
export function contactReads(
  { select }: SharedQueries,
  ofIntegration: string,
  ofGroup: string,
  monthDay: string,
) {
  const groups = `${ofIntegration} ORDER BY one.integration_id DESC, one.id DESC`;
  const found = `FROM contact WHERE ${ofGroup} = one.id AND phone = $2`;
  return {
    /**
     * Returns the contacts after a phone, sorted by phone.
     *
     * @param phone "" to start at the beginning
     * @param skip number of contacts after the phone that are left out
     */
    contactsAfter: (integration: number, group: number, phone: string, count: number, skip = 0) =>
      select<Contact>(
        `SELECT ${contactColumns.join()} FROM contact WHERE ${ofGroup} = $2 AND phone > $3
         ORDER BY phone LIMIT $4 OFFSET $5`,
        integration,
        group,
        phone,
        count,
        skip,
      ),

    /** Returns the contacts born on a day of the year (`MM-DD`), in order of addition. */
    contactsBornOn: (integration: number, group: number, day: string) =>
      select<Contact>(
        `SELECT ${contactColumns.join()} FROM contact
         WHERE birth_date IS NOT NULL AND ${ofGroup} = $2 AND ${monthDay} = $3 ORDER BY id`,
        integration,
        group,
        day,
      ),

    /** Returns the contacts with a phone, newest group first. A join could cross integrations. */
    contactsByPhone: (integration: number, phone: string) =>
      select<ContactInGroup>(
        `SELECT * FROM (
           SELECT one.id AS group_id, one.name AS "group", (SELECT phone ${found}) AS phone,
             (SELECT first_name ${found}) AS first_name, (SELECT birth_date ${found}) AS birth_date
           FROM contact_group AS one WHERE ${groups}
         ) AS found WHERE phone IS NOT NULL`,
        integration,
        phone,
      ),

    /** Returns the groups that send birthday messages and have contacts, newest first. */
    birthdayGroups: async (integration: number): Promise<BirthdayGroup[]> => {
      const found = await select<BirthdayGroupRow>(
        `SELECT one.id, one.name, one.birthday_message, sender_id.name AS sender, sender_id.status
         FROM contact_group AS one LEFT JOIN sender_id
           ON sender_id.integration_id = one.integration_id AND sender_id.id = one.sender_id
         WHERE send_birthday AND contacts_count > 0 AND ${groups}`,
        integration,
      );
      return found.map(({ sender: name, status, ...group }) => ({
        group,
        sender_id: name === null || status === null ? null : { name, status },
      }));
    },
  };
}

/** Returns the clause for a contact that the group has: sets the given columns if one differs. */
export function onExisting(given: readonly ContactColumn[]): string {
  const columns = given.filter((column) => column !== "phone");
  const sets = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const differs = columns
    .map((column) => `contact.${column} IS DISTINCT FROM excluded.${column}`)
    .join(" OR ");
  const action = columns.length === 0 ? "NOTHING" : `UPDATE SET ${sets} WHERE ${differs}`;
  return `DO ${action}`;
}

export const integrationColumns = `integration.id, integration.name, sender_id_total AS sender_ids_count,
  contact_group_total AS groups_count,
  (SELECT count(*) FROM secret_key WHERE integration_id = integration.id) AS keys_count, integration.created_at`;

/** Returns the store methods for integrations and keys that are the same on both databases. */
export function integrationMethods({ select, selectNow, change }: SharedQueries) {
  return {
    /** Returns all integrations, newest first. */
    integrations: () =>
      select<StoredIntegration>(
        `SELECT ${integrationColumns} FROM integration ORDER BY integration.id DESC`,
      ),

    /** Returns false if it does not exist. Also deletes its records and keys. */
    deleteIntegration: async (name: string) =>
      isStorable(name) &&
      (await change("DELETE FROM integration WHERE name = $1 RETURNING id", name)).length > 0,

    /** Returns all keys, newest first. */
    keys: () =>
      select<StoredKey>(
        `SELECT secret_key.id, integration.name AS integration, ending, secret_key.created_at
         FROM secret_key JOIN integration ON integration.id = integration_id
         ORDER BY secret_key.id DESC`,
      ),

    /** Returns false if it does not exist. */
    deleteKey: async (id: number) =>
      (await change("DELETE FROM secret_key WHERE id = $1 RETURNING id", id)).length > 0,

    /** Returns the ids of a key and of its integration, and its name, by the key's SHA-256 hash. */
    ownerOfKey: async (hash: Uint8Array) => {
      const [owner] = await selectNow<{ integration: number; name: string; key: number }>(
        `SELECT integration_id AS integration, name, secret_key.id AS "key"
         FROM secret_key JOIN integration ON integration.id = integration_id WHERE hash = $1`,
        hash,
      );
      return owner;
    },
  };
}

/** Returns the store methods for reviewing sender IDs (ruling 17), and for what uses them. */
export function reviewMethods({ select, change }: SharedQueries) {
  return {
    /** Returns the name of a group's sender ID, null without one; undefined without the group. */
    senderIdOfGroup: async (integration: number, group: number) => {
      const [found] = await select<{ readonly name: string | null }>(
        `SELECT sender_id.name FROM contact_group AS one
         LEFT JOIN sender_id
           ON sender_id.integration_id = one.integration_id AND sender_id.id = one.sender_id
         WHERE one.id = $1 AND one.integration_id = $2`,
        group,
        integration,
      );
      return found?.name;
    },

    /** Returns the groups that use a sender ID, by its name. */
    groupsOfSenderId: async (integration: number, name: string) => {
      if (!isStorable(name)) return [];
      return select<StoredGroup>(
        `SELECT ${groupColumns} FROM contact_group WHERE integration_id = $1 AND sender_id =
           (SELECT id FROM sender_id WHERE integration_id = $1 AND name = $2)`,
        integration,
        name,
      );
    },

    /** Returns the updated record; undefined if the integration has no such sender ID. */
    setSenderIdStatus: async (integration: number, name: string, status: string) => {
      if (!isStorable(name)) return undefined;
      const [changed] = await change<StoredSenderId>(
        `UPDATE sender_id SET status = $3 WHERE integration_id = $1 AND name = $2
         RETURNING ${senderIdColumns}`,
        integration,
        name,
        status,
      );
      return changed;
    },

    /**
     * Approves PENDING sender IDs of all integrations created at or before `time`, oldest first. An
     * index has them by age.
     *
     * @param count maximum number to approve
     * @returns the number approved
     */
    approvePendingBefore: async (time: Microseconds, count: number) => {
      const pending = `SELECT integration_id, id FROM sender_id WHERE status = 'PENDING' AND created_at <= $1
                       ORDER BY created_at LIMIT $2`;
      const approved = await change(
        `UPDATE sender_id SET status = 'APPROVED' WHERE (integration_id, id) IN (${pending}) RETURNING id`,
        Math.floor(time),
        count,
      );
      return approved.length;
    },
  };
}
