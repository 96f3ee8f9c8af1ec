import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, optional, text } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
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
  async run(context, { groupId, phone }, options) {
    return addContact(context, groupId, phone, options);
  },
});

interface AddOptions {
  readonly firstName?: string;
  readonly birthDate?: string;
  readonly country?: string;
}

/** Adds a contact to a group of the embedded database, or updates the contact with that phone number. */
async function addContact(
  context: Capabilities,
  givenId: string | undefined,
  givenPhone: string | undefined,
  { firstName, birthDate, country }: AddOptions,
): Promise<ExitCode> {
  const groupId = await localRecordKey(context, givenId, "GROUP_ID", groupChoice);
  const phone = await required(context.ask, givenPhone, "PHONE", "Phone number");
  const contacts = await context.local.contacts();
  const fields = {
    phone,
    ...(firstName === undefined ? {} : { first_name: firstName }),
    ...(birthDate === undefined ? {} : { birth_date: birthDate }),
  };
  return context.output.record(await contacts.add(groupId, fields, country), contactView);
}
