import type { Ask, Capabilities } from "../cli/capabilities.ts";
import { SendctlError } from "../contract/error.ts";
import type { PageQuery, Reply } from "../contract/service.ts";
import { pickRecord } from "../prompts/pick-record.ts";
import { groupView, senderIdView, type RecordView } from "../output/views.ts";

/**
 * Returns an argument or option that a command requires: as given, or asked for.
 *
 * @param name as help has it: `NAME`, `--purpose TEXT`
 * @param question the name of the field, as a person is asked for it
 * @throws SendctlError "usage" when there is nobody to ask, "cancelled" when the person cancels
 */
export async function required(
  ask: Pick<Ask, "prompter">,
  given: string | undefined,
  name: string,
  question: string,
): Promise<string> {
  if (given !== undefined) return given;
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(name);
  return prompter.ask(question);
}

/**
 * Returns the error for an argument or option that nobody can be asked for.
 *
 * @param name as help has it: `NAME`, `--purpose TEXT`
 */
export function missing(name: string, hint?: string): SendctlError {
  const what = name.startsWith("-") ? "option" : "argument";
  return new SendctlError("usage", `missing required ${what} ${name}`, { hint });
}

/**
 * Returns the error for a value that an argument or option does not take.
 *
 * @param what the kind of value: `number`, `duration`
 * @param source the argument or option: `--port`
 * @param hint what to use instead
 */
export function invalidValue(
  what: string,
  value: string | undefined,
  source: string,
  hint: string,
): SendctlError {
  return new SendctlError("usage", `invalid ${what} "${value}" for ${source}`, {
    hint,
    setting: source,
  });
}

/** Returns the error for two options that cannot stand together. */
export function contradiction(one: string, other: string): SendctlError {
  return new SendctlError("usage", `${one} contradicts ${other}`, {
    hint: "pass one of them",
    setting: other,
  });
}

/** Returns the error for an argument or option that is an empty text. */
export function emptyValue(source: string, hint: string): SendctlError {
  return new SendctlError("usage", `${source} is empty`, { hint, setting: source });
}

/** Returns the error for an action that needs a confirmation when nobody can be asked. @param action a verb */
export function unconfirmed(action: string): SendctlError {
  return new SendctlError("usage", `refusing to ${action} without confirmation`, {
    hint: "pass --yes",
  });
}

/** A sender ID is known by its name; a group by its id, its uuid or its name. */
export const senderIdChoice: RecordChoice = { list: "sender-id.list", view: senderIdView };
export const groupChoice: RecordChoice = { list: "group.list", view: groupView };

/** The records that a key may belong to, for a person to choose from. */
export interface RecordChoice {
  readonly list: "sender-id.list" | "group.list";
  readonly view: RecordView;
}

/**
 * Returns the key of a record: as given, chosen by a person, or that of the group with the given name.
 *
 * @param name as help has it: `NAME`, `GROUP`
 * @throws SendctlError "usage" for `.`, `..` and nothing at all, which no URL can carry, and for a name that
 *   several groups have; "not_found" for a name that no group has
 */
export async function recordKey(
  context: Pick<Capabilities, "ask" | "config">,
  given: string | undefined,
  name: string,
  choice: RecordChoice,
): Promise<string> {
  const { list, view } = choice;
  const key = given ?? (await chosen(context.ask, name, context.ask.list(list), view));
  refuseInvalidKey(key, name);
  if (!isGroupName(key, choice)) return key;
  const { groupIdOf } = await import("./records/group-names.ts");
  return groupIdOf(key, context.ask.list(list), context.config.settings.dryRun);
}

/**
 * Returns the same for a record of the embedded engine, whatever service is chosen.
 *
 * @throws SendctlError "usage" for options that name another service, before anything is asked
 */
export async function localRecordKey(
  context: Pick<Capabilities, "ask" | "local">,
  given: string | undefined,
  name: string,
  choice: RecordChoice,
): Promise<string> {
  const { engine, key: ownKey } = context.local;
  const list = async (query: PageQuery): Promise<Reply> => {
    const opened = await engine("read");
    const { key, source } = await ownKey("read");
    return (await opened.service(key, source))[choice.list]({ query });
  };
  if (given === undefined && context.ask.prompter() !== undefined) await engine("read");
  const key = given ?? (await chosen(context.ask, name, list, choice.view));
  if (key === "" || !isGroupName(key, choice)) return key;
  const { groupIdOf } = await import("./records/group-names.ts");
  return groupIdOf(key, list, false);
}

/** @throws SendctlError "usage" for a key that no URL can carry */
export function refuseInvalidKey(key: string, name: string): void {
  if (key !== "" && key !== "." && key !== ".." && key.isWellFormed()) return;
  throw new SendctlError("usage", `no URL can carry "${key}" as ${name}`, {
    hint: "use a key other than . and .., and not empty",
  });
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns whether a key is the name of a group: neither a decimal id nor a uuid. */
export function isGroupName(key: string, { list }: RecordChoice): boolean {
  return list === "group.list" && !/^\d+$/.test(key) && !uuid.test(key);
}

/** What a command that takes several records has beside them. */
export interface SeveralOptions {
  readonly null?: boolean;
}

/** The argument that stands for the records on standard input. */
export const standardInput = "-";

/**
 * Returns whether several records were named, or those on standard input. A single record is shown by itself.
 *
 * @throws SendctlError "usage" for `-0` without `-`
 */
export function areSeveral(given: readonly string[], options: SeveralOptions): boolean {
  const areRead = given.includes(standardInput);
  if (options.null === true && !areRead) {
    throw new SendctlError("usage", "-0 applies to records on standard input", {
      hint: "pass - to read them",
      setting: "-0",
    });
  }
  return areRead || given.length > 1;
}

async function chosen(
  ask: Pick<Ask, "prompter">,
  name: string,
  list: ReturnType<Ask["list"]>,
  view: RecordView,
): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(name);
  return pickRecord(prompter, list, view);
}

/** @throws SendctlError "usage" where the text is not a whole number */
export function wholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^-?[0-9]+$/.test(text) || !Number.isSafeInteger(number)) {
    throw invalidValue("number", text, name, "use a whole number");
  }
  return number;
}

/** @throws SendctlError "usage" where the text is not a whole number of 1 or more */
export function positiveNumber(text: string | undefined, name: string): number | undefined {
  const number = wholeNumber(text, name);
  if (number !== undefined && number < 1) {
    throw invalidValue("number", text, name, "use a whole number of 1 or more");
  }
  return number;
}

/** @throws SendctlError "usage" under `--dry-run`, of a command that has nothing to show for it */
export function refuseDryRun(
  { config }: Pick<Capabilities, "config">,
  why = "this command sends no request",
): void {
  if (!config.settings.dryRun) return;
  throw new SendctlError("usage", `--dry-run is not supported here: ${why}`, {
    hint: "omit --dry-run",
    setting: "--dry-run",
  });
}
