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
      for (const named of optionsIn(command, word)) remember(named);
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
  const option = prefix === undefined ? undefined : optionsIn(command, prefix)[0]?.option;
  return { ...position, option, prefix: option === undefined ? "" : (prefix ?? "") };
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

/** Returns the options in `--name`, `--name=value`, `-o value`, `-ovalue` or combined short ones like `-qo value`. */
function optionsIn(command: Command, word: string): Named[] {
  if (word.startsWith("--")) {
    const [name, ...parts] = word.split("=");
    const option = command.options.find(({ long }) => long === name);
    if (option === undefined) return [];
    return [{ option, value: parts.length === 0 ? undefined : parts.join("=") }];
  }
  const found: Named[] = [];
  for (let index = 1; index < word.length; index += 1) {
    const option = command.options.find(({ short }) => short === `-${word[index]}`);
    if (option === undefined) break;
    if (option.required) return [...found, { option, value: word.slice(index + 1) || undefined }];
    found.push({ option, value: undefined });
  }
  return found;
}
