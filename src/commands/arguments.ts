import type { Ask, Capabilities } from "../cli/capabilities.ts";
import { SendctlError } from "../contract/error.ts";
import { pickRecord } from "../prompts/pick-record.ts";
import { groupView, senderIdView, type RecordView } from "../output/views.ts";

/**
 * An argument or option that a command can't do without: as given, or asked for.
 *
 * @param name as help has it: `NAME`, `--purpose TEXT`
 * @param question what a person is asked
 * @throws SendctlError "usage" when there is nobody to ask, "cancelled" when they would rather not say
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

/** A sender ID, by its name; a group, by its id. */
export const someSenderId: Choosing = { list: "sender-id.list", view: senderIdView };
export const someGroup: Choosing = { list: "group.list", view: groupView };

/** The records that a key may be of, for a person to choose from. */
export interface Choosing {
  readonly list: "sender-id.list" | "group.list";
  readonly view: RecordView;
}

/**
 * The key of a record, as given or chosen from those there are, if a path can carry it.
 *
 * @throws SendctlError "usage" for `.`, `..` and nothing at all, which no URL can carry
 */
export async function recordKey(
  ask: Ask,
  given: string | undefined,
  name: string,
  { list, view }: Choosing,
): Promise<string> {
  const key = given ?? (await chosen(ask, name, ask.list(list), view));
  if (key === "" || key === "." || key === ".." || !key.isWellFormed()) {
    throw new SendctlError("usage", `no URL can carry "${key}" as ${name}`, {
      hint: "use a key other than . and .., and not empty",
    });
  }
  return key;
}

/**
 * The same of a record of the embedded engine, which no path has to carry.
 *
 * @throws SendctlError "usage" for options that say where or what else, before anything is asked
 */
export async function localRecordKey(
  context: Capabilities,
  given: string | undefined,
  name: string,
  { list, view }: Choosing,
): Promise<string> {
  if (given !== undefined) return given;
  if (context.ask.prompter() !== undefined) await context.local.engine("read");
  return chosen(context.ask, name, context.ask.list(list), view);
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
