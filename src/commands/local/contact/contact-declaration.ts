import type { Command } from "commander";
import type { Action } from "../../action.ts";
import { examples, pageOptions } from "../../declare.ts";
import type { ListOptions } from "../../list.ts";
import type { BirthdaysOptions } from "./birthdays.ts";
import type { ContactImportOptions } from "./import.ts";

/** Declares `sendctl local contact …` and `sendctl local birthdays`. */
export function declareContact(local: Command, action: Action): void {
  const noun = local
    .command("contact")
    .summary("Manage contacts")
    .description("Fill the groups of the embedded database with contacts, and list them.");
  examples(noun, ["sendctl local contact list 12"]);

  examples(
    noun
      .command("import")
      .summary("Fill a group from a CSV file")
      .description(
        "Fill a group from a CSV file with a header: phone and, as one likes, first_name and birth_date. All of it is imported, or nothing is.",
      )
      .argument("[group-id]", "the group's id or uuid")
      .argument("[file]", "the file, or - for standard input")
      .option(
        "--country <cc>",
        "whose national numbers are understood, such as GB; without it, every number begins with +",
      )
      .option("--skip-bad", "leave lines at fault out, and import the others")
      .action(
        action(
          async (
            context,
            groupId: string | undefined,
            file: string | undefined,
            options: ContactImportOptions,
          ) => (await import("./import.ts")).importContacts(context, { groupId, file }, options),
        ),
      ),
    [
      "sendctl local contact import 12 contacts.csv",
      "sendctl local contact import 12 contacts.csv --country GB --skip-bad",
    ],
  );

  examples(
    pageOptions(
      noun
        .command("list")
        .alias("ls")
        .summary("List what a group holds")
        .description(
          "List the contacts of a group by their phone. As csv, it can be imported again.",
        )
        .argument("[group-id]", "the group's id or uuid"),
    ).action(
      action(async (context, groupId: string | undefined, options: ListOptions) =>
        (await import("./list.ts")).listContacts(context, groupId, options),
      ),
    ),
    ["sendctl local contact list 12", "sendctl local contact list 12 --all --output csv"],
  );

  examples(
    local
      .command("birthdays")
      .summary("Show who gets which birthday message")
      .description(
        "Show who gets which birthday message, from which group and under which sender ID, and what is missing for it. Groups that send none are left out.",
      )
      .option("--on <date>", "the first day, as 2026-01-31 (today where nothing is said)")
      .option("--days <n>", "how many days, up to 366 (1 where nothing is said)")
      .action(
        action(async (context, options: BirthdaysOptions) =>
          (await import("./birthdays.ts")).showBirthdays(context, options),
        ),
      ),
    ["sendctl local birthdays", "sendctl local birthdays --on 2026-02-28 --days 7 --json"],
  );
}
