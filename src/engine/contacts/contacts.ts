import { daysLater, isLeapYear, localDay } from "../../contract/calendar.ts";
import type {
  Birthday,
  Contact,
  ContactImport,
  ImportedContacts,
  ImportOutcome,
  ContactDiagnostic,
  RecordStream,
  Records,
} from "../../contract/contacts.ts";
import type { PageQuery, Reply } from "../../contract/service.ts";
import { readPage } from "../validation.ts";
import {
  contactRecord,
  createContactChanges,
  phoneCheckFor,
  type ContactChanges,
} from "./change-contacts.ts";
import { createLineCheck } from "./contact-fields.ts";
import { groupKey } from "../group-key.ts";
import { doneWith, invalid, notFound, pageOf } from "../replies.ts";
import { maxDiagnostics, leapDay } from "../rulings.ts";
import type { Microseconds, Store, StoredContact, StoredGroup } from "../store.ts";

/** What groups hold, for whoever owns the database: rulings 25, 27 and 28. */
export interface Contacts extends ContactChanges {
  /** Whether there is such a group: nothing, or the refusal. */
  readonly refusalOf: (groupId: string) => Promise<Reply | undefined>;
  /** All of them or, where anything throws, none. @throws SendctlError "usage" for an unknown country */
  readonly importInto: (groupId: string, given: ContactImport) => Promise<ImportOutcome>;
  /** A page, by phone. */
  readonly list: (groupId: string, query: PageQuery) => Promise<Reply>;
  /** Every one, by phone. */
  readonly all: (groupId: string, query: PageQuery) => Promise<RecordStream<Contact>>;
  /** Whoever has a birthday, day by day. @param on the first day, as 2026-01-31 */
  readonly birthdays: (on: string, days: number) => Records<Birthday>;
}

/** Records that are read at a time. */
const batchSize = 1000;

const listMessage = "Contacts retrieved";

/** @param now the time, in microseconds since 1970 */
export function createContacts(
  store: Store,
  integration: number,
  now: () => Microseconds,
): Contacts {
  async function groupOf(id: string): Promise<StoredGroup | undefined> {
    const key = groupKey(id);
    return key && (await store.groupByKey(integration, key));
  }

  return {
    ...createContactChanges(store, integration, now),

    async refusalOf(groupId) {
      return (await groupOf(groupId)) === undefined ? notFound("Group", groupId) : undefined;
    },

    async importInto(groupId, { columns, lines, country, skipBad, step }) {
      const phoneCheck = await phoneCheckFor(country);
      const check = createLineCheck(columns, phoneCheck, localDay(now() / 1000));
      const faults: ContactDiagnostic[] = [];
      let read = 0;
      let faulty = 0;
      async function* good(): AsyncGenerator<readonly StoredContact[]> {
        for await (const some of lines) {
          const contacts: StoredContact[] = [];
          for (const line of some) {
            const checked = check(line);
            if ("contact" in checked) contacts.push(checked.contact);
            else {
              faulty += 1;
              if (faults.length < maxDiagnostics) faults.push(...checked.faults);
            }
          }
          read += some.length;
          await step({ read });
          // Where a line at fault keeps all from being imported, the rest is only looked at.
          if (contacts.length > 0 && (skipBad || faulty === 0)) yield contacts;
        }
        if (faulty > 0 && !skipBad) throw new BadLines();
      }
      const outcome = (reply: Reply | undefined): ImportOutcome => ({
        faults: faults.slice(0, maxDiagnostics),
        faulty,
        lines: read,
        reply,
      });
      const key = groupKey(groupId);
      if (key === undefined) return outcome(notFound("Group", groupId));
      const given = {
        firstName: columns.includes("first_name"),
        birthDate: columns.includes("birth_date"),
      };
      try {
        const stored = await store.importContacts(
          integration,
          key,
          good(),
          given,
          (written, total) => step({ written, total }),
        );
        if (stored === undefined) return outcome(notFound("Group", groupId));
        const { group, ...counts } = stored;
        const record: ImportedContacts = {
          group_id: group.id,
          group: group.name,
          lines: read,
          ...counts,
          skipped: faulty,
          contacts_count: group.contacts_count,
        };
        return outcome(doneWith(200, "Contacts imported", record));
      } catch (error) {
        if (error instanceof BadLines) return outcome(undefined);
        throw error;
      }
    },

    async list(groupId, query) {
      const page = readPage(query);
      if ("errors" in page) return invalid(page.errors);
      const group = await groupOf(groupId);
      if (group === undefined) return notFound("Group", groupId);
      const skip = (page.page - 1) * page.perPage;
      const slice = await store.sliceOfContacts(group.id, skip, page.perPage);
      return doneWith(200, listMessage, pageOf(slice, page, contactRecord));
    },

    async all(groupId, query) {
      const page = readPage(query);
      if ("errors" in page) return { refusal: invalid(page.errors) };
      const group = await groupOf(groupId);
      if (group === undefined) return { refusal: notFound("Group", groupId) };
      return { message: listMessage, pages: everyContact(store, group.id) };
    },

    birthdays: (on, days) => ({
      message: "Birthdays retrieved",
      pages: everyBirthday(store, integration, on, days),
    }),
  };
}

/** Ends an import from inside. */
class BadLines extends Error {}

async function* everyContact(store: Store, group: number): AsyncGenerator<readonly Contact[]> {
  let last = "";
  for (;;) {
    const some = await store.contactsAfter(group, last, batchSize);
    if (some.length > 0) yield some.map(contactRecord);
    if (some.length < batchSize) return;
    last = some.at(-1)!.phone;
  }
}

/** Day by day, the newest group first. */
async function* everyBirthday(
  store: Store,
  integration: number,
  on: string,
  days: number,
): AsyncGenerator<readonly Birthday[]> {
  for (let passed = 0; passed < days; passed += 1) {
    const date = daysLater(on, passed);
    if (date === undefined) return;
    let before: number | undefined;
    for (;;) {
      const groups = await store.birthdayGroups(integration, before, batchSize);
      for (const { id, name, birthdayMessage, senderId } of groups) {
        const group = { id, name, birthday_message: birthdayMessage };
        for (const monthDay of celebratedOn(date)) {
          for await (const contacts of everyoneBornOn(store, id, monthDay)) {
            yield contacts.map((contact) => ({
              date,
              contact: contactRecord(contact),
              group,
              sender_id: senderId ?? null,
            }));
          }
        }
      }
      if (groups.length < batchSize) break;
      before = groups.at(-1)!.id;
    }
  }
}

async function* everyoneBornOn(
  store: Store,
  group: number,
  monthDay: string,
): AsyncGenerator<readonly StoredContact[]> {
  let last = 0;
  for (;;) {
    const some = await store.contactsBornOn(group, monthDay, last, batchSize);
    if (some.length > 0) yield some;
    if (some.length < batchSize) return;
    last = some.at(-1)!.id;
  }
}

/** The days of the year that a day is the birthday of: ruling 28. */
function celebratedOn(date: string): readonly string[] {
  const monthDay = date.slice(5);
  const isStandIn = monthDay === leapDay.instead && !isLeapYear(Number(date.slice(0, 4)));
  return isStandIn ? [monthDay, leapDay.born] : [monthDay];
}
