import { statSync } from "node:fs";
import type { Argument, Command, Option } from "commander";
import { withoutPassword } from "../../config/database.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { type Tree as CommandTree, commandNamed, valueKindOf } from "../program/build-command.ts";
import type { Capabilities } from "../../command/capabilities.ts";
import { succeeded } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { topics } from "../registry.ts";
import { safeText } from "../../core/text.ts";
import { continuationsOf, readBashLine, type Candidate } from "./bash-line.ts";
import { positionIn, type Position } from "./position.ts";

/** A request for completion: the words, or for bash its line and the characters after which it replaces words. */
export interface Question {
  readonly words: readonly string[];
  readonly line?: string;
  readonly breaks?: string;
  /** The home folder, to expand `~`, which the shell has not done yet. */
  readonly home?: string;
}

/** The tree of commands, and a function that runs something in a context. */
interface Tree extends CommandTree {
  readonly run: (
    options: GlobalOptions,
    run: (context: Capabilities) => Promise<ExitCode>,
    usesProfiles: boolean,
  ) => Promise<void>;
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
const withoutService: GlobalOptions = { ...completionOptions, local: true, database: "none" };

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
  const { words, line, breaks = "", home } = question;
  const bash = line === undefined ? undefined : readBashLine(line, breaks);
  const position = await positionIn(tree.program, bash?.words ?? words, tree.declare);
  if (bash?.isRedirected === true) return filesLine;
  if (position === undefined) return "";
  const found = await candidatesAt(tree, position, home);
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
  home: string | undefined,
): Promise<"file" | readonly Candidate[]> {
  const { command, operands, option, onlyOperands, typed } = position;
  if (option !== undefined) return valuesOf(option, tree, position, home);
  if (typed.startsWith("-") && !onlyOperands) return optionsOf(position);
  if (command.commands.length > 0) return commandsOf(command);
  const argument = argumentAt(command.registeredArguments, operands.length);
  if (argument === undefined) return [];
  return valuesOf(argument, tree, position, home);
}

function argumentAt(all: readonly Argument[], index: number): Argument | undefined {
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((inner) => ({ value: inner.name(), about: inner.summary() }));
}

/** Returns the long names of the options that are not given yet. */
function optionsOf({ command, given }: Position): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option.attributeName()))
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description }));
}

async function valuesOf(
  declared: Argument | Option,
  tree: Tree,
  position: Position,
  home: string | undefined,
): Promise<"file" | readonly Candidate[]> {
  const kind = valueKindOf(declared);
  if (kind === "file") return kind;
  if (kind === "command") return helpSubjects(tree, position.operands);
  if (typeof kind !== "string") return (kind ?? []).map((value) => ({ value, about: "" }));
  if (kind === "profile") return inContext(tree, undefined, profilesOf);
  return inContext(tree, optionsFor(position, home), (context) => recordsOf(context, kind));
}

/** Runs a lookup in the context of these options, or in one without a service. */
async function inContext<Found>(
  { run }: Tree,
  options: GlobalOptions | undefined,
  lookUp: (context: Capabilities) => Found | Promise<Found>,
): Promise<Found> {
  let found: Found;
  const asking = async (context: Capabilities): Promise<ExitCode> => {
    found = await lookUp(context);
    return exitCodes.done;
  };
  await run(options ?? withoutService, asking, options !== undefined);
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

/** Returns the commands and topics that `sendctl help` can show. */
async function helpSubjects(
  { program, declare }: Tree,
  words: readonly string[],
): Promise<Candidate[]> {
  let command: Command | undefined = program;
  for (const word of words) {
    command = commandNamed(command, word);
    if (command === undefined) return [];
    await declare(command);
  }
  const pages = topics.map(({ name, summary }) => ({ value: name, about: summary }));
  return [...commandsOf(command), ...(command === program ? pages : [])];
}

/** Returns only those options of the typed words that choose the service. */
function optionsFor({ given, path }: Position, home: string | undefined): GlobalOptions {
  const chosen = ["local", "baseUrl", "database", "profile", "insecureHttp"].flatMap((name) => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, withHome(value, home)]];
  });
  const options = Object.fromEntries(chosen) as GlobalOptions;
  // Commands below `local` always work on the embedded engine.
  return { ...options, ...(path[0] === "local" ? { local: true } : {}), ...completionOptions };
}

/** Expands the home folder in a path, like the shell will. */
function withHome(value: string | true, home: string | undefined): string | true {
  if (value === true || home === undefined) return value;
  return value.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home);
}

/** Maximum number of candidates: the largest page of the engine (ruling 18). */
const maxRecords = 1000;

/** Returns sender IDs or groups of the chosen service, the newest first. Never creates a missing database. */
async function recordsOf(context: Capabilities, kind: "sender-id" | "group"): Promise<Candidate[]> {
  const { baseUrl, keyCommand } = context.config.settings;
  // A key command may ask for a passphrase, which would surprise at the Tab key.
  if (keyCommand !== undefined) return [];
  if (baseUrl === undefined && (await isMissing(context))) return [];
  const list = context.ask.list(`${kind}.list`);
  const whole = await list({ perPage: maxRecords, acceptsSmaller: true });
  const reply = succeeded(whole) ? whole : await list({});
  const data = (reply.envelope?.data ?? {}) as { readonly data?: unknown };
  if (!succeeded(reply) || !Array.isArray(data.data)) return [];
  const [key, described] = kind === "group" ? ["id", "name"] : ["name", "status"];
  return data.data.map((record: UnknownRecord) => ({
    value: textOf(record?.[key]),
    about: safeText(textOf(record?.[described])),
  }));
}

async function isMissing({ config, local }: Capabilities): Promise<boolean> {
  const { database, databaseUrl } = config.settings;
  if (databaseUrl !== undefined) return !(await (await local.database()).exists());
  return (statSync(database, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** An unvalidated record: the target may be any service. */
type UnknownRecord = Readonly<Record<string, unknown>> | null;

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
