import { existsSync } from "node:fs";
import { parseDuration } from "../core/time.ts";
import type { Prompter } from "../output/prompts/questions.ts";
import type { Session } from "./session.ts";
import type { Ask } from "./process.ts";
import { knownStatuses } from "../contract/resources.ts";
import { SendctlError } from "../core/error.ts";
import { safeText, shellWord, visibleText } from "../core/text.ts";
import { nameInScope, type Scope, type Settings } from "../config/settings.ts";
import { flag, type Values } from "./define-command.ts";

/**
 * Returns a required argument or option, prompting for it if it is missing.
 *
 * @param name as in the help: `NAME`, `--purpose TEXT`
 * @param question the label of the prompt
 * @param example a command line that has it
 * @throws SendctlError "usage" if it cannot be prompted for, "cancelled" if the user cancels
 */
export async function required(
  ask: Pick<Ask, "prompter">,
  given: string | undefined,
  name: string,
  question: string,
  example?: string,
): Promise<string> {
  if (given !== undefined) return given;
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(name, example);
  return prompter.ask(question);
}

/** Asks for a file to read until one exists. @param usual the default, if it exists */
export async function askForFile(
  prompter: Prompter,
  { input, output }: Pick<Session, "input" | "output">,
  question: string,
  usual?: string,
): Promise<string> {
  const exists = (file: string): boolean => file === standardInput || existsSync(input.path(file));
  for (;;) {
    const initial = usual !== undefined && exists(usual) ? usual : undefined;
    const file = await prompter.ask(question, initial);
    if (exists(file)) return file;
    await output.printError(`${visibleText(file)} does not exist`);
  }
}

/**
 * Returns an argument that is one of a few words, offering them if it is missing.
 *
 * @param name as in the help: `SHELL`
 * @throws SendctlError "usage" if it cannot be prompted for, "cancelled" if the user cancels
 */
export async function requiredWord(
  ask: Pick<Ask, "prompter">,
  given: string | undefined,
  name: string,
  question: string,
  words: readonly string[],
): Promise<string> {
  if (given !== undefined) return given;
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(name);
  const choices = words.map((value) => ({ value, name: value }));
  return prompter.select(question, choices);
}

/**
 * Returns the error for a missing argument or option.
 *
 * @param name as in the help: `NAME`, `--purpose TEXT`
 */
export function missing(name: string, hint?: string): SendctlError {
  const kind = name.startsWith("-") ? "option" : "argument";
  return new SendctlError("usage", `missing required ${kind} ${name}`, { hint });
}

/**
 * Returns the error for a value that an argument or option does not accept.
 *
 * @param kind the kind of value: `number`, `duration`
 * @param source the argument or option: `--port`
 * @param hint what to use instead
 */
export function invalidValue(
  kind: string,
  value: string | undefined,
  source: string,
  hint: string,
): SendctlError {
  return new SendctlError("usage", `invalid ${kind} "${value}" for ${source}`, { hint });
}

/** Returns the error for two options that cannot be combined. */
export function contradiction(option: string, contradicted: string): SendctlError {
  return new SendctlError("usage", `${option} conflicts with ${contradicted}`, {
    hint: "pass one of them",
  });
}

/** Returns a warning for a status that a service is not known to use; undefined for the others. */
export function unknownStatus(status: string): string | undefined {
  if (knownStatuses.includes(status.toUpperCase())) return undefined;
  return `unknown status "${safeText(status)}" (known: ${knownStatuses.join(", ")})`;
}

/** Returns the error for an argument or option with an empty value. */
export function emptyValue(source: string, hint: string): SendctlError {
  return new SendctlError("usage", `${source} is empty`, { hint });
}

/** Returns the error for an action that cannot be confirmed at a prompt. @param action a verb */
export function unconfirmed(action: string): SendctlError {
  return new SendctlError("usage", `refusing to ${action} without confirmation`, {
    hint: "pass --yes",
  });
}

/** Returns whether `--confirm` names the protected profile; that confirms all that `--yes` does. */
export function isConfirmedByName(
  { confirm: name, protection }: Settings,
  scope: Scope = "service",
): boolean {
  return name !== undefined && name === protection[scope]?.profile;
}

/**
 * Returns whether a delete must be confirmed at the terminal. One from a protected target needs the
 * name of its profile, typed or in `--confirm`; `--yes` alone does not do.
 *
 * @param action a verb, for the error
 * @throws SendctlError "usage" if it is not confirmed and prompting is not possible
 */
export function mustConfirm(
  { ask, config: { settings } }: Pick<Session, "ask" | "config">,
  isConfirmed: boolean,
  action: string,
  scope: Scope = "service",
): boolean {
  const protection = settings.protection[scope];
  if (protection === undefined) {
    if (!isConfirmed && ask.prompter() === undefined) throw unconfirmed(action);
    return !isConfirmed;
  }
  const { profile } = protection;
  if (isConfirmedByName(settings, scope)) return false;
  if (settings.confirm === undefined && !isConfirmed && ask.prompter() !== undefined) return true;
  const problem =
    settings.confirm === undefined
      ? `refusing to ${action}: profile ${profile} is protected`
      : `--confirm ${settings.confirm} is not the protected profile`;
  throw new SendctlError("usage", problem, {
    hint: `pass --confirm ${shellWord(profile)} if you mean ${nameInScope(settings, scope)}`,
  });
}

/**
 * Asks for confirmation of an action, on a protected target by the name of its profile.
 *
 * @param action a verb, for the error @param otherwise what was not done
 * @param scope what it deletes from; undefined if it deletes nothing
 * @throws SendctlError "usage" if prompting is not possible, "cancelled" if the user declines
 */
export async function confirm(
  { ask, config }: Pick<Session, "ask" | "config">,
  action: string,
  question: string,
  otherwise: string,
  scope?: Scope,
): Promise<void> {
  const prompter = ask.prompter();
  if (prompter === undefined) throw unconfirmed(action);
  const protection = scope && config.settings.protection[scope];
  const isConfirmed =
    protection === undefined
      ? await prompter.confirm(safeText(question))
      : (
          await prompter.ask(safeText(`${question} Type ${protection.profile} to confirm`))
        ).trim() === protection.profile;
  if (!isConfirmed) throw new SendctlError("cancelled", otherwise);
}

/** Options of every delete. */
export const deleteOptions = {
  yes: flag("-y, --yes", "delete without confirmation"),
};

/** Options of every command that reads records from standard input. */
export const severalOptions = {
  null: flag("-0, --null", "records on standard input end with NUL instead of a newline"),
};

export type SeveralOptions = Partial<Values<typeof severalOptions>>;

/** Options of the deletes of sender IDs and groups. */
export const deleteSeveralOptions = { ...deleteOptions, ...severalOptions };

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
  { config }: Pick<Session, "config">,
  why = "this command sends no request",
): void {
  if (!config.settings.dryRun) return;
  throw new SendctlError("usage", `--dry-run is not supported here: ${why}`, {
    hint: "omit --dry-run",
  });
}
