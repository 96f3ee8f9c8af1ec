import { insideSingleQuotes, safeText } from "../core/text.ts";
import type { CliArgument, CliCommand, CliOption, Runner } from "./program/build-command.ts";
import type { Session } from "../command/session.ts";
import { groupKind, isGroupName, namePrefix, newestRecords } from "../command/records/find.ts";
import type { GlobalOptions } from "../config/settings.ts";
import { operations } from "../contract/operations.ts";
import { type ExitCode, exitCodes } from "../output/exit-codes.ts";
import { groupView, senderIdView } from "../output/views.ts";
import { topics } from "./registry.ts";

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

/** Completion must be quick and silent: one short attempt and no questions. */
const completionOptions = {
  timeout: "1s",
  retries: "0",
  output: "table",
  input: false,
  quiet: true,
};

/** Options that need neither a service nor valid settings. */
const withoutService: GlobalOptions = {
  ...completionOptions,
  local: true,
  database: "none",
};

/** Returns the subcommands of a command. */
async function commandsOf(command: CliCommand): Promise<Candidate[]> {
  const shown = await command.shownCommands();
  return shown.map((inner) => ({ value: inner.name(), about: inner.summary() }));
}

/** Returns the values of an argument or option at the cursor, or "file" for file names. */
async function valuesOf(
  { takes = [] }: CliArgument | CliOption,
  run: Runner,
  position: Position,
): Promise<"file" | readonly Candidate[]> {
  if (takes === "file") return takes;
  if (typeof takes !== "string") return takes.map((value) => ({ value, about: "" }));
  if (takes === "command") return helpSubjects(position);
  if (takes === "sort-field" || takes === "fields") return fieldsFor(takes, position);
  if (takes === "profile") return inSession(run, withoutService, profilesOf);
  if (takes === "fault") {
    return ["*", ...Object.keys(operations)].map((name) => ({ value: `${name}:`, about: "" }));
  }
  const options = optionsFor(position);
  const records = await inSession(run, options, (session) => recordsOf(session, takes));
  return takes === "group" ? groupKeys(records, position.typed) : records;
}

/** Runs a lookup in a session with these options. */
async function inSession<Found>(
  run: Runner,
  options: GlobalOptions,
  lookUp: (session: Session) => Found | Promise<Found>,
): Promise<Found> {
  let found: Found;
  const asking = async (session: Session): Promise<ExitCode> => {
    found = await lookUp(session);
    return exitCodes.done;
  };
  await run(options, asking, options !== withoutService);
  return found!;
}

function profilesOf(session: Session): Candidate[] {
  return [...session.config.read().profiles.keys()].map((value) => ({ value, about: "" }));
}

/** Returns the commands and topics that `sendctl help` can show. */
async function helpSubjects({ command: help, operands }: Position): Promise<Candidate[]> {
  const command = await help.program.below(operands);
  const pages = topics.map(({ name, summary }) => ({ value: name, about: summary }));
  return [...(await commandsOf(command)), ...(command.parent === null ? pages : [])];
}

/** Returns only those options of the typed words that choose the service. */
function optionsFor({ given, command }: Position): GlobalOptions {
  const names = ["local", "baseUrl", "database", "profile", "insecureHttp"];
  const chosen = Object.fromEntries(names.map((name) => [name, given.get(name)]));
  // Commands below `local` always work on the embedded engine.
  const local = command.path[0] === "local" ? { local: true } : {};
  return { ...chosen, ...local, ...completionOptions };
}

/** Returns sender IDs or groups, the newest first. Never creates a missing database. */
async function recordsOf(context: Session, kind: "sender-id" | "group"): Promise<Candidate[]> {
  const { baseUrl, databaseUrl, keyCommand } = context.config.settings;
  // A key command may ask for a passphrase, which would surprise at the Tab key.
  if (keyCommand !== undefined) return [];
  if (baseUrl === undefined && databaseUrl !== undefined) {
    const database = await context.local.database();
    if (!(await database.info()).exists) return [];
  }
  const described = kind === "group" ? "id" : "status";
  const records = await newestRecords(context.ask.list(`${kind}.list`)).catch(() => []);
  return records.map((record) => ({
    value: textOf(record["name"]),
    about: safeText(textOf(record[described])),
  }));
}

/** Returns the names of groups, or their ids if a digit is typed or several have the name. */
function groupKeys(groups: readonly Candidate[], typed: string): Candidate[] {
  const counts = new Map<string, number>();
  for (const { value } of groups) counts.set(value, (counts.get(value) ?? 0) + 1);
  return groups.flatMap(({ value: name, about: id }) => {
    const byId = { value: id, about: safeText(name) };
    if (counts.get(name)! > 1) return byId;
    // A name that looks like an id would be one.
    const isName = isGroupName(name, groupKind) && !name.startsWith(namePrefix) && name !== "-";
    const byName = { value: isName ? name : `${namePrefix}${name}`, about: id };
    return /^\d/.test(typed) ? [byId, byName] : byName;
  });
}

/** Returns the fields of the records that a command lists, after those that are typed already. */
function fieldsFor(
  kind: "sort-field" | "fields",
  { command, typed, prefix }: Position,
): Candidate[] {
  const view = command.path[0] === "group" ? groupView : senderIdView;
  const names = Object.entries(view.fields).map(([value, { label }]) => ({ value, about: label }));
  if (kind === "sort-field") return names;
  const before = typed.slice(prefix.length).split(",").slice(0, -1);
  return names
    .filter(({ value }) => !before.includes(value))
    .map(({ value, about }) => ({ value: [...before, value].join(","), about }));
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

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
