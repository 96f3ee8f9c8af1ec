import {
  confirm,
  readsInput,
  required,
  mustConfirm,
  unconfirmed,
  deleteOptions,
  severalOptions,
} from "../../../command/arguments.ts";
import { groupKind, localRecordKey, readWords } from "../../../command/records/find.ts";
import { list } from "../../../command/lists/list.ts";
import { pageOptions } from "../../../command/lists/options.ts";
import {
  defineCommand,
  defineNoun,
  optional,
  text,
  variadic,
} from "../../../command/define-command.ts";
import type { Session } from "../../../command/session.ts";
import { databaseName } from "../../../config/target.ts";
import type { Contact, DeletedContacts } from "../../../contract/contacts.ts";
import { type ExitCode, exitCodes } from "../../../output/exit-codes.ts";
import type { RecordView } from "../../../output/views.ts";
import { counted, firstOf, visibleText } from "../../../core/text.ts";
import { failureOf } from "../../../service/refusals.ts";

export const contactView: RecordView = {
  one: "contact",
  many: "contacts",
  toCreate: "sendctl local contact import GROUP_ID FILE",
  key: "phone",
  fields: {
    phone: { label: "Phone" },
    first_name: { label: "First name", column: { least: 8 } },
    birth_date: { label: "Birth date" },
  } satisfies Record<keyof Contact, unknown>,
  columns: ["phone", "first_name", "birth_date"] satisfies (keyof Contact)[],
};

export const localContact = defineNoun({
  path: "local contact",
  aliases: ["contacts"],
  summary: "Manage contacts",
  description:
    "Manage the contacts of groups in the embedded database: import, list, find, add and delete them.",
  examples: ["sendctl local contact list 12"],
});

export const localContactList = defineCommand({
  path: "local contact list",
  aliases: ["ls"],
  summary: "List the contacts of a group",
  description:
    "List the contacts of a group, sorted by phone number. The csv output can be imported again.",
  args: { groupId: optional("id, uuid or name of the group", { takes: "group" }) },
  options: pageOptions,
  examples: ["sendctl local contact list 12", "sendctl local contact list 12 --all --output csv"],
  async run(context, given, options) {
    const groupId = await localRecordKey(context, given.groupId, groupKind, "GROUP_ID");
    return list(
      context,
      async (query) => (await context.local.contacts("read")).list(groupId, query),
      contactView,
      options,
      async (query) => (await context.local.contacts("read")).all(groupId, query),
    );
  },
});

/** An option of every command that takes phone numbers. */
export const countryOption = text(
  "--country <cc>",
  "country of national numbers, like GB (default: numbers must start with +)",
);

/** A contact with the group that has it. */
const foundView: RecordView = {
  ...contactView,
  fields: { group_id: { label: "Group ID" }, group: { label: "Group" }, ...contactView.fields },
  columns: ["group_id", "group", ...contactView.columns],
};

export const localContactFind = defineCommand({
  path: "local contact find",
  summary: "Find a contact in all groups",
  description: "Find a contact in all groups by phone number, in any spelling.",
  args: { phone: optional("phone number, like +44 7911 123401") },
  options: { country: countryOption },
  exitCodes: [[4, "no group has the contact"]],
  examples: [
    "sendctl local contact find +447911123401",
    "sendctl local contact find '07911 123401' --country GB",
  ],
  async run({ ask, local, output }, given, { country }) {
    const phone = await required(ask, given.phone, "PHONE", "Phone number");
    return output.page(await (await local.contacts("read")).find(phone, country), foundView);
  },
});

