import type { Argument, Option } from "commander";
import { askForMessage, askForName, carrierWarning } from "../../commands/sms.ts";
import { askForFile } from "../../command/arguments.ts";
import { optionWords, targetName } from "../../config/target.ts";
import { type ShownRecord } from "../../contract/service.ts";
import { capitalized } from "../../core/text.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";
import { valueKindOf } from "../program/build-command.ts";
import { listings } from "./listings.ts";
import { type Choice, type Line, type MenuSession, lineFor, optionalWords } from "./session.ts";
import {
  askForChanges,
  askYesOrNo,
  confirmChanges,
  fieldQuestion,
} from "../../commands/group/update/ask-for-changes.ts";
import { fieldWords } from "../../commands/group/fields.ts";

/** The options that the menu asks for, by command. All arguments of these commands are asked for, and needed. */
const askedOptions: Readonly<Record<string, readonly string[]>> = {
  "sender-id create": ["--purpose"],
  "sender-id wait": ["--for"],
  "group create": ["--send-birthday", "--birthday-message"],
  "group preview": ["--first-name"],
  "group rename": [],
  apply: ["--prune"],
  diff: ["--prune"],
  validate: [],
  serve: ["--port"],
  "profile rename": [],
  "local integration create": [],
  "local integration delete": [],
  "local key revoke": [],
  "local backup": [],
  "local restore": [],
  "local copy": ["--to"],
  "local contact import": ["--country"],
  "local contact add": ["--first-name", "--birth-date"],
  "local contact delete": [],
  "local birthdays": ["--on", "--days"],
  "local review": ["--status"],
  "local seed": ["--sender-ids", "--groups", "--contacts"],
};

/** Options that cannot be left out. */
const neededOptions: ReadonlySet<string> = new Set(["--purpose", "--to"]);

/** Arguments that are chosen from a list, besides those whose declaration says so; by command and position. */
const pickedArguments: Readonly<Record<string, string>> = {
  "local integration delete 0": "local integration list",
  "local key revoke 0": "local key list",
  "local contact delete 1": "local contact list",
};

/** The commands whose arguments do not follow from their declaration. @returns undefined if there is nothing to do */
const lineQuestions: Readonly<
  Record<
    string,
    (session: MenuSession, keys: readonly string[]) => Promise<readonly string[] | undefined>
  >
> = {
  "group update": async (session, [given]) => {
    const id = given ?? (await pick(session, "group list", [], false));
    const options = await editGroup(session, id);
    return options && lineFor([], [id], options).args;
  },
  // The command asks for the base URL, and for the key, which cannot be an argument.
  login: async ({ context, prompter }) => {
    const { profile = "default" } = context().config.settings;
    return optionWords("--profile", await prompter.ask("Name of the profile", profile));
  },
  logout: async (session, [given]) =>
    optionWords("--profile", given ?? (await pick(session, "profile list", [], false))),
  "local key create": async (session, [given]) => {
    const name = given ?? (await pick(session, "local integration list", [], true));
    return optionWords("--integration", name);
  },
  api: async ({ prompter }) => {
    const method = await prompter.select("Method", wordChoices(["GET", "POST", "PUT", "DELETE"]));
    const path = await prompter.ask("Path", "/v1/group");
    const takesBody = method === "POST" || method === "PUT";
    const body = takesBody ? await prompter.edit("Body, as JSON", "") : "";
    return lineFor([], [method, path], optionalWords("--body", body)).args;
  },
  "local run": async ({ prompter }) => [
    "--",
    "sh",
    "-c",
    await prompter.ask("Command for the shell"),
  ],
};

/**
 * Asks for a record.
 *
 * @param name the command that lists it
 * @param args the arguments of that command
 * @param isLocal true for a command that always works on the embedded engine
 * @returns its key
 */
