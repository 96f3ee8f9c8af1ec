import { askForMessage, askForName, carrierWarning } from "../../commands/sms.ts";
import { askForFile } from "../../command/arguments.ts";
import { optionWords, targetName } from "../../config/target.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { capitalized } from "../../core/text.ts";
import type { CliArgument, CliCommand, CliOption } from "../program/build-command.ts";
import { pick } from "./listings.ts";
import { type Menu, optionalWords, say, wordsFor } from "./session.ts";
import {
  askForChanges,
  askYesOrNo,
  confirmChanges,
  fieldQuestion,
} from "../../commands/group/update/ask-for-changes.ts";
import { fieldWords } from "../../commands/group/fields.ts";

/** The options that the menu asks for, by command. */
const askedOptions: Readonly<Record<string, readonly string[]>> = {
  "sender-id create": ["--purpose"],
  "sender-id wait": ["--for"],
  "group create": ["--send-birthday", "--birthday-message"],
  "group preview": ["--first-name"],
  apply: ["--prune"],
  diff: ["--prune"],
  serve: ["--port"],
  "local copy": ["--to"],
  "local contact import": ["--country"],
  "local contact add": ["--first-name", "--birth-date"],
  "local birthdays": ["--on", "--days"],
  "local review": ["--status"],
  "local seed": ["--sender-ids", "--groups", "--contacts"],
};

/** Options that cannot be left out. */
const neededOptions: ReadonlySet<string> = new Set(["--purpose", "--to"]);

/** Commands that an argument can be left out of, besides a record. */
const withOptionalArgument: ReadonlySet<string> = new Set([
  "history",
  "undo",
  "local stop",
  "local status",
  "profile set-behaviour",
]);

/** Arguments chosen from a list, besides those declared so; by command and position. */
const pickedArguments: Readonly<Record<string, string>> = {
  "local integration delete 0": "local integration list",
  "local key revoke 0": "local key list",
  "local contact delete 1": "local contact list",
};

/** Asks for the arguments and options of a command. @returns undefined if there is nothing to do */
type AskForWords = (menu: Menu, keys: readonly string[]) => Promise<readonly string[] | undefined>;

/** The commands whose arguments do not follow from their declaration. */
const specialQuestions: Readonly<Record<string, AskForWords>> = {
  "group update": editGroup,
  // The command asks for the base URL, and for the key, which cannot be an argument.
  login: async ({ session, prompter }) => {
    const { profile = "default" } = session.config.settings;
    return optionWords("--profile", await prompter.ask("Name of the profile", profile));
  },
  logout: async (menu, [given]) =>
    optionWords("--profile", given ?? (await pick(menu, "profile list", [], false))),
  "local key create": async (menu, [given]) => {
    const name = given ?? (await pick(menu, "local integration list", [], true));
    return optionWords("--integration", name);
  },
  api: async ({ prompter }) => {
    const method = await prompter.select("Method", wordChoices(["GET", "POST", "PUT", "DELETE"]));
    const path = await prompter.ask("Path", "/v1/group");
    const takesBody = method === "POST" || method === "PUT";
    const body = takesBody ? await prompter.edit("Body, as JSON", "") : "";
    return wordsFor([method, path], optionalWords("--body", body));
  },
  "local run": async ({ prompter }) => [
    "--",
    "sh",
    "-c",
    await prompter.ask("Command for the shell"),
  ],
};

async function askForSenderId({ session, prompter }: Menu): Promise<string> {
  const name = await askForName(prompter, session);
  const warning = carrierWarning(name);
  if (warning !== undefined) await session.output.warn(warning);
  return name;
}

