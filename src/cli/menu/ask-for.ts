import type { Argument, Command } from "commander";
import { valueKindOf } from "../program/build-command.ts";
import { editGroup } from "./edit-group.ts";
import { pickKey, pickWord } from "./pick.ts";
import { localQuestions } from "./questions/local.ts";
import { profileQuestions } from "./questions/profile.ts";
import { serviceQuestions } from "./questions/service.ts";
import type { Ask, Session } from "./session.ts";
import { lineFor, type Line } from "./words.ts";

/** Commands with specific questions, which do not follow from their arguments. */
const questions: Readonly<Record<string, Ask>> = {
  ...serviceQuestions,
  ...localQuestions,
  ...profileQuestions,
  "group update": async (session) => {
    const id = await pickKey(session, "group", false);
    return id === undefined ? undefined : editGroup(session, id);
  },
};

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
  const ask = questions[path.join(" ")];
  if (ask !== undefined) {
    const args = await ask(session);
    return args === undefined ? undefined : { path, args };
  }
  const given: string[] = [];
  for (const argument of command.registeredArguments) {
    const value = await valueOf(session, argument);
    if (value === undefined) return undefined;
    if (value === "") break;
    given.push(value);
  }
  return lineFor(path, given);
}

/** Asks for one argument. @returns undefined without a record to choose, "" for an omitted argument */
async function valueOf(session: Session, argument: Argument): Promise<string | undefined> {
  const takes = valueKindOf(argument);
  if (takes === "group" || takes === "sender-id") return pickKey(session, takes, false);
  const { description } = argument;
  const name = `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
  if (Array.isArray(takes)) return pickWord(session, name, takes as readonly string[]);
  return session.prompter.edit(`${name} (may be empty)`, "");
}
