import { contactColumns } from "../../contract/contacts.ts";
import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import type { NewGroup } from "./stored.ts";

/** Column lists for SQL. */
export const senderIdColumns = "id, name, purpose, status, created_at";
export const groupColumns =
  "id, uuid, name, send_birthday, send_holiday, birthday_message, contacts_count, created_at";

/** The columns that callers set directly. `sender_id` is not one of them, because it is looked up. */
export const givenGroupColumns = namesOf(
  groupFields,
  ({ create, update, refersTo }) => (create ?? update) !== undefined && refersTo === undefined,
) as readonly (keyof NewGroup)[];

/** Returns the stored columns of a record. */
function columnsOf(fields: Fields): readonly string[] {
  return ["integration_id", ...namesOf(fields, ({ shown }) => shown !== "lists")];
}

/** The tables whose ids are never reused, with their columns. Each comes after those that it references. */
const numberedTables = {
  integration: ["id", "name", "created_at"],
  secret_key: ["id", "integration_id", "hash", "ending", "created_at"],
  sender_id: columnsOf(senderIdFields),
  contact_group: columnsOf(groupFields),
} as const;

export const numberedNames = Object.keys(numberedTables);

/**
 * All tables, with the columns that are inserted in bulk. Each database computes totals, and gives new ids to contacts, which
 * matter only for their order.
 */
export const tableColumns: Readonly<
  Record<keyof typeof numberedTables | "contact", readonly string[]>
> = { ...numberedTables, contact: ["integration_id", "group_id", ...contactColumns] };