async function pick(
  { context, prompter }: MenuSession,
  name: string,
  args: readonly string[],
  isLocal: boolean,
): Promise<string> {
  const { view, list } = listings[name]!;
  return pickRecord(prompter, list(context(), args, isLocal), view);
}

/** Asks for the name of a new sender ID, and again if it may be refused. */
async function askForSenderId({ context, prompter }: MenuSession): Promise<string> {
  for (;;) {
    const name = await askForName(prompter, context());
    if (carrierWarning(name) === undefined) return name;
    const about = "they accept up to 11 letters, digits and spaces, without accents";
    const choices = [
      { value: "again", name: "Enter another name" },
      { value: "keep", name: "Use this name" },
    ];
    const wanted = await prompter.select(`Carriers may refuse “${name}”: ${about}`, choices);
    if (wanted === "keep") return name;
  }
}

/** Asks for an argument. @returns "" if it is left out */
async function askForArgument(
  session: MenuSession,
  name: string,
  argument: Argument,
  keys: readonly string[],
): Promise<string> {
  const { context, prompter } = session;
  const takes = valueKindOf(argument);
  const isRecord = takes === "group" || takes === "sender-id" || takes === "profile";
  const picked = isRecord ? `${takes} list` : pickedArguments[`${name} ${keys.length}`];
  if (picked !== undefined) return pick(session, picked, keys, name.startsWith("local "));
  if (name === "sender-id create") return askForSenderId(session);
  if (["apply", "diff", "validate"].includes(name)) {
    return askForFile(prompter, context(), "Manifest file", "sendctl.yaml");
  }
  const label = capitalized(argument.description);
  if (Array.isArray(takes)) return prompter.select(label, wordChoices(takes));
  const isNeeded = askedOptions[name] !== undefined;
  const isRead = takes === "file" && isNeeded && name !== "local backup";
  if (isRead) return askForFile(prompter, context(), label);
  return isNeeded ? prompter.ask(label) : prompter.edit(label, "");
}

/** Asks for an option. @param current its value, if the command changes a record @returns the words to add */
async function askForOption(
  { prompter }: MenuSession,
  option: Option,
  current: unknown,
): Promise<readonly string[]> {
  const takes = valueKindOf(option);
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

/** Asks for the arguments of a command. @returns the line that runs it; undefined if there is nothing to do */
export async function askFor(session: MenuSession, choice: Choice): Promise<Line | undefined> {
  const { command, path, record } = choice;
  const name = path.join(" ");
  const askForLine = lineQuestions[name];
  if (askForLine !== undefined) {
    const args = await askForLine(session, choice.keys);
    return args && { path, args };
  }
  const keys = [...choice.keys];
  for (const argument of command.registeredArguments.slice(keys.length)) {
    const key = await askForArgument(session, name, argument, keys);
    if (key === "") break;
    keys.push(key);
  }
  const options: string[] = [];
  for (const long of askedOptions[name] ?? []) {
    if (long === "--birthday-message" && !options.includes("--send-birthday")) continue;
    const option = command.options.find((declared) => declared.long === long)!;
    const current = record[option.name().replaceAll("-", "_")];
    options.push(...(await askForOption(session, option, current)));
  }
  return lineFor(path, keys, options);
}

/**
 * Asks which fields of a group to change, and for their values, then shows the changes and asks whether to send them.
 *
 * @returns the options of `group update`; undefined if nothing changes
 */
async function editGroup(
  { context, prompter, say }: MenuSession,
  id: string,
): Promise<readonly string[] | undefined> {
  const { service, ask, config } = context();
  const reply = await service["group.fetch"]({ path: { id } });
  const group = reply.envelope!.data as ShownRecord;
  const changes = await askForChanges(prompter, ask.list("sender-id.list"), group);
  const words = Object.entries(changes).flatMap(([field, value]) => fieldWords(field, value));
  const target = targetName(config.settings);
  if (words.length > 0 && (await confirmChanges(prompter, say, group, changes, target)))
    return words;
  await say("Nothing changed");
  return undefined;
}
