import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, optional, text } from "../../../cli/define-command.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { localRecordKey, required, someGroup } from "../../arguments.ts";
import { contactView } from "./views.ts";

/** The option of all commands that take phone numbers. */
export const countryOption = text(
  "--country <cc>",
  "country of national numbers, like GB (default: every number starts with +)",
);

export const localContactAdd = defineCommand({
  path: "local contact add",
  summary: "Add a contact to a group",
  description:
    "Add a contact to a group. A contact with that phone number is updated, in the fields that are given.",
  args: {
    groupId: optional("id or uuid of the group", { takes: "group" }),
    phone: optional("phone number, like +447911123401"),
  },
  options: {
    firstName: text("--first-name <text>", "first name, which replaces {first_name} in messages"),
    birthDate: text("--birth-date <date>", "like 1990-02-28, or --02-28 without a year"),
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

/** Adds a contact to a group of the embedded database, or updates it. */
async function addContact(
  context: Capabilities,
  givenId: string | undefined,
  givenPhone: string | undefined,
  { firstName, birthDate, country }: AddOptions,
): Promise<ExitCode> {
  const groupId = await localRecordKey(context, givenId, "GROUP_ID", someGroup);
  const phone = await required(context.ask, givenPhone, "PHONE", "Phone number");
  const contacts = await context.local.contacts();
  const fields = {
    phone,
    ...(firstName === undefined ? {} : { first_name: firstName }),
    ...(birthDate === undefined ? {} : { birth_date: birthDate }),
  };
  return context.output.record(await contacts.add(groupId, fields, country), contactView);
}
