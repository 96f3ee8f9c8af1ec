import type { Context } from "../context.ts";
import { Failure } from "../failure.ts";

/**
 * An argument or option that a command can't do without: as given, or asked for.
 *
 * @param name as help has it: `NAME`, `--purpose TEXT`
 * @param question what a person is asked
 * @throws Failure "usage" when there is nobody to ask, "cancelled" when they would rather not say
 */
export async function required(
  context: Context,
  given: string | undefined,
  name: string,
  question: string,
): Promise<string> {
  if (given !== undefined) return given;
  const prompter = context.prompter();
  if (prompter === undefined) throw new Failure("usage", `${name} is missing: give it`);
  return prompter.ask(question);
}

/**
 * The key of a record, as given or asked for, if a path can carry it.
 *
 * @throws Failure "usage" for `.`, `..` and nothing at all, which no URL can carry
 */
export async function recordKey(
  context: Context,
  given: string | undefined,
  name: string,
  question: string,
): Promise<string> {
  const key = await required(context, given, name, question);
  if (key === "" || key === "." || key === ".." || !key.isWellFormed()) {
    throw new Failure("usage", `${name} is "${key}", which no URL can carry: give another`);
  }
  return key;
}

/** @throws Failure "usage" where the text is no whole number */
export function wholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^-?[0-9]+$/.test(text) || !Number.isSafeInteger(number)) {
    throw new Failure("usage", `${name} is "${text}": it must be a whole number`);
  }
  return number;
}
