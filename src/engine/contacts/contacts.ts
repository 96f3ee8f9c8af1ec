import { type RequestedPage, groupKey, pageOf, readPage } from "../rules/records.ts";
import { cut } from "../../core/text.ts";
import { daysLater, isDay, localDay } from "../../core/time.ts";
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
import { createContactChanges, createLineCheck, type LineCheck } from "./change-contacts.ts";
import { createPhoneCheck } from "./phone.ts";
import { doneWith, invalid, notFound } from "../rules/replies.ts";
import { maxDiagnostics, leapDay } from "../rules/rulings.ts";
import type { Store } from "../store/store.ts";
import type { Microseconds, Slice, StoredGroup, StoredImport } from "../store/stored.ts";

/** The contacts of groups (rulings 25, 27 and 28), which the service has no operations for. */
export type Contacts = ReturnType<typeof createContacts>;

/** Number of records per read. */
const batchSize = 1000;

/** Number of errors that a trial returns. */
const maxTrialErrors = 10;

const listMessage = "Contacts retrieved";

/** Returns the reply with a page of contacts. */
function listed(found: Slice<Contact>, page: RequestedPage): Reply {
  const data = pageOf(found, page, (contact) => contact);
  return doneWith(200, listMessage, data);
}

/** Creates the operations on one integration's contacts. @param now microseconds since 1970 */
export function createContacts(store: Store, integration: number, now: () => Microseconds) {
  async function groupOf(id: string): Promise<StoredGroup | undefined> {
    const key = groupKey(id);
    return key && (await store.groupByKey(integration, key));
  }

  /** Returns the group and the page of a list. */
  async function listOf(
    groupId: string,
    query: PageQuery,
  ): Promise<(RequestedPage & { readonly group: StoredGroup }) | { readonly refusal: Reply }> {
    const page = readPage(query);
    if ("errors" in page) return { refusal: invalid(page.errors) };
    const group = await groupOf(groupId);
    return group === undefined ? { refusal: notFound("Group", groupId) } : { ...page, group };
  }

  return {
    ...createContactChanges(store, integration, now),

    /** Returns undefined if the group exists, and a refusal otherwise. */
    refusalOf: async (groupId: string): Promise<Reply | undefined> =>
      (await groupOf(groupId)) === undefined ? notFound("Group", groupId) : undefined,

    /** Imports all contacts, or none. @throws SendctlError "usage" for an unknown country */
    importInto: (groupId: string, given: ContactImport): Promise<ImportOutcome> =>
      importInto(store, integration, groupId, given, localDay(now() / 1000)),

    /** Returns one page of contacts, sorted by phone. */
    list: async (groupId: string, query: PageQuery): Promise<Reply> => {
      const found = await listOf(groupId, query);
      if ("refusal" in found) return found.refusal;
      const { group, page, perPage } = found;
      const skip = (page - 1) * perPage;
      const items = await store.contactsAfter(integration, group.id, "", perPage, skip);
      return listed({ items, total: group.contacts_count }, found);
    },

    /** Streams all contacts, sorted by phone. */
    all: async (groupId: string, query: PageQuery): Promise<RecordStream<Contact>> => {
      const found = await listOf(groupId, query);
      if ("refusal" in found) return found;
      return { message: listMessage, pages: allContacts(store, integration, found.group.id) };
    },

    /**
     * Finds a contact in all groups by its phone.
     *
     * @param country whose national numbers are also accepted
     * @throws SendctlError "usage" for an unknown country
     */
    find: async (phone: string, country: string | undefined): Promise<Reply> => {
      const check = createPhoneCheck(country);
      // Without a country, the digits are those of an international number.
      const prefix = country === undefined ? /^(?:00|(?=[1-9]))/ : /^00/;
      const checked = check(phone.trim().replace(prefix, "+"));
      // A stored number may have become invalid, so it is looked up as written.
      const wanted = "phone" in checked ? checked.phone : phone;
      const items = await store.contactsByPhone(integration, wanted);
      if (items.length === 0) {
        return "error" in checked
          ? invalid({ phone: [`"${cut(phone)}" ${checked.error}`] })
          : notFound("Contact", wanted);
      }
      const total = items.length;
      return listed({ items, total }, { page: 1, perPage: total });
    },

    /** Streams the birthdays of some days, by day. @param on the first day, such as 2026-01-31 */
    birthdays: (on: string, days: number): Records<Birthday> => ({
      message: "Birthdays retrieved",
      pages: allBirthdays(store, integration, on, days),
    }),
  };
}

/** What an import has read so far. */
interface LinesRead {
  lines: number;
  invalid: number;
  readonly diagnostics: ContactDiagnostic[];
}

