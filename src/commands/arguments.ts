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
  if (prompter === undefined) throw new SendctlError("usage", `${name} is missing: give it`);
  return prompter.ask(question);
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
    throw new SendctlError("usage", `${name} is "${key}", which no URL can carry: give another`);
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
  if (prompter === undefined) throw new SendctlError("usage", `${name} is missing: give it`);
  return pickRecord(prompter, list, view);
}

/** @throws SendctlError "usage" where the text is not a whole number */
export function wholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^-?[0-9]+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new SendctlError("usage", `${name} is "${text}": it must be a whole number`);
  }
  return number;
}

/** @throws SendctlError "usage" under `--dry-run`, of what sends nothing */
export function refuseDryRun({ config }: Pick<Capabilities, "config">): void {
  if (!config.settings.dryRun) return;
  throw new SendctlError("usage", "This makes no request that could be shown: leave --dry-run out");
}