export const localContactAdd = defineCommand({
  path: "local contact add",
  changes: "database",
  summary: "Add a contact to a group",
  description:
    "Add a contact to a group. If a contact with that phone number exists, the given fields are updated.",
  args: {
    groupId: optional("id, uuid or name of the group", { takes: "group" }),
    phone: optional("phone number, like +447911123401"),
  },
  options: {
    firstName: text("--first-name <text>", "first name, for {first_name} in messages"),
    birthDate: text(
      "--birth-date <date>",
      "birth date, like 1990-02-28, or --02-28 without the year",
    ),
    country: countryOption,
  },
  examples: [
    "sendctl local contact add 12 +447911123401 --first-name Ada",
    "sendctl local contact add 12 07911123401 --country GB --birth-date=--02-28",
  ],
  async run(context, given, { firstName, birthDate, country }) {
    const groupId = await localRecordKey(context, given.groupId, groupKind, "GROUP_ID");
    const phone = await required(context.ask, given.phone, "PHONE", "Phone number");
    const contacts = await context.local.contacts();
    const fields = {
      phone,
      ...(firstName === undefined ? {} : { first_name: firstName }),
      ...(birthDate === undefined ? {} : { birth_date: birthDate }),
    };
    return context.output.record(await contacts.add(groupId, fields, country), contactView);
  },
});

export const localContactDelete = defineCommand({
  path: "local contact delete",
  changes: "database",
  aliases: ["rm"],
  summary: "Delete contacts of a group",
  description: "Delete contacts of a group by phone number. One confirmation covers several.",
  args: {
    groupId: optional("id, uuid or name of the group", { takes: "group" }),
    phone: variadic("phone numbers, like +447911123401; - reads them from standard input"),
  },
  options: { ...deleteOptions, ...severalOptions, country: countryOption },
  exitCodes: [
    [4, "a contact was not found; the others were deleted"],
    [6, "a phone number is not valid; the others were deleted"],
  ],
  examples: [
    "sendctl local contact delete 12 +447911123401 +447911123402 --yes",
    "sendctl local contact delete 12 - --yes",
  ],
  async run(context, { groupId: givenId, phone: given }, options) {
    const { ask, config, input, local } = context;
    const areRead = readsInput(given, options);
    const groupId = await localRecordKey(context, givenId, groupKind, "GROUP_ID");
    const mustAsk = mustConfirm(context, options.yes, "delete", "database");
    // A confirmation cannot be read from standard input when that lists the contacts.
    if (mustAsk && areRead) throw unconfirmed("delete");
    const words = await readWords(input, given, options);
    const isGiven = areRead || words.length > 0;
    const phones = isGiven ? words : [await required(ask, undefined, "PHONE", "Phone number")];
    const { delete: remove } = await local.contacts();
    if (mustAsk) {
      // The group is read from the embedded database: the selected service may be remote.
      const own = await local.service();
      const fetched = await own["group.fetch"]({ path: { id: groupId } });
      const { id, name } = fetched.envelope!.data as { readonly id: number; readonly name: string };
      const several = `${phones.length} contacts (${firstOf(phones)})`;
      const contacts = phones.length === 1 ? `contact ${phones[0]}` : several;
      const group = `group ${id} (${name}) in ${databaseName(config.settings)}`;
      const question = `Delete ${contacts} from ${group}?`;
      await confirm(context, "delete", question, "Nothing deleted", "database");
    }
    const outcome = await remove(groupId, phones, options.country);
    if ("status" in outcome) throw failureOf(outcome);
    return show(context, outcome);
  },
});

/** Shows which contacts were deleted and which were not found. */
async function show({ output }: Session, outcome: DeletedContacts): Promise<ExitCode> {
  const { deleted, not_found: missing, reasons = {} } = outcome;
  const texts = missing.map((phone) => `${phone} ${reasons[phone] ?? ""}`.trimEnd());
  const isDone = missing.length === 0;
  const done = `${counted(deleted.length, "contact")} deleted`;
  const message = isDone ? done : `${done}, ${missing.length} not found: ${firstOf(texts)}`;
  // The contact of a number that is not valid may exist under another one.
  const kind = outcome.reasons === undefined ? ("not_found" as const) : ("invalid" as const);
  const error = isDone ? undefined : { kind };
  await output.report({ message, data: outcome, ...(error && { error }) });
  await (isDone ? output.say(message) : output.printError(visibleText(message)));
  return isDone ? exitCodes.done : exitCodes[kind];
}