/** Asks for an argument of a command. @param keys those before it @returns "" if it is left out */
async function askForArgument(
  menu: Menu,
  name: string,
  { takes, description }: CliArgument,
  keys: readonly string[],
): Promise<string> {
  const { session, prompter } = menu;
  const isRecord = takes === "group" || takes === "sender-id" || takes === "profile";
  const picked = isRecord ? `${takes} list` : pickedArguments[`${name} ${keys.length}`];
  if (picked !== undefined) return pick(menu, picked, keys, name.startsWith("local "));
  if (name === "sender-id create") return askForSenderId(menu);
  if (["apply", "diff", "validate"].includes(name)) {
    return askForFile(prompter, session, "Manifest file", "sendctl.yaml");
  }
  const label = capitalized(description);
  if (Array.isArray(takes)) return prompter.select(label, wordChoices(takes));
  if (withOptionalArgument.has(name)) return prompter.edit(label, "");
  const isRead = takes === "file" && name !== "local backup";
  return isRead ? askForFile(prompter, session, label) : prompter.ask(label);
}

/** Asks for an option. @param current its value, if any @returns the words to add */
async function askForOption(
  { prompter }: Menu,
  option: CliOption,
  current: unknown,
): Promise<readonly string[]> {
  const { takes } = option;
  const name = option.long!;
  const label = capitalized(option.description);
  const usual = option.defaultValue === undefined ? "" : String(option.defaultValue);
  if (option.isBoolean()) {
    const question = name === "--send-birthday" ? fieldQuestion("send_birthday") : label;
    return (await askYesOrNo(prompter, question, false)) ? [name] : [];
  }
  if (Array.isArray(takes)) return [name, await prompter.select(label, wordChoices(takes))];
  if (name === "--birthday-message") {
    return optionalWords(
      name,
      await askForMessage(prompter, fieldQuestion("birthday_message"), ""),
    );
  }
  if (neededOptions.has(name)) return optionWords(name, await prompter.ask(label));
  const before = typeof current === "string" ? current : usual;
  const answer =
    usual === ""
      ? // A description with its default says what an empty answer means.
        await prompter.edit(label, before, !label.endsWith(")"))
      : await prompter.ask(label, before);
  return answer === before ? [] : optionalWords(name, answer);
}

function wordChoices(words: readonly string[]) {
  return words.map((value) => ({ value, name: value }));
}

/**
 * Asks for the arguments of a command.
 *
 * @param given its first arguments, which are not asked for
 * @param record the record that it works on, whose values can be edited
 * @returns the words after the command; undefined if there is nothing to do
 */
export async function askFor(
  menu: Menu,
  command: CliCommand,
  given: readonly string[],
  record: ShownRecord,
): Promise<readonly string[] | undefined> {
  const name = command.path.join(" ");
  const special = specialQuestions[name];
  if (special !== undefined) return special(menu, given);
  const keys = [...given];
  for (const argument of command.registeredArguments.slice(keys.length)) {
    const key = await askForArgument(menu, name, argument, keys);
    if (key === "") break;
    keys.push(key);
  }
  const options: string[] = [];
  for (const long of askedOptions[name] ?? []) {
    if (long === "--birthday-message" && !options.includes("--send-birthday")) continue;
    const option = command.options.find((declared) => declared.long === long)!;
    const current = record[option.name().replaceAll("-", "_")];
    options.push(...(await askForOption(menu, option, current)));
  }
  return wordsFor(keys, options);
}

/** Asks for the fields of a group and their values, shows the changes, and asks to send them. */
async function editGroup(
  menu: Menu,
  [given]: readonly string[],
): Promise<readonly string[] | undefined> {
  const id = given ?? (await pick(menu, "group list", [], false));
  const { service, ask, config } = menu.session;
  const reply = await service["group.fetch"]({ path: { id } });
  const group = reply.envelope!.data as ShownRecord;
  const changes = await askForChanges(menu.prompter, ask.list("sender-id.list"), group);
  const words = Object.entries(changes).flatMap(([field, value]) => fieldWords(field, value));
  const target = targetName(config.settings);
  const show = (text: string): Promise<void> => say(menu, text);
  const isConfirmed =
    words.length > 0 && (await confirmChanges(menu.prompter, show, group, changes, target));
  if (isConfirmed) return wordsFor([id], words);
  await say(menu, "Nothing changed");
  return undefined;
}
