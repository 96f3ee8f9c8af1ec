import type { Argument, Command, Option } from "commander";
import { askForMessage } from "../../commands/group/ask-for-message.ts";
import { contactView } from "../../commands/local/contact/views.ts";
import { carrierWarning } from "../../commands/sender-id/carrier-form.ts";
import { checkProfileName } from "../../config/profiles.ts";
import { SendctlError } from "../../contract/error.ts";
import { valueKindOf } from "../program/build-command.ts";
import { editGroup } from "./edit-group.ts";
import {
  pickFrom,
  pickIntegration,
  pickKey,
  pickProfile,
  pickSecretKey,
  pickWord,
} from "./pick.ts";
import type { Session } from "./session.ts";
import { lineFor, optionalWords, optionWords, type Line } from "./words.ts";

/** The options that the menu asks for, by command. All arguments of these commands are asked for, and needed. */
const askedOptions: Readonly<Record<string, readonly string[]>> = {
  "sender-id create": ["--purpose"],
  "sender-id wait": ["--for"],
  "group create": ["--send-birthday", "--birthday-message"],
  "group preview": ["--first-name"],
  apply: ["--prune"],
  diff: ["--prune"],
  serve: ["--port"],
  "profile rename": [],
  "local integration create": [],
  "local integration delete": [],
  "local key create": ["--integration"],
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

/** Asks for an argument. @param keys the answers so far @returns undefined if there is nothing to choose */
type AskArgument = (session: Session, keys: readonly string[]) => Promise<string | undefined>;

/** The questions for arguments that do not follow from their declaration, by command and position. */
const argumentQuestions: Readonly<Record<string, AskArgument>> = {
  "sender-id create 0": askForSenderId,
  "apply 0": askForManifest,
  "diff 0": askForManifest,
  "profile rename 1": (session) =>
    askUntilValid(session, "New name of the profile", undefined, checkProfileName),
  "local integration delete 0": pickIntegration,
  "local key revoke 0": pickSecretKey,
  "local contact delete 1": async (session, [id]) => {
    const contacts = await session.context().local.contacts("read");
    return pickFrom(session, (query) => contacts.list(id!, query), contactView);
  },
};

/** Asks for the value of an option. @returns the words to add */
type AskOption = (session: Session) => Promise<readonly string[]>;

/** The questions for options that do not follow from their declaration. */
const optionQuestions: Readonly<Record<string, AskOption>> = {
  "group create --birthday-message": async ({ prompter }) =>
    optionalWords("--birthday-message", await askForMessage(prompter, "Birthday message", "")),
  "local key create --integration": async (session) => {
    const name = await pickIntegration(session);
    return name === "default" ? [] : optionWords("--integration", name);
  },
};

/** The commands whose arguments are asked for together. */
const lineQuestions: Readonly<
  Record<string, (session: Session) => Promise<readonly string[] | undefined>>
> = {
  "group update": async (session) => {
    const id = await pickKey(session, "group", false);
    const options = id === undefined ? undefined : await editGroup(session, id);
    return options && lineFor([], [id!], options).args;
  },
  // The command asks for the key, which cannot be an argument.
  login: askForLogin,
  logout: async (session) => {
    const name = await pickProfile(session);
    return name === undefined ? undefined : optionWords("--profile", name);
  },
  api: async (session) => {
    const { prompter } = session;
    const method = await pickWord(session, "Method", ["GET", "POST", "PUT", "DELETE"]);
    const path = await prompter.askWithDefault("Path", "/v1/group");
    const takesBody = method === "POST" || method === "PUT";
    const body = takesBody ? await prompter.edit("Body, as JSON (may be empty)", "") : "";
    return lineFor([], [method, path], optionalWords("--body", body)).args;
  },
  "local run": async ({ prompter }) => [
    "--",
    "sh",
    "-c",
    await prompter.ask("Command for the shell"),
  ],
};

function askForManifest({ prompter }: Session): Promise<string> {
  return prompter.askWithDefault("Manifest file", "sendctl.yaml");
}

/** Asks for the name of a new sender ID, and again if carriers may refuse it. */
async function askForSenderId({ prompter }: Session): Promise<string> {
  for (;;) {
    const name = await prompter.ask("Name of the sender ID");
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

/** Asks until the text is valid. @param check throws SendctlError "usage" */
async function askUntilValid(
  { complain, prompter }: Session,
  question: string,
  initial: string | undefined,
  check: (text: string) => void,
): Promise<string> {
  for (;;) {
    const answer = (
      await (initial === undefined
        ? prompter.ask(question)
        : prompter.askWithDefault(question, initial))
    ).trim();
    try {
      check(answer);
      return answer;
    } catch (error) {
      if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
      const hint = error.hint === undefined ? "" : `; ${error.hint}`;
      await complain(`${error.message}${hint}`);
    }
  }
}

async function askForLogin(session: Session): Promise<readonly string[]> {
  const { config } = session.context();
  const { profile = "default", insecureHttp } = config.settings;
  const name = await askUntilValid(session, "Name of the profile", profile, (text) => {
    if (!config.read().profiles.has(text)) checkProfileName(text);
  });
  const { readBaseUrl } = await import("../../remote/http/base-url.ts");
  const stored = config.read().profiles.get(name)?.baseUrl;
  const baseUrl = await askUntilValid(session, "Base URL of the service", stored, (text) => {
    readBaseUrl(text, insecureHttp);
  });
  return [...optionWords("--profile", name), ...optionWords("--base-url", baseUrl)];
}

/**
 * Asks for the first name and birth date of a contact.
 *
 * @param now the contact, if it exists
 * @returns the options for changed values
 */
export async function askForContact(
  { prompter }: Session,
  now: Readonly<Record<string, unknown>> = {},
): Promise<readonly string[]> {
  const changed = async (
    label: string,
    name: string,
    field: string,
  ): Promise<readonly string[]> => {
    const before = typeof now[field] === "string" ? now[field] : "";
    const answer = await prompter.edit(`${label} (may be empty)`, before);
    return answer === before ? [] : optionalWords(name, answer);
  };
  return [
    ...(await changed("First name", "--first-name", "first_name")),
    ...(await changed("Birth date, like 1990-02-28", "--birth-date", "birth_date")),
  ];
}

/** Asks for an argument as its command declares it. @returns "" if it is left out */
function askForArgument(
  session: Session,
  argument: Argument,
  { isLocal, isNeeded }: { readonly isLocal: boolean; readonly isNeeded: boolean },
): Promise<string | undefined> {
  const takes = valueKindOf(argument);
  if (takes === "group" || takes === "sender-id") return pickKey(session, takes, isLocal);
  if (takes === "profile") return pickProfile(session);
  const label = labelOf(argument);
  if (Array.isArray(takes)) return pickWord(session, label, takes as readonly string[]);
  const { ask, edit } = session.prompter;
  return isNeeded ? ask(label) : edit(`${label} (may be empty)`, "");
}

/** Asks for an option as its command declares it. */
async function askForOption(session: Session, option: Option): Promise<readonly string[]> {
  const takes = valueKindOf(option);
  const name = option.long!;
  const label = labelOf(option);
  const usual = option.defaultValue === undefined ? "" : String(option.defaultValue);
  if (option.isBoolean()) {
    return (await pickWord(session, label, ["no", "yes"])) === "yes" ? [name] : [];
  }
  if (Array.isArray(takes)) {
    return [name, await pickWord(session, label, takes as readonly string[])];
  }
  const { ask, askWithDefault, edit } = session.prompter;
  if (neededOptions.has(name)) return optionWords(name, await ask(label));
  if (usual === "") return optionalWords(name, await edit(`${label} (may be empty)`, ""));
  const wanted = await askWithDefault(label, usual);
  return wanted === usual ? [] : optionWords(name, wanted);
}

function labelOf({ description }: Argument | Option): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
}

/**
 * Asks for the arguments of a command.
 *
 * @param path the words of the command after `sendctl`
 * @returns the line that runs it; undefined if there is nothing to do
 */
export async function askFor(
  session: Session,
  command: Command,
  path: readonly string[],
): Promise<Line | undefined> {
  const name = path.join(" ");
  const askForLine = lineQuestions[name];
  if (askForLine !== undefined) {
    const args = await askForLine(session);
    return args && { path, args };
  }
  const asked = askedOptions[name];
  const declared = { isLocal: path[0] === "local", isNeeded: asked !== undefined };
  const keys: string[] = [];
  for (const [index, argument] of command.registeredArguments.entries()) {
    const own = argumentQuestions[`${name} ${index}`];
    const key = await (own?.(session, keys) ?? askForArgument(session, argument, declared));
    if (key === undefined) return undefined;
    if (key === "") break;
    keys.push(key);
  }
  const options: string[] = [];
  for (const long of asked ?? []) {
    const own = optionQuestions[`${name} ${long}`];
    const option = command.options.find((one) => one.long === long)!;
    options.push(...(await (own?.(session) ?? askForOption(session, option))));
  }
  return lineFor(path, keys, options);
}