/** Imports all contacts, or none if anything throws. @param today such as 2026-01-31 */
async function importInto(
  store: Store,
  integration: number,
  groupId: string,
  given: ContactImport,
  today: string,
): Promise<ImportOutcome> {
  const { columns, country, isTrial = false, step } = given;
  const check = createLineCheck(columns, createPhoneCheck(country), today);
  const read: LinesRead = { lines: 0, invalid: 0, diagnostics: [] };
  const outcome = (reply?: Reply): ImportOutcome => {
    const { lines, invalid: invalidLines, diagnostics } = read;
    return { diagnostics: diagnostics.slice(0, maxDiagnostics), invalidLines, lines, reply };
  };
  const imported = (stored: StoredImport | undefined): ImportOutcome => {
    if (stored === undefined) return outcome(notFound("Group", groupId));
    const { group, ...counts } = stored;
    const record: ImportedContacts = {
      group_id: group.id,
      group: group.name,
      lines: read.lines,
      ...counts,
      skipped: read.invalid,
      contacts_count: group.contacts_count,
    };
    if (isTrial) read.diagnostics.splice(maxTrialErrors);
    const { diagnostics: errors } = read;
    const message = isTrial ? "Dry run: nothing imported" : "Contacts imported";
    const isListed = isTrial || errors.length > 0;
    return outcome(doneWith(200, message, isListed ? { ...record, errors } : record));
  };
  const key = groupKey(groupId);
  if (key === undefined) return imported(undefined);
  let counted: StoredImport | undefined;
  try {
    const contacts = validContacts(check, given, read);
    const stored = await store.importContacts(integration, key, contacts, columns, {
      step: (written, total) => step({ written, total }),
      beforeCommit: (counts) => {
        counted = counts;
        if (isTrial) throw new RolledBack();
      },
    });
    return imported(stored);
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
    return counted === undefined ? outcome() : imported(counted);
  }
}

/**
 * Yields the valid contacts of an import.
 *
 * @param read notes what is read
 * @throws RolledBack at the end, if invalid lines prevent the import
 */
async function* validContacts(
  check: LineCheck,
  { lines, skipInvalid, isTrial = false, step }: ContactImport,
  read: LinesRead,
): AsyncGenerator<readonly Contact[]> {
  const mustSkip = skipInvalid || isTrial;
  for await (const batch of lines) {
    const contacts: Contact[] = [];
    for (const line of batch) {
      const checked = check(line);
      if ("contact" in checked) contacts.push(checked.contact);
      else {
        read.invalid += 1;
        if (read.diagnostics.length < maxDiagnostics) read.diagnostics.push(...checked.diagnostics);
      }
    }
    read.lines += batch.length;
    await step({ read: read.lines });
    // Once an invalid line prevents the import, the remaining lines are only checked.
    if (contacts.length > 0 && (mustSkip || read.invalid === 0)) yield contacts;
  }
  if (read.invalid > 0 && !mustSkip) throw new RolledBack();
}

/** Thrown to roll back an import: with invalid lines, or a trial, which wants only the counts. */
class RolledBack extends Error {}

async function* allContacts(
  store: Store,
  integration: number,
  group: number,
): AsyncGenerator<readonly Contact[]> {
  for (let last = ""; ;) {
    const batch = await store.contactsAfter(integration, group, last, batchSize);
    if (batch.length > 0) yield batch;
    if (batch.length < batchSize) return;
    last = batch.at(-1)!.phone;
  }
}

/** Yields birthdays day by day, the newest group first. */
async function* allBirthdays(
  store: Store,
  integration: number,
  on: string,
  days: number,
): AsyncGenerator<readonly Birthday[]> {
  const groups = await store.birthdayGroups(integration);
  for (let passed = 0; passed < days; passed += 1) {
    const date = daysLater(on, passed);
    if (date === undefined) return;
    for (const { group, sender_id } of groups) {
      for (const monthDay of celebratedOn(date)) {
        const contacts = await store.contactsBornOn(integration, group.id, monthDay);
        if (contacts.length === 0) continue;
        yield contacts.map((contact) => ({ date, contact, group, sender_id }));
      }
    }
  }
}

/** Returns the birth days (`MM-DD`) that are celebrated on a date (ruling 28). */
function celebratedOn(date: string): readonly string[] {
  const monthDay = date.slice(5);
  const isStandIn = monthDay === leapDay.instead && !isDay(`${date.slice(0, 4)}-02-29`);
  return isStandIn ? [monthDay, leapDay.born] : [monthDay];
}
