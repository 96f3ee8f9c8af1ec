import { localDay } from "../../contract/calendar.ts";
import {
  contactColumns,
  type Contact,
  type ContactColumn,
  type DeletedContacts,
} from "../../contract/contacts.ts";
import { SendctlError } from "../../contract/error.ts";
import type { Reply } from "../../contract/service.ts";
import { groupKey } from "../group-key.ts";
import { doneWith, invalid, notFound } from "../replies.ts";
import type { Microseconds, Store, StoredContact } from "../store.ts";
import { createLineCheck } from "./contact-fields.ts";
import type { PhoneCheck } from "./phone.ts";

/** A contact as the wire has it. */
export function contactRecord({ phone, firstName, birthDate }: StoredContact): Contact {
  return { phone, first_name: firstName, birth_date: birthDate };
}

/** Returns the check of phone numbers. @throws SendctlError "usage" for an unknown country */
export async function phoneCheckFor(country: string | undefined): Promise<PhoneCheck> {
  const check = (await import("./phone.ts")).createPhoneCheck(country);
  if (check !== undefined) return check;
  throw new SendctlError("usage", `unknown country "${country}"`, {
    hint: "use two letters, such as GB",
    setting: "--country",
  });
}

/** Contacts that are named one by one: ruling 25. */
export interface ContactChanges {
  /**
   * Adds a contact or, where the group has one of that phone, updates the fields that are given.
   *
   * @param country whose national numbers are understood, too
   * @throws SendctlError "usage" for an unknown country
   */
  readonly add: (
    groupId: string,
    given: Partial<Readonly<Record<ContactColumn, string>>>,
    country: string | undefined,
  ) => Promise<Reply>;
  /**
   * Deletes contacts by their phones, all at once.
   *
   * @returns the refusal where there is no such group
   * @throws SendctlError "usage" for an unknown country
   */
  readonly delete: (
    groupId: string,
    phones: readonly string[],
    country: string | undefined,
  ) => Promise<DeletedContacts | Reply>;
}

/** @param now the time, in microseconds since 1970 */
export function createContactChanges(
  store: Store,
  integration: number,
  now: () => Microseconds,
): ContactChanges {
  return {
    async add(groupId, given, country) {
      const columns = contactColumns.filter((column) => given[column] !== undefined);
      const check = createLineCheck(columns, await phoneCheckFor(country), localDay(now() / 1000));
      const checked = check({ line: 1, cells: columns.map((column) => given[column]!) });
      if ("faults" in checked) {
        const errors = checked.faults.map(({ field, reason }) => [field ?? "phone", [reason]]);
        return invalid(Object.fromEntries(errors));
      }
      const { contact } = checked;
      const key = groupKey(groupId);
      const stored =
        key &&
        (await store.importContacts(
          integration,
          key,
          only(contact),
          {
            firstName: given.first_name !== undefined,
            birthDate: given.birth_date !== undefined,
          },
          async () => {},
        ));
      if (stored === undefined) return notFound("Group", groupId);
      // Fields that were not given keep what an earlier contact of that phone has.
      const found = (await store.contactByPhone(stored.group.id, contact.phone)) ?? contact;
      const { added, updated } = stored;
      const what = added > 0 ? "added" : updated > 0 ? "updated" : "unchanged";
      return doneWith(added > 0 ? 201 : 200, `Contact ${what}`, contactRecord(found));
    },

    async delete(groupId, phones, country) {
      const check = await phoneCheckFor(country);
      const wanted = new Set(
        phones.map((phone) => {
          const checked = check(phone.trim());
          // A number that is valid no longer can be stored all the same.
          return "phone" in checked ? checked.phone : phone;
        }),
      );
      const key = groupKey(groupId);
      const gone = key && (await store.deleteContacts(integration, key, [...wanted]));
      if (gone === undefined) return notFound("Group", groupId);
      const deleted = new Set(gone);
      return {
        deleted: [...wanted].filter((phone) => deleted.has(phone)),
        not_found: [...wanted].filter((phone) => !deleted.has(phone)),
      };
    },
  };
}

async function* only(contact: StoredContact): AsyncGenerator<readonly StoredContact[]> {
  yield [contact];
}
