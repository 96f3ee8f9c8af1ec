import type { Contact, ImportedContacts } from "../../../contract/contacts.ts";
import { statusCell, type RecordView } from "../../../output/views.ts";

const text = { least: 8 } as const;
const toImport = "sendctl local contact import GROUP_ID FILE";

export const contactView: RecordView = {
  one: "contact",
  many: "contacts",
  toCreate: toImport,
  key: "phone",
  fields: {
    phone: { label: "Phone" },
    first_name: { label: "First name", column: text },
    birth_date: { label: "Birth date" },
  } satisfies Record<keyof Contact, unknown>,
  columns: ["phone", "first_name", "birth_date"] satisfies (keyof Contact)[],
};

export const importView: RecordView = {
  one: "import",
  many: "imports",
  toCreate: toImport,
  key: "group_id",
  fields: {
    group_id: { label: "Group ID" },
    group: { label: "Group" },
    lines: { label: "Lines read" },
    added: { label: "Added" },
    updated: { label: "Updated" },
    unchanged: { label: "Unchanged" },
    duplicates: { label: "Duplicates" },
    skipped: { label: "Skipped" },
    contacts_count: { label: "Contacts" },
  } satisfies Record<keyof ImportedContacts, unknown>,
  columns: [],
};

/** What a birthday message lacks to be sent, or to be complete: ruling 28. */
const missingTexts: Readonly<Record<string, string>> = {
  sender_id: "a sender ID",
  approval: "approval of the sender ID",
  birthday_message: "a birthday message",
  first_name: "the first name",
};

const birthdayFields: RecordView["fields"] = {
  date: { label: "Date" },
  phone: { label: "Phone" },
  first_name: { label: "First name", column: text },
  group_id: { label: "Group ID" },
  group: { label: "Group", column: text },
  sender_id: { label: "Sender ID", column: text },
  sender_id_status: {
    label: "Status",
    cell: (value) => (value === null ? { text: "-" } : statusCell(value)),
  },
  message: { label: "Message", column: { least: 16 } },
  missing: {
    label: "Missing",
    cell: (value) => {
      const texts = (value as readonly string[]).map((one) => missingTexts[one]);
      if (texts.length === 0) return { text: "-", style: (style) => style.faint };
      return { text: texts.join(", "), style: (style) => style.bad };
    },
  },
};

export const birthdayView: RecordView = {
  one: "birthday",
  many: "birthdays",
  toCreate: toImport,
  key: "phone",
  fields: birthdayFields,
  columns: Object.keys(birthdayFields),
};
