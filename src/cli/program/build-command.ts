import type * as define from "../../command/define-command.ts";
import { Argument, type Command, Option } from "commander";
import type { Session } from "../../command/session.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { formatNames } from "../../output/formats/formats.ts";
import type { ValueKind } from "../../command/define-command.ts";
import type { Noun } from "../registry.ts";

/** Runs a command in the context that its global options and the chosen profile describe. */
export type Runner = (
  options: GlobalOptions,
  run: (context: Session) => Promise<ExitCode>,
  usesProfiles: boolean,
) => Promise<void>;

/** Runs the `run` of a definition with the capabilities of its command. */
export type RunDefinition = (command: Command, run: Parameters<Runner>[1]) => Promise<void>;

/** The tree of commands. Most commands are declared when the command line names them. */
export interface Tree {
  readonly program: Command;
  /** Declares the subcommands, options and examples of a command, once. */
  readonly declare: (command: Command) => Promise<void>;
}

/** Returns the words of a command, as in `sendctl group list`. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

/** Returns the subcommand with this name or alias. */
export function commandNamed(command: Command, word: string): Command | undefined {
  return command.commands.find((inner) => [inner.name(), ...inner.aliases()].includes(word));
}

/** The kinds of values of arguments and options, for shell completion. */
const valueKinds = new WeakMap<Argument | Option, define.ValueKind>();

/** Returns the kind of values that an argument or option takes. */
export function valueKindOf(declared: Argument | Option): define.ValueKind | undefined {
  return valueKinds.get(declared);
}

/** Records the kind of values that an argument or option takes. */
export function withValueKind<Declared extends Argument | Option>(
  declared: Declared,
  { takes }: { readonly takes?: define.ValueKind },
): Declared {
  if (takes !== undefined) valueKinds.set(declared, takes);
  return declared;
}

/** Keeps the name of an option's value. Commander derives it from the flags hundreds of times while it parses. */
function withFixedName(option: Option): Option {
  const name = option.attributeName();
  option.attributeName = () => name;
  return option;
}

const examples = new WeakMap<Command, readonly string[]>();
const exitCodes = new WeakMap<Command, define.ExitCodes>();

/** Adds examples to the end of the help of a command. */
export function addExamples(command: Command, lines: readonly string[]): void {
  examples.set(command, lines);
  const text = lines.map((line) => `  $ ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}\n`);
}

/** Returns the examples of a command, each one command line. */
export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? [];
}

/** Returns the exit codes that the help of a command lists, with their meaning; none for most commands. */
export function exitCodesOf(command: Command): readonly (readonly [code: string, text: string])[] {
  return (exitCodes.get(command) ?? []).map(([code, meaning]) => [String(code), meaning]);
}

/** Finishes each command, if the command line names it. */
const unfinished = new WeakMap<Command, () => void>();

/**
 * Builds the commands below a first word from its definitions, or the word itself if it is a command. A command gets
 * its options only when the command line names it, because creating options takes most of the time.
 */
export function buildCommands(
  first: Command,
  definitions: readonly define.Definition[],
  runDefinition: RunDefinition,
): void {
  for (const definition of definitions) {
    const [name, ...words] = definition.path.split(" ");
    if (name !== first.name()) continue;
    const command = commandAt(first, words);
    command.description(definition.description);
    if (definition.summary !== undefined) command.summary(definition.summary);
    if (definition.aliases !== undefined) command.aliases(definition.aliases);
    const args = "run" in definition ? Object.entries(definition.args ?? {}) : [];
    for (const [key, declared] of args) command.addArgument(argumentOf(key, declared));
    unfinished.set(command, () => {
      if ("run" in definition) takeValues(command, definition, runDefinition);
      addExamples(command, definition.examples);
    });
  }
}

function commandAt(first: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((inner) => inner.name() === word) ?? command.command(word),
    first,
  );
}

function takeValues(
  command: Command,
  definition: define.CommandDefinition,
  runDefinition: RunDefinition,
): void {
  const args = Object.entries(definition.args ?? {});
  const options = Object.entries(definition.options ?? {}).map(
    ([key, declared]) => [key, declared, optionsOf(declared)] as const,
  );
  for (const [, , flags] of options) {
    for (const option of flags) command.addOption(option);
    if (flags.length > 1) refuseBoth(command, flags);
  }
  if (definition.exitCodes !== undefined) exitCodes.set(command, definition.exitCodes);
  if (definition.passesOptions === true) command.passThroughOptions();
  command.action(() => {
    const argValues = args.map(
      ([key, { read }], index) => [key, read(command.processedArgs[index])] as const,
    );
    const optionValues = options.map(([key, { read }, [option]]) => {
      return [key, read(command.getOptionValue(option!.attributeName()))] as const;
    });
    const [values, chosen] = [given(argValues), given(optionValues)] as const;
    const { changes } = definition;
    const isChange = changes !== undefined && definition.changesIf?.(values, chosen) !== false;
    return runDefinition(command, async (capabilities) => {
      if (isChange) capabilities.target.willChange(changes, definition.canTry);
      if (isChange && definition.isEndless !== true) capabilities.output.holdFailures();
      return definition.run(capabilities, values, chosen);
    });
  });
}

