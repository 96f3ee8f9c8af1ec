import { defineCommand, optional, text } from "../../../cli/define-command.ts";
import { localRecordKey, required, groupChoice } from "../../arguments.ts";
import { contactView } from "./views.ts";

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
