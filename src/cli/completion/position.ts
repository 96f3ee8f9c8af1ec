import type { Command, Option } from "commander";
import { commandNamed } from "../program/build-command.ts";

/** The position of the cursor in the tree of commands. */
export interface Position {
  /** The command before the cursor. */
  readonly command: Command;
  /** Its words, after `sendctl`. */
  readonly path: readonly string[];
  /** The arguments before the cursor. */
  readonly operands: readonly string[];
  /** The options before the cursor, with their values; true for a flag. */
  readonly given: ReadonlyMap<string, string | true>;
  /** Whether `--` precedes the cursor, so that no option can follow. */
  readonly onlyOperands: boolean;
  /** The option whose value is being typed. */
  readonly option: Option | undefined;
  /** The text before the value in the same word, like `--output=`. */
  readonly prefix: string;
  /** The typed part of the current word. */
  readonly typed: string;
}

/** An option in a word. */
interface Named {
  readonly option: Option;
  /** The value, if it is in the same word. */
  readonly value: string | undefined;
}

/**
 * Follows the words of a command line through the tree like commander, but ignores unknown options.
 *
 * @param words the words after `sendctl`, up to the one that is being typed
 * @param declare declares the subcommands and options of a command
 * @returns undefined if the words contain an unknown command
 */
export async function positionIn(
  program: Command,
  words: readonly string[],
  declare: (command: Command) => Promise<void>,
): Promise<Position | undefined> {
  const given = new Map<string, string | true>();
  const operands: string[] = [];
  const path: string[] = [];
  let command = program;
  let onlyOperands = false;
  let waiting: Option | undefined;
  const remember = ({ option, value }: Named): void => {
    given.set(option.attributeName(), value ?? true);
    waiting = option.required && value === undefined ? option : undefined;
  };

  const typed = words.at(-1) ?? "";
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      remember({ option: waiting, value: word });
    } else if (!onlyOperands && word === "--") {
      onlyOperands = true;
    } else if (!onlyOperands && isOption(word)) {
      const named = optionIn(command, word);
      if (named !== undefined) remember(named);
    } else if (command.commands.length > 0) {
      const inner = commandNamed(command, word);
      if (inner === undefined) return undefined;
      await declare(inner);
      command = inner;
      path.push(inner.name());
    } else operands.push(word);
  }

  const position = { command, path, operands, given, onlyOperands, typed };
  if (waiting !== undefined) return { ...position, option: waiting, prefix: "" };
  const prefix = onlyOperands ? undefined : /^--[^=]+=/.exec(typed)?.[0];
  const option = prefix === undefined ? undefined : optionIn(command, prefix)?.option;
  return { ...position, option, prefix: option === undefined ? "" : (prefix ?? "") };
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** Returns the option in `--name`, `--name=value`, `-o` or `-ovalue`. */
function optionIn({ options }: Command, word: string): Named | undefined {
  const [, name, equals, rest = ""] = /^(--[^=]+|-.)(=?)(.*)$/s.exec(word) ?? [];
  const option = options.find(({ long, short }) => long === name || short === name);
  const isLong = word.startsWith("--");
  const value = isLong ? rest : `${equals}${rest}`;
  return option && { option, value: equals === "" && rest === "" ? undefined : value };
}
