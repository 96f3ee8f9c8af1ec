import type { List } from "../service/read-list.ts";
import { parseDuration } from "../core/time.ts";
import type { Ask, Capabilities } from "./capabilities.ts";
import { SendctlError } from "../core/error.ts";
import { pickRecord } from "../output/prompts/pick-record.ts";
import { safeText } from "../core/safe-text.ts";
import { groupView, senderIdView, type RecordView } from "../output/views.ts";
import type { FoundKey } from "./records/group-names.ts";

/**
 * Returns a required argument or option, prompting for it if it is missing.
 *
 * @param name as in the help: `NAME`, `--purpose TEXT`
 * @param question the label of the prompt
 * @throws SendctlError "usage" if it is missing and prompting is not possible, "cancelled" if the user cancels
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
 * Returns the error for a missing argument or option.
 *
 * @param name as in the help: `NAME`, `--purpose TEXT`
 */
export function missing(name: string, hint?: string): SendctlError {
  const what = name.startsWith("-") ? "option" : "argument";
  return new SendctlError("usage", `missing required ${what} ${name}`, { hint });
}

/**
 * Returns the error for a value that an argument or option does not accept.
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
  return new SendctlError("usage", `invalid ${what} "${value}" for ${source}`, { hint });
}

/** Returns the error for two options that cannot be combined. */
export function contradiction(one: string, other: string): SendctlError {
  return new SendctlError("usage", `${one} contradicts ${other}`, { hint: "pass one of them" });
}

/** Returns the error for an argument or option with an empty value. */
export function emptyValue(source: string, hint: string): SendctlError {
  return new SendctlError("usage", `${source} is empty`, { hint });
}

/** Returns the error for an action that requires confirmation if prompting is not possible. @param action a verb */
export function unconfirmed(action: string): SendctlError {
  return new SendctlError("usage", `refusing to ${action} without confirmation`, {
    hint: "pass --yes",
  });
}

/**
 * Asks for confirmation of an action.
 *
 * @param action a verb, for the error @param otherwise what was not done
 * @throws SendctlError "usage" if prompting is not possible, "cancelled" if the user declines
 */
export async function confirm(
  { ask, output }: Pick<Capabilities, "ask" | "output">,
  action: string,
  question: string,
  otherwise: string,
): Promise<void> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw unconfirmed(action);
  if (!(await prompter.confirm(safeText(question)))) await output.declined(otherwise);
}

/** Sender IDs are identified by name; groups by id, uuid or name. */
export const senderIdChoice: RecordChoice = { list: "sender-id.list", view: senderIdView };
export const groupChoice: RecordChoice = { list: "group.list", view: groupView };

/** The list that a record is chosen from, and how to show it. */
export interface RecordChoice {
  readonly list: "sender-id.list" | "group.list";
  readonly view: RecordView;
}

/**
 * Returns the key of a record: the given key, the user's choice, or the id of the group with the given name.
 *
 * @param name as in the help: `NAME`, `GROUP`
 * @throws SendctlError "usage" for `.`, `..` and an empty key, which cannot be part of a URL, and for a name
 *   shared by several groups; "not_found" for an unknown group name
 */
export async function recordKey(
  context: Pick<Capabilities, "ask" | "config">,
  given: string | undefined,
  name: string,
  choice: RecordChoice,
): Promise<FoundKey> {
  const { list, view } = choice;
  const key = given ?? (await chosen(context.ask, name, context.ask.list(list), view));
  refuseInvalidKey(key, name);
  if (!isGroupName(key, choice)) return { key };
  const { groupNamed } = await import("./records/group-names.ts");
  return groupNamed(key, context.ask.list(list), context.config.settings.dryRun);
}

/**
 * Returns the key of a record of the embedded engine, even if another service is configured.
 *
 * @throws SendctlError "usage" for options that name another service, before prompting
 */
export async function localRecordKey(
  context: Pick<Capabilities, "ask" | "local">,
  given: string | undefined,
  name: string,
  choice: RecordChoice,
): Promise<string> {
  const list: List = async (query) => (await context.local.service("read"))[choice.list]({ query });
  if (given === undefined && context.ask.prompter() !== undefined)
    await context.local.engine("read");
  const key = given ?? (await chosen(context.ask, name, list, choice.view));
  if (key === "" || !isGroupName(key, choice)) return key;
  const { groupNamed } = await import("./records/group-names.ts");
  return (await groupNamed(key, list, false)).key;
}

/** Rejects a key that cannot be part of a URL. @throws SendctlError "usage" */
export function refuseInvalidKey(key: string, name: string): void {
  if (key !== "" && key !== "." && key !== ".." && key.isWellFormed()) return;
  throw new SendctlError("usage", `invalid ${name} "${key}"`, {
    hint: "it is part of a URL, so it cannot be empty, . or ..",
  });
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns whether a key is the name of a group: neither a decimal id nor a uuid. */
export function isGroupName(key: string, { list }: RecordChoice): boolean {
  return list === "group.list" && !/^\d+$/.test(key) && !uuid.test(key);
}

/** Options of commands that accept several records. */
export interface SeveralOptions {
  readonly null?: boolean;
}

/** The argument that reads records from standard input. */
export const standardInput = "-";

/**
 * Returns whether records are named on standard input.
 *
 * @throws SendctlError "usage" for `-0` without `-`
 */
export function readsInput(given: readonly string[], options: SeveralOptions): boolean {
  if (given.includes(standardInput)) return true;
  if (options.null !== true) return false;
  throw new SendctlError("usage", "-0 requires records from standard input", {
    hint: "add the argument - to read them",
  });
}

/**
 * Returns whether the result is a list: several records, or any number from standard input.
 *
 * @throws SendctlError "usage" for `-0` without `-`
 */
export function areSeveral(given: readonly string[], options: SeveralOptions): boolean {
  return readsInput(given, options) || given.length > 1;
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

/** Parses a whole number within bounds, if given. @throws SendctlError "usage" */
export function wholeNumber(
  text: string | undefined,
  name: string,
  min = -Infinity,
  max = Infinity,
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  const isWhole = /^-?[0-9]+$/.test(text) && Number.isSafeInteger(number);
  if (isWhole && number >= min && number <= max) return number;
  const bounds = max < Infinity ? ` from ${min} to ${max}` : ` of ${min} or more`;
  const hint = `use a whole number${min === -Infinity ? "" : bounds}`;
  throw invalidValue("number", text, name, hint);
}

/**
 * Parses a duration in milliseconds, if given.
 *
 * @param min 0 if the duration may be zero
 * @throws SendctlError "usage"
 */
export function durationOf(
  text: string | undefined,
  name: string,
  min: 0 | 1 = 1,
): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = min === 0 && /^0(?:ms|s|m|h)$/.test(text) ? 0 : parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  const examples = `${min === 0 ? "0s, " : ""}500ms, 30s, 10m or 2h`;
  throw invalidValue("duration", text, name, `use a duration such as ${examples}`);
}

/** Rejects `--dry-run` for a command without a request to show. @throws SendctlError "usage" */
export function refuseDryRun(
  { config }: Pick<Capabilities, "config">,
  why = "this command sends no request",
): void {
  if (!config.settings.dryRun) return;
  throw new SendctlError("usage", `--dry-run is not supported here: ${why}`, {
    hint: "omit --dry-run",
  });
}
