import { isDay, isMonthDay, localDay } from "../../core/time.ts";
import { control, cut } from "../../core/text.ts";
import { maxFirstNameLength } from "../rules/rulings.ts";
import {
  contactColumns,
  type Contact,
  type ContactColumn,
  type ContactDiagnostic,
  type ContactLine,
  type DeletedContacts,
} from "../../contract/contacts.ts";
import type { Reply } from "../../contract/service.ts";
import { groupKey } from "../rules/records.ts";
import { doneWith, invalid, notFound } from "../rules/replies.ts";
import type { BulkRow } from "../store/bulk.ts";
import type { Store } from "../store/store.ts";
import type { Microseconds } from "../store/stored.ts";
import { createPhoneCheck, type PhoneCheck } from "./phone.ts";

/** Creates the operations on single contacts (ruling 25). @param now microseconds since 1970 */
export function createContactChanges(store: Store, integration: number, now: () => Microseconds) {
  return {
    /**
     * Adds a contact, or updates the given fields if the group already has the phone.
     *
     * @param country whose national numbers are also accepted
     * @throws SendctlError "usage" for an unknown country
     */
    add: async (
      groupId: string,
      given: Partial<Readonly<Record<ContactColumn, string>>>,
      country: string | undefined,
    ): Promise<Reply> => {
      const columns = contactColumns.filter((column) => given[column] !== undefined);
      const check = createLineCheck(columns, createPhoneCheck(country), localDay(now() / 1000));
      const checked = check({ line: 1, cells: columns.map((column) => given[column]!) });
      if ("diagnostics" in checked) {
        const errors = checked.diagnostics.map(({ field, reason }) => [field ?? "phone", [reason]]);
        return invalid(Object.fromEntries(errors));
      }
      const { contact } = checked;
      const key = groupKey(groupId);
      const stored =
        key && (await store.importContacts(integration, key, only(contact), columns, {}));
      if (stored === undefined) return notFound("Group", groupId);
      // Read it back, because fields that were not given keep their stored values.
      const { group, added, updated } = stored;
      const same = await store.contactsByPhone(integration, contact.phone);
      const found = same.find(({ group_id }) => group_id === group.id) ?? contact;
      const { phone, first_name, birth_date } = found;
      const outcome = added > 0 ? "added" : updated > 0 ? "updated" : "unchanged";
      const record = { phone, first_name, birth_date };
      return doneWith(added > 0 ? 201 : 200, `Contact ${outcome}`, record);
    },

    /**
     * Adds the contacts of a seed to a group without contacts.
     *
     * @param rows the cells of each contact, in the order of `contactColumns`
     * @returns the first error, with the index of its row as the line; undefined if they are added
     */
    addAll: async (
      groupId: number,
      rows: readonly (readonly string[])[],
    ): Promise<ContactDiagnostic | undefined> => {
      const phoneCheck = createPhoneCheck(undefined, "");
      const check = createLineCheck(contactColumns, phoneCheck, localDay(now() / 1000));
      const contacts = new Map<string, BulkRow>();
      for (const [line, cells] of rows.entries()) {
        const checked = check({ line, cells });
        if ("diagnostics" in checked) return checked.diagnostics[0];
        const { contact } = checked;
        if (contacts.has(contact.phone)) return { line, field: "phone", reason: "occurs twice" };
        contacts.set(contact.phone, { group_id: groupId, ...contact });
      }
      await store.insertMany(integration, "contact", [...contacts.values()]);
      return undefined;
    },

    /**
     * Deletes contacts by their phones, all at once.
     *
     * @returns a refusal if the group does not exist
     * @throws SendctlError "usage" for an unknown country
     */
    delete: async (
      groupId: string,
      phones: readonly string[],
      country: string | undefined,
    ): Promise<DeletedContacts | Reply> => {
      const check = createPhoneCheck(country);
      const errors = new Map<string, string>();
      const wanted = new Set(
        phones.map((phone) => {
          const checked = check(phone);
          if ("error" in checked) errors.set(phone, checked.error);
          // A stored number may have become invalid, so look it up as written.
          return "phone" in checked ? checked.phone : phone;
        }),
      );
      const key = groupKey(groupId);
      const phonesDeleted = key && (await store.deleteContacts(integration, key, [...wanted]));
      if (phonesDeleted === undefined) return notFound("Group", groupId);
      const deleted = new Set(phonesDeleted);
      const reasons = [...errors].filter(([phone]) => !deleted.has(phone));
      return {
        deleted: [...wanted].filter((phone) => deleted.has(phone)),
        not_found: [...wanted].filter((phone) => !deleted.has(phone)),
        ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
      };
    },
  };
}

async function* only(contact: Contact): AsyncGenerator<readonly Contact[]> {
  yield [contact];
}

/** Parses a line into a contact to store, or returns all its errors (ruling 27). */
export type LineCheck = (
  line: ContactLine,
) => { readonly contact: Contact } | { readonly diagnostics: readonly ContactDiagnostic[] };

/**
 * Creates the parser for the lines of a file.
 *
 * @param columns of the file, in order
 * @param today local date, such as 2026-01-31
 */
export function createLineCheck(
  columns: readonly ContactColumn[],
  phoneCheck: PhoneCheck,
  today: string,
): LineCheck {
  const [phoneAt, firstNameAt, birthDateAt] = (["phone", "first_name", "birth_date"] as const).map(
    (column) => columns.indexOf(column),
  ) as [number, number, number];

  return ({ line, cells, problem }) => {
    if (problem !== undefined) return { diagnostics: [{ line, field: null, reason: problem }] };
    const diagnostics: ContactDiagnostic[] = [];
    const addError = (field: ContactColumn, value: string, reason: string): void => {
      diagnostics.push({
        line,
        field,
        reason: value === "" ? reason : `"${cut(value)}" ${reason}`,
      });
    };
    const phone = cells[phoneAt]!.trim();
    const checked = phone === "" ? { error: "is missing" } : phoneCheck(phone);
    if ("error" in checked) addError("phone", phone, checked.error);

    const firstName = (cells[firstNameAt] ?? "").trim();
    const nameError = firstNameError(firstName);
    if (nameError !== undefined) addError("first_name", firstName, nameError);

    const birthDate = (cells[birthDateAt] ?? "").trim();
    const dateError = birthDateError(birthDate, today);
    if (dateError !== undefined) addError("birth_date", birthDate, dateError);

    if ("error" in checked || diagnostics.length > 0) return { diagnostics };
    return {
      contact: {
        phone: checked.phone,
        first_name: firstName === "" ? null : firstName,
        birth_date: birthDate === "" ? null : birthDate,
      },
    };
  };
}

function firstNameError(name: string): string | undefined {
  const max = maxFirstNameLength;
  if (name.length > max && (name.length > 2 * max || Array.from(name).length > max)) {
    return `has more than ${max} characters`;
  }
  return control.test(name) ? "contains control characters" : undefined;
}

function birthDateError(date: string, today: string): string | undefined {
  if (date === "") return undefined;
  const isYearless = date.startsWith("--");
  if (isYearless ? !isMonthDay(date.slice(2)) : !isDay(date)) {
    return "is not a date: use YYYY-MM-DD, or --MM-DD without a year";
  }
  return !isYearless && date > today ? "is in the future" : undefined;
}
