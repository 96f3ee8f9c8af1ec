import type { Command, Option } from "commander";
import { commandNamed } from "../program/build-command.ts";

/** The position of the cursor in the tree of commands. */
export type Position = NonNullable<Awaited<ReturnType<typeof positionIn>>>;

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
) {
  /** The options before the cursor, with their values; true for a flag. */
  const given = new Map<string, string | true>();
  /** The arguments before the cursor. */
  const operands: string[] = [];
  /** The words of the command before the cursor, after `sendctl`. */
  const path: string[] = [];
  let command = program;
  /** Whether `--` precedes the cursor, so that no option can follow. */
  let onlyOperands = false;
  let waiting: Option | undefined;
  const remember = (option: Option, value: string | undefined): void => {
    given.set(option.attributeName(), value ?? true);
    waiting = option.required && value === undefined ? option : undefined;
  };

  /** The typed part of the current word. */
  const typed = words.at(-1) ?? "";
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      remember(waiting, word);
    } else if (!onlyOperands && word === "--") {
      onlyOperands = true;
    } else if (!onlyOperands && word.startsWith("-") && word !== "-") {
      const named = optionIn(command, word);
      if (named !== undefined) remember(named.option, named.value);
    } else if (command.commands.length > 0) {
      const inner = commandNamed(command, word);
      if (inner === undefined) return undefined;
      await declare(inner);
      command = inner;
      path.push(inner.name());
    } else operands.push(word);
  }

  const prefix = onlyOperands ? undefined : /^--[^=]+=/.exec(typed)?.[0];
  const named = prefix === undefined ? undefined : optionIn(command, prefix)?.option;
  return {
    command,
    path,
    operands,
    given,
    onlyOperands,
    typed,
    /** The option whose value is being typed. */
    option: waiting ?? named,
    /** The text before the value in the same word, like `--output=`. */
    prefix: waiting === undefined && named !== undefined ? prefix! : "",
  };
}

/** Returns the option in `--name`, `--name=value`, `-o` or `-ovalue`, and its value if it is in the same word. */
function optionIn({ options }: Command, word: string) {
  const [, name, equals, rest = ""] = /^(--[^=]+|-.)(=?)(.*)$/s.exec(word) ?? [];
  const option = options.find(({ long, short }) => long === name || short === name);
  const isLong = word.startsWith("--");
  const value = isLong ? rest : `${equals}${rest}`;
  return option && { option, value: equals === "" && rest === "" ? undefined : value };
}
