import { insideSingleQuotes } from "../../core/text.ts";
import type { CliCommand, CliOption } from "../program/build-command.ts";

/** A word that can be inserted at the cursor. */
export interface Candidate {
  readonly value: string;
  /** The description that the shell shows beside it, if it can. */
  readonly about: string;
}

type Quote = "" | "'" | '"';

/** A command line of bash up to the cursor. */
type BashLine = ReturnType<typeof readBashLine>;

/**
 * Splits a line like bash. COMP_WORDS does not do: it is quoted and split at `:` and `=`.
 *
 * @param line the line from its command to the cursor
 * @param breaks the characters after which bash replaces a word (COMP_WORDBREAKS)
 */
export function readBashLine(line: string, breaks: string) {
  const words: string[] = [];
  let word = "";
  let raw = "";
  let quote: Quote = "";
  let isClosed = false;
  let kept = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index]!;
    const next = line[index + 1];
    if (quote === "" && /\s/.test(character)) {
      if (raw !== "") words.push(word);
      [word, raw, kept, isClosed] = ["", "", 0, false];
      continue;
    }
    raw += character;
    if (quote === "" && (character === "'" || character === '"')) {
      [quote, kept] = [character, word.length];
    } else if (quote !== "" && character === quote) {
      [quote, isClosed] = ["", true];
    } else if (character === "\\" && isEscape(quote, next)) {
      word += next ?? "";
      raw += next ?? "";
      index += 1;
    } else {
      word += character;
      if (quote === "" && breaks.includes(character)) [kept, isClosed] = [word.length, false];
    }
  }
  // Variable assignments may precede the program name.
  const first = words.findIndex((unquoted) => !/^\w+=/.test(unquoted));
  return {
    /** The unquoted words after the program name, up to the one that is being typed. */
    words: [...words.slice(first + 1), word],
    /** The open quote of the last word; undefined after a closed quote. */
    quote: isClosed && quote === "" ? undefined : quote,
    /** Number of characters of the unquoted last word that bash does not replace. */
    kept,
  };
}

/** Returns whether a backslash escapes the next character, or is literal. */
function isEscape(quote: Quote, next: string | undefined): boolean {
  if (quote === "") return true;
  return quote === '"' && next !== undefined && '"\\$`'.includes(next);
}

/** Returns the candidates that continue the text, as bash inserts and lists them. */
export function continuationsOf(line: BashLine, candidates: readonly Candidate[]): Candidate[] {
  const { words, quote, kept } = line;
  if (quote === undefined) return [];
  const typed = words.at(-1) ?? "";
  return candidates
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, about }) => ({
      value: quoted(value.slice(kept), quote),
      about: about === "" ? value : `${value}  (${about})`,
    }));
}

/** Quotes text after an open quote, which bash closes unless the text ends with one. */
function quoted(text: string, quote: Quote): string {
  if (quote === "") return text.replace(/[^\w%+,./:=@^\u0080-\uffff-]/g, String.raw`\$&`);
  const inside =
    quote === "'"
      ? insideSingleQuotes(text)
      : // A backslash does not prevent history expansion of `!` in double quotes.
        text.replace(/["\\$`]/g, String.raw`\$&`).replaceAll("!", `"'!'"`);
  return inside.endsWith(quote) ? `${inside}${quote}` : inside;
}

/** The position of the cursor in the tree of commands. */
export interface Position {
  readonly command: CliCommand;
  /** The arguments before the cursor. */
  readonly operands: readonly string[];
  /** The options before the cursor, with their values; true for a flag. */
  readonly given: ReadonlyMap<string, string | true>;
  /** Whether `--` precedes the cursor, so that no option can follow. */
  readonly onlyOperands: boolean;
  /** The typed part of the current word. */
  readonly typed: string;
  /** The option whose value is being typed. */
  readonly option: CliOption | undefined;
  /** The text before the value in the same word, like `--output=`. */
  readonly prefix: string;
}

/**
 * Follows the words of a command line through the tree like commander, but ignores unknown options.
 *
 * @param words the words after `sendctl`, up to the one that is being typed
 * @returns undefined if the words contain an unknown command
 */
export async function positionIn(
  program: CliCommand,
  words: readonly string[],
): Promise<Position | undefined> {
  const given = new Map<string, string | true>();
  const operands: string[] = [];
  let command = program;
  let onlyOperands = false;
  let waiting: CliOption | undefined;
  const typed = words.at(-1) ?? "";
  for (const word of words.slice(0, -1)) {
    if (waiting !== undefined) {
      given.set(waiting.attributeName(), word);
      waiting = undefined;
    } else if (!onlyOperands && word === "--") {
      onlyOperands = true;
    } else if (!onlyOperands && word.startsWith("-") && word !== "-") {
      const { option, value } = optionIn(command, word);
      if (option !== undefined) given.set(option.attributeName(), value ?? true);
      if (option?.required === true && value === undefined) waiting = option;
    } else if (command.commands.length > 0) {
      const inner = command.named(word);
      if (inner === undefined) return undefined;
      await inner.declare();
      command = inner;
    } else operands.push(word);
  }
  const start = onlyOperands || waiting !== undefined ? undefined : /^--[^=]+=/.exec(typed)?.[0];
  const option = start === undefined ? waiting : optionIn(command, start).option;
  const prefix = waiting === undefined && option !== undefined ? start! : "";
  return { command, operands, given, onlyOperands, typed, option, prefix };
}

/** Returns the option in `--name`, `--name=value`, `-o` or `-ovalue`, and its value. */
function optionIn({ options }: CliCommand, word: string) {
  const [, name, equals, rest = ""] = /^(--[^=]+|-.)(=?)(.*)$/s.exec(word) ?? [];
  const option = options.find(({ long, short }) => long === name || short === name);
  const value = word.startsWith("--") ? rest : `${equals}${rest}`;
  return { option, value: equals === "" && rest === "" ? undefined : value };
}
