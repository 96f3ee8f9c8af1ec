import type { Argument, Command, Option } from "commander";
import { withoutPassword } from "../../config/database-url.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { takenBy } from "../program/build-command.ts";
import type { Capabilities } from "../capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { topics } from "../program/topics.ts";
import { safeText } from "../../output/safe-text.ts";
import { continuationsOf, readBashLine } from "./bash-line.ts";
import { plainly, type Candidate } from "./candidate.ts";
import { commandNamed, positionIn, type Position } from "./position.ts";
import { recordsOf } from "./records.ts";

/** What a shell asks: words, or for bash its line and the characters at which it replaces words. */
export interface Question {
  readonly words: readonly string[];
  readonly line?: string;
  readonly breaks?: string;
  /** What a tilde stands for, which no shell has replaced yet. */
  readonly home?: string;
}

/** The tree of commands, and the way to run something in a context. */
export interface Tree {
  readonly program: Command;
  readonly declare: (command: Command) => Promise<void>;
  readonly run: (
    options: GlobalOptions,
    run: (context: Capabilities) => Promise<ExitCode>,
    usesProfiles: boolean,
  ) => Promise<void>;
}

/** Nobody waits for a completion: one short attempt, no questions, no word. */
const completionOptions = {
  timeout: "1s",
  retries: "0",
  output: "table",
  input: false,
  quiet: true,
};

/** Needs no service, and no setting that might be wrong. */
const nowhere: GlobalOptions = { ...completionOptions, local: true, database: "none" };

/** A line that asks the shell for the names of files. */
const filesLine = "\tfiles\n";

/**
 * Prints what may stand where the cursor is, a line each: what to put there, a tab, and what to show
 * beside it. Whatever goes wrong, it prints nothing: a person is in the midst of typing.
 */
export async function complete(tree: Tree, question: Question): Promise<void> {
  let text = "";
  try {
    text = await answer(tree, question);
  } catch {
    // Nothing is known, then.
  }
  try {
    await inContext(tree, undefined, async (context) => {
      if (text !== "") await context.output.raw(text);
    });
  } catch {
    // The shell has stopped listening.
  }
}

async function answer(tree: Tree, question: Question): Promise<string> {
  const { words, line, breaks = "", home } = question;
  const bash = line === undefined ? undefined : readBashLine(line, breaks);
  const position = await positionIn(tree.program, bash?.words ?? words, tree.declare);
  if (bash?.isRedirected === true) return filesLine;
  if (position === undefined) return "";
  const found = await candidatesAt(tree, position, home);
  if (found === "file") return filesLine;
  // Whatever would have to be shown otherwise than it is can't be typed by a shell, either.
  const usable = found
    .filter(({ value }) => value !== "" && value === safeText(value) && canStand(value, position))
    .map(({ value, about }) => ({ value: `${position.prefix}${value}`, about }));
  const shown = bash === undefined ? usable : continuationsOf(bash, usable);
  return shown.map(({ value, about }) => `${value}\t${about}\n`).join("");
}

/** A name that begins with a dash is taken for an option, unless `--` comes before it. */
function canStand(value: string, { option, onlyOperands, typed }: Position): boolean {
  return option !== undefined || onlyOperands || typed.startsWith("-") || !value.startsWith("-");
}

async function candidatesAt(
  tree: Tree,
  position: Position,
  home: string | undefined,
): Promise<"file" | readonly Candidate[]> {
  const { command, operands, option, onlyOperands, typed } = position;
  if (option !== undefined) return lookedUp(option, tree, position, home);
  if (typed.startsWith("-") && !onlyOperands) return optionsOf(position);
  if (command.commands.length > 0) return commandsOf(command);
  const argument = argumentAt(command.registeredArguments, operands.length);
  if (argument === undefined) return [];
  return lookedUp(argument, tree, position, home);
}

function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((inner) => ({ value: inner.name(), about: inner.summary() }));
}

/** Those that are not given yet, by their long names. */
function optionsOf({ command, given }: Position): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option.attributeName()))
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description }));
}

async function lookedUp(
  declared: Argument | Option,
  tree: Tree,
  position: Position,
  home: string | undefined,
): Promise<"file" | readonly Candidate[]> {
  const takes = takenBy(declared);
  if (takes === "file") return takes;
  if (takes === "command") return helpOf(tree, position.operands);
  if (typeof takes !== "string") return plainly(...(takes ?? []));
  if (takes === "profile") return inContext(tree, undefined, profilesOf);
  return inContext(tree, optionsFor(position, home), (context) => recordsOf(context, takes));
}

/** Asks in the context of these options, or in one that asks for no service. */
async function inContext<Found>(
  { run }: Tree,
  options: GlobalOptions | undefined,
  ask: (context: Capabilities) => Found | Promise<Found>,
): Promise<Found> {
  let found: Found;
  const asking = async (context: Capabilities): Promise<ExitCode> => {
    found = await ask(context);
    return exitCodes.done;
  };
  await run(options ?? nowhere, asking, options !== undefined);
  return found!;
}

function profilesOf(context: Capabilities): Candidate[] {
  const { profiles } = context.config.read();
  return [...profiles].map(([name, { mode, baseUrl, database }]) => ({
    value: name,
    about: safeText(
      (mode === "local" ? database && withoutPassword(database) : baseUrl) ?? mode ?? "",
    ),
  }));
}

/** What `sendctl help` can be asked of. */
async function helpOf({ program, declare }: Tree, words: readonly string[]): Promise<Candidate[]> {
  let command: Command | undefined = program;
  for (const word of words) {
    command = commandNamed(command, word);
    if (command === undefined) return [];
    await declare(command);
  }
  const pages = topics.map(({ name, summary }) => ({ value: name, about: summary }));
  return [...commandsOf(command), ...(command === program ? pages : [])];
}

/** What chooses the service in the words so far, and nothing else that they ask for. */
function optionsFor({ given, path }: Position, home: string | undefined): GlobalOptions {
  const chosen = ["local", "baseUrl", "database", "profile", "insecureHttp"].flatMap((name) => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, withHome(value, home)]];
  });
  const options = Object.fromEntries(chosen) as GlobalOptions;
  // Its commands work on the embedded engine, whatever else is configured.
  return { ...options, ...(path[0] === "local" ? { local: true } : {}), ...completionOptions };
}

/** A path as the shell will make it of what is typed. */
function withHome(value: string | true, home: string | undefined): string | true {
  if (value === true || home === undefined) return value;
  return value.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home);
}
