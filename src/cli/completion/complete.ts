import type { Argument } from "commander";
import { safeText } from "../../core/text.ts";
import { continuationsOf, readBashLine, type Candidate } from "./bash-line.ts";
import { commandsOf, inContext, valuesOf, type Tree } from "./candidates.ts";
import { positionIn, type Position } from "./position.ts";

/** A request for completion: the words, or for bash its line and the characters after which it replaces words. */
export interface Question {
  readonly words: readonly string[];
  readonly line?: string;
  readonly breaks?: string;
}

/** A line that makes the shell complete file names. */
const filesLine = "\tfiles\n";

/**
 * Prints the candidates for the word at the cursor, one per line: the word, a tab, and a description. Prints nothing on
 * an error, so that it does not disturb the command line.
 */
export async function complete(tree: Tree, question: Question): Promise<void> {
  try {
    const text = await candidateLines(tree, question);
    if (text !== "") await inContext(tree, undefined, ({ output }) => output.raw(text));
  } catch {
    // Nothing is printed if there are no candidates, or the shell has closed the pipe.
  }
}

async function candidateLines(tree: Tree, question: Question): Promise<string> {
  const { words, line, breaks = "" } = question;
  const bash = line === undefined ? undefined : readBashLine(line, breaks);
  const position = await positionIn(tree.program, bash?.words ?? words, tree.declare);
  if (bash?.isRedirected === true) return filesLine;
  if (position === undefined) return "";
  const found = await candidatesAt(tree, position);
  if (found === "file") return filesLine;
  // A value that must be escaped for the terminal cannot be inserted either.
  const usable = found
    .filter(
      ({ value }) => value !== "" && value === safeText(value) && isInsertable(value, position),
    )
    .map(({ value, about }) => ({ value: `${position.prefix}${value}`, about }));
  const shown = bash === undefined ? usable : continuationsOf(bash, usable);
  return shown.map(({ value, about }) => `${value}\t${about}\n`).join("");
}

/** Returns whether a value can be inserted: a leading dash makes it an option, unless `--` precedes it. */
function isInsertable(value: string, { option, onlyOperands, typed }: Position): boolean {
  return option !== undefined || onlyOperands || typed.startsWith("-") || !value.startsWith("-");
}

async function candidatesAt(
  tree: Tree,
  position: Position,
): Promise<"file" | readonly Candidate[]> {
  const { command, operands, option, onlyOperands, typed } = position;
  if (option !== undefined) return valuesOf(option, tree, position);
  if (typed.startsWith("-") && !onlyOperands) return optionsOf(position);
  if (command.commands.length > 0) return commandsOf(command);
  const argument = argumentAt(command.registeredArguments, operands.length);
  if (argument === undefined) return [];
  return valuesOf(argument, tree, position);
}

function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

/** Returns the long names of the options that are not given yet. */
function optionsOf({ command, given }: Position): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option.attributeName()))
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description }));
}