/** Refuses both options of a pair together; commander would use the last one. */
function refuseBoth(command: Command, pair: readonly Option[]): void {
  let given: Option | undefined;
  for (const option of pair) {
    command.on(`option:${option.name()}`, () => {
      if (given !== undefined && given !== option) {
        const message = `error: option '${pair[1]!.flags}' cannot be used with option '${pair[0]!.flags}'`;
        command.error(message, { code: "commander.conflictingOption" });
      }
      given = option;
    });
  }
}

/** Returns an object without the values that were not given. */
function given(values: readonly (readonly [key: string, value: unknown])[]): object {
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function argumentOf(key: string, declared: define.Argument<unknown>): Argument {
  const name = declared.name ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const dots = declared.isVariadic === true ? "..." : "";
  const argument = new Argument(`[${name}${dots}]`, declared.description);
  return withValueKind(argument, declared);
}

function optionsOf(declared: define.Option<unknown>): readonly Option[] {
  return declared.flags.map(([flags, description]) => {
    const option = withFixedName(new Option(flags, description));
    option.conflicts([...(declared.conflicts ?? [])]);
    if (declared.default !== undefined) option.default(declared.default, declared.default);
    if (declared.isHidden === true) option.hideHelp();
    if (declared.isRepeated === true) option.argParser(collect);
    return withValueKind(option, declared);
  });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const heading = "Global options:";

/** The options that are accepted before and after every word of a command, shared by all commands. */
const globalOptions = [
  globalOption("--profile <name>", "use the service or database of this profile", "profile"),
  globalOption("--local", "use the embedded engine, even if a service is configured"),
  globalOption("--base-url <url>", "use the remote service at this address"),
  globalOption(
    "--database <file>",
    "the embedded engine's SQLite file, or postgres://USER@HOST/NAME",
    "file",
  ),
  globalOption("-o, --output <format>", `output format: ${formatNames.join(", ")}`, formatNames),
  globalOption("--json", "same as --output json"),
  globalOption(
    "--query <expr>",
    "print the result of a JMESPath expression over the records (integers over 2^53 are texts)",
  ),
  globalOption("--csv-safe", "write ' before CSV cells that start like a formula"),
  globalOption("--csv-bom", "begin CSV with a byte order mark, for Excel"),
  globalOption("--timeout <duration>", "time limit of one attempt, like 500ms (default: 30s)"),
  globalOption("--retries <n>", "retries of requests that are safe to repeat (default: 2)"),
  globalOption("--insecure-http", "allow sending the key over plain HTTP to other machines"),
  globalOption(
    "--dry-run",
    "change nothing; print the request as a curl command, or the plan of apply",
  ),
  globalOption("--read-only", "refuse every change"),
  globalOption("--confirm <name>", "delete from the protected target of this profile", "profile"),
  globalOption("-q, --quiet", "print only errors on stderr"),
  globalOption("--no-color", "print no colours"),
  globalOption("--no-input", "never ask; fail if input is missing"),
  globalOption("--debug", "log requests and their attempts on stderr"),
];

const versionTerm = ["-V, --version", "show the version"] as const;
const helpTerm = ["-h, --help", "show this help"] as const;

/** The flags and description of every global option, for `sendctl help options` and the documents. */
export const globalOptionTerms: readonly (readonly [flags: string, description: string])[] = [
  ...globalOptions.map(({ flags, description }) => [flags, description] as const),
  versionTerm,
  helpTerm,
];

/** The variables that stand for global options. */
const variables: Readonly<Record<string, string>> = {
  "--profile": "SENDCTL_PROFILE",
  "--base-url": "SENDCTL_BASE_URL",
  "--database": "SENDCTL_DATABASE",
  "--output": "SENDCTL_OUTPUT",
  "--timeout": "SENDCTL_TIMEOUT",
  "--retries": "SENDCTL_RETRIES",
  "--read-only": "SENDCTL_READ_ONLY",
  "--no-input": "SENDCTL_NO_INPUT",
  "--no-color": "NO_COLOR",
};

/** Returns the variable that stands for an option, if there is one. */
export function variableOf(option: Option): string | undefined {
  return isGlobalOption(option) ? variables[option.long ?? ""] : undefined;
}

function globalOption(flags: string, description: string, takes?: ValueKind): Option {
  const option = withFixedName(new Option(flags, description)).helpGroup(heading);
  return takes === undefined ? option : withValueKind(option, { takes });
}

/** Adds its options, action and examples to a command, and the global options, which its help names in one line. */
export function finishCommand(command: Command, version: string): void {
  unfinished.get(command)?.();
  // A command with an option of its own, such as --timeout, takes the global one before its verb only.
  const own = new Set(command.options.map(({ long }) => long));
  command.optionsGroup(heading);
  for (const option of globalOptions) {
    if (!own.has(option.long)) command.addOption(option);
  }
  command
    .version(version, ...versionTerm)
    .helpOption(...helpTerm)
    .helpCommand(false);
}

/** Returns whether an option is one that every command takes. */
export function isGlobalOption({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === heading;
}

/** Returns the global options of a command line. The rightmost one wins. */
export function globalOptionsOf(
  leaf: Command,
  { lenient, isEmbedded }: Partial<Noun> = {},
): GlobalOptions {
  const given: Record<string, unknown> = { lenient };
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      if (!isGlobalOption(option)) continue;
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven) given[name] ??= command.getOptionValue(name);
    }
  }
  // A later check refuses --base-url.
  if (isEmbedded === true && given["baseUrl"] === undefined) given["isEmbedded"] = true;
  return given;
}
