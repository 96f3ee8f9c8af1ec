import { knownStatuses } from "../../../commands/sender-id/statuses.ts";
import { contactView } from "../../../commands/local/contact/views.ts";
import {
  optionalQuestion,
  pickFrom,
  pickIntegration,
  pickKey,
  pickSecretKey,
  pickWord,
} from "../pick.ts";
import type { Ask, Session } from "../session.ts";
import { lineFor, optionalWords, optionWords } from "../words.ts";

const countryQuestion = optionalQuestion(
  "Country of national numbers, like GB",
  "empty for numbers that start with +",
);

/** Asks for the first name and birth date of a contact. @returns the options for changed values */
export async function askForContact(
  { prompter }: Session,
  now: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const changed = async (
    label: string,
    option: string,
    field: string,
  ): Promise<readonly string[]> => {
    const before = typeof now[field] === "string" ? now[field] : "";
    const value = await prompter.edit(optionalQuestion(label), before);
    return value === before ? [] : optionalWords(option, value);
  };
  return [
    ...(await changed("First name", "--first-name", "first_name")),
    ...(await changed("Birth date, like 1990-02-28", "--birth-date", "birth_date")),
  ];
}

async function askForText({ prompter }: Session, label: string): Promise<readonly string[]> {
  return lineFor([], [await prompter.ask(label)]).args;
}

/** Questions for the commands of the embedded engine. */
export const localQuestions: Readonly<Record<string, Ask>> = {
  "local integration create": (session) => askForText(session, "Name of the integration"),
  "local integration delete": async (session) => [await pickIntegration(session)],
  "local key create": async (session) => {
    const name = await pickIntegration(session);
    return name === "default" ? [] : optionWords("--integration", name);
  },
  "local key revoke": async (session) => {
    const id = await pickSecretKey(session);
    return id === undefined ? undefined : [id];
  },
  "local backup": (session) => askForText(session, "File to create"),
  "local restore": (session) => askForText(session, "Backup file"),
  "local copy": async ({ prompter }) =>
    optionWords("--to", await prompter.ask("File or postgres:// address to copy to")),
  "local contact import": async (session) => {
    const id = await pickKey(session, "group", true);
    if (id === undefined) return undefined;
    const file = await session.prompter.ask("CSV file");
    const country = await session.prompter.edit(countryQuestion, "");
    return lineFor([], [id, file], optionalWords("--country", country)).args;
  },
  "local contact add": async (session) => {
    const id = await pickKey(session, "group", true);
    if (id === undefined) return undefined;
    const phone = await session.prompter.ask("Phone number, like +447911123401");
    return lineFor([], [id, phone], await askForContact(session)).args;
  },
  "local contact delete": async (session) => {
    const id = await pickKey(session, "group", true);
    if (id === undefined) return undefined;
    const contacts = await session.context().local.contacts("read");
    const phone = await pickFrom(session, (query) => contacts.list(id, query), contactView);
    return phone === undefined ? undefined : [id, phone];
  },
  "local birthdays": async ({ prompter }) => {
    const on = await prompter.edit(
      optionalQuestion("First day, like 2026-01-31", "empty for today"),
      "",
    );
    const days = await prompter.askWithDefault("Number of days", "1");
    return [...optionalWords("--on", on), ...(days === "1" ? [] : optionWords("--days", days))];
  },
  "local review": async (session) => {
    const name = await pickKey(session, "sender-id", true);
    if (name === undefined) return undefined;
    const status = await pickWord(session, "Status", knownStatuses);
    return lineFor([], [name], ["--status", status]).args;
  },
  "local seed": async ({ prompter }) => [
    ...optionWords("--sender-ids", await prompter.askWithDefault("Number of sender IDs", "5")),
    ...optionWords("--groups", await prompter.askWithDefault("Number of groups", "20")),
    ...optionWords("--contacts", await prompter.askWithDefault("Number of contacts", "200")),
  ],
  "local run": async ({ prompter }) => {
    const command = await prompter.ask("Command for the shell");
    return ["--", "sh", "-c", command];
  },
};
