import { safeText } from "../../core/text.ts";
import type { CliCommand, Runner } from "../program/build-command.ts";
import { commandsOf, inSession, valuesOf, withoutService } from "./candidates.ts";
import {
  continuationsOf,
  readBashLine,
  type Candidate,
  positionIn,
  type Position,
} from "./line.ts";

/** A request for completion: the words, or for bash its line and its word breaks. */
export interface Question {
  readonly words: readonly string[];
  readonly line?: string;
  readonly breaks?: string;
}

/**
 * Prints the candidates for the word at the cursor, one per line: the word, a tab, and a
 * description. Prints nothing on an error, so that it does not disturb the command line.
 */
export async function complete(
  program: CliCommand,
  run: Runner,
  question: Question,
): Promise<void> {
  try {
    const text = await candidateLines(program, run, question);
    if (text !== "") await inSession(run, withoutService, ({ output }) => output.raw(text));
  } catch {
    // Nothing is printed if there are no candidates, or the shell has closed the pipe.
  }
}

async function candidateLines(
  program: CliCommand,
  run: Runner,
  { words, line, breaks = "" }: Question,
): Promise<string> {
  const bash = line === undefined ? undefined : readBashLine(line, breaks);
  const position = await positionIn(program, bash?.words ?? words);
  if (position === undefined) return "";
  const found = await candidatesAt(run, position);
  // A line that makes the shell complete file names.
  if (found === "file") return "\tfiles\n";
  // A leading dash makes a value an option, unless `--` precedes it.
  const takesDash =
    position.option !== undefined || position.onlyOperands || position.typed.startsWith("-");
  // A value that must be escaped for the terminal cannot be inserted either.
  const usable = found
    .filter(({ value }) => value !== "" && value === safeText(value))
    .filter(({ value }) => takesDash || !value.startsWith("-"))
    .map(({ value, about }) => ({ value: `${position.prefix}${value}`, about }));
  const shown = bash === undefined ? usable : continuationsOf(bash, usable);
  return shown.map(({ value, about }) => `${value}\t${about}\n`).join("");
}

async function candidatesAt(
  run: Runner,
  position: Position,
): Promise<"file" | readonly Candidate[]> {
  const { command, operands, option, onlyOperands, typed, given } = position;
  if (option !== undefined) return valuesOf(option, run, position);
  if (typed.startsWith("-") && !onlyOperands) {
    const options = command.shownOptions().filter((other) => !given.has(other.attributeName()));
    return options.map(({ long, description }) => ({ value: long ?? "", about: description }));
  }
  if (command.commands.length > 0) return commandsOf(command);
  const { registeredArguments: all } = command;
  const last = all.at(-1);
  const argument = all[operands.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? [] : valuesOf(argument, run, position);
}
