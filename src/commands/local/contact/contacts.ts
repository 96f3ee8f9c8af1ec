import { groupChoice, localRecordKey } from "../../../command/records/single.ts";
import { pageOptions, required } from "../../../command/arguments.ts";
import { contactView } from "./views.ts";
import { list } from "../../../command/lists/list.ts";
import { defineCommand, defineNoun, optional, text } from "../../../command/define-command.ts";

export const localContact = defineNoun({
  path: "local contact",
  aliases: ["contacts"],
  summary: "Manage contacts",
  description:
    "Manage the contacts of groups in the embedded database: import, list, add and delete them.",
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
    const groupId = await localRecordKey(context, given.groupId, "GROUP_ID", groupChoice);
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

export const localContactAdd = defineCommand({
  path: "local contact add",
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
    const groupId = await localRecordKey(context, given.groupId, "GROUP_ID", groupChoice);
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
