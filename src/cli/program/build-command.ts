import type * as define from "../../command/define-command.ts";
import { Argument, Command, CommanderError, Option } from "commander";
import { version } from "../../../package.json";
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
export type RunDefinition = (command: CliCommand, run: Parameters<Runner>[1]) => Promise<void>;

/** Ends the parsing of a command line: with help, the version or an error, as its code says. */
export class ParsingEnded extends CommanderError {
  /** The command that ended it. */
  readonly command: CliCommand;
  constructor(code: string, message: string, command: CliCommand) {
    super(0, code, message);
    this.command = command;
  }
}

/** An argument with the kind of values that it takes. */
export class CliArgument extends Argument {
  takes?: ValueKind | undefined;
}

/** An option with the kind of values that it takes. */
export class CliOption extends Option {
  takes?: ValueKind | undefined;
  /** Commander derives it from the flags hundreds of times while it parses. */
  readonly #name = super.attributeName();

  override attributeName(): string {
    return this.#name;
  }

  /** Whether every command takes it. */
  get isGlobal(): boolean {
    return this.helpGroupHeading === heading;
  }
}

/** A command of the tree, declared when the command line, its help or the menu names it. */
export class CliCommand extends Command {
  declare readonly commands: readonly CliCommand[];
  declare readonly options: readonly CliOption[];
  declare readonly registeredArguments: readonly CliArgument[];
  declare parent: CliCommand | null;
  /** Command lines for the end of its help. */
  examples: readonly string[] = [];
  /** The exit codes that its help lists; none for most commands. */
  exitCodes: define.ExitCodes = [];
  /** Declares its subcommands, or its options and action. */
  declares: (() => Promise<void> | void) | undefined;
  /** The option that commander refused, as it was given. */
  refused = "";
  #isDeclared = false;

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override createOption(flags: string, description?: string): CliOption {
    return new CliOption(flags, description);
  }

  /** The words of the command after `sendctl`. */
  get path(): readonly string[] {
    return this.parent === null ? [] : [...this.parent.path, this.name()];
  }

  /** The command as a line: `sendctl group list`. */
  get line(): string {
    return ["sendctl", ...this.path].join(" ");
  }

  /** The command `sendctl`. */
  get program(): CliCommand {
    return this.parent?.program ?? this;
  }

  /** Returns the subcommand with this name or alias. */
  named(word: string): CliCommand | undefined {
    return this.commands.find((inner) => [inner.name(), ...inner.aliases()].includes(word));
  }

  /** Returns the command with these words after this one. @throws ParsingEnded */
  async below(words: readonly string[]): Promise<CliCommand> {
    await this.declare();
    const [word, ...others] = words;
    if (word === undefined) return this;
    this.args = [...words];
    return (this.named(word) ?? this.unknownCommand()).below(others);
  }

  /** Returns the subcommands that help shows, which are declared by then. */
  async shownCommands(): Promise<readonly CliCommand[]> {
    await this.declare();
    return this.createHelp().visibleCommands(this) as CliCommand[];
  }

  /** Returns the options that help shows, the global ones included. */
  shownOptions(): readonly CliOption[] {
    return this.createHelp().visibleOptions(this) as CliOption[];
  }

  /** Declares what the command consists of, and the global options, once. */
  async declare(): Promise<void> {
    if (this.#isDeclared) return;
    this.#isDeclared = true;
    await this.declares?.();
    // A command with its own --timeout, say, takes the global one only before its verb.
    const own = new Set(this.options.map(({ long }) => long));
    this.optionsGroup(heading);
    for (const option of globalOptions) {
      if (!own.has(option.long)) this.addOption(option);
    }
    this.version(version, ...versionTerm)
      .helpOption(...helpTerm)
      .helpCommand(false)
      .hook("preSubcommand", (_, inner) => (inner as CliCommand).declare())
      .exitOverride(({ code, message }) => {
        throw new ParsingEnded(code, message, this);
      });
  }

  // Commander calls the next three. Their errors have no suggestions: those of usage-error.ts are
  // made from the words.

  unknownCommand(): never {
    const message = `unknown command '${this.args[0]}'`;
    return this.error(message, { code: "commander.unknownCommand" });
  }

  unknownOption(flag: string): never {
    this.refused = flag;
    return this.error(`unknown option '${flag}'`, { code: "commander.unknownOption" });
  }

  optionMissingArgument({ flags }: Option): never {
    const message = `option ${flags} requires a value`;
    return this.error(message, { code: "commander.optionMissingArgument" });
  }
}

/**
 * Builds the commands below a first word from its definitions, or the word itself if it is a
 * command. A command gets its options only when the command line names it, because creating options
 * takes most of the time.
 */
export function buildCommands(
  first: CliCommand,
  definitions: readonly define.Definition[],
  runDefinition: RunDefinition,
): void {
  for (const definition of definitions) {
    const [name, ...words] = definition.path.split(" ");
    if (name !== first.name()) continue;
    const command = words.reduce((outer, word) => outer.named(word) ?? outer.command(word), first);
    command.description(definition.description);
    if (definition.summary !== undefined) command.summary(definition.summary);
    if (definition.aliases !== undefined) command.aliases(definition.aliases);
    command.examples = definition.examples;
    if (!("run" in definition)) continue;
    for (const [key, declared] of Object.entries(definition.args ?? {})) {
      command.addArgument(argumentOf(key, declared));
    }
    const declares = (): void => takeValues(command, definition, runDefinition);
    if (command === first) declares();
    else command.declares = declares;
  }
}

function takeValues(
  command: CliCommand,
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
  command.exitCodes = definition.exitCodes ?? [];
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
function refuseBoth(command: CliCommand, pair: readonly CliOption[]): void {
  const used = new Set<CliOption>();
  for (const option of pair) {
    command.on(`option:${option.name()}`, () => {
      if (used.add(option).size === 1) return;
      const [on, off] = pair.map(({ flags }) => `option '${flags}'`);
      command.error(`${off} cannot be used with ${on}`, { code: "commander.conflictingOption" });
    });
  }
}

/** Returns an object without the values that were not given. */
function given(values: readonly (readonly [key: string, value: unknown])[]): object {
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function argumentOf(key: string, declared: define.Argument<unknown>): CliArgument {
  const name = declared.name ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const dots = declared.isVariadic === true ? "..." : "";
  const argument = new CliArgument(`[${name}${dots}]`, declared.description);
  argument.takes = declared.takes;
  return argument;
}

function optionsOf(declared: define.Option<unknown>): readonly CliOption[] {
  return declared.flags.map(([flags, description]) => {
    const option = new CliOption(flags, description);
    option.takes = declared.takes;
    option.conflicts([...(declared.conflicts ?? [])]);
    if (declared.default !== undefined) option.default(declared.default, declared.default);
    if (declared.isHidden === true) option.hideHelp();
    if (declared.isRepeated === true) option.argParser(collect);
    return option;
  });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const heading = "Global options:";

/** The options that are accepted before and after every word of a command. */
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

/** The flags and descriptions of global options, for `sendctl help options` and documents. */
export const globalOptionTerms: readonly (readonly [flags: string, description: string])[] = [
  ...globalOptions.map(({ flags, description }) => [flags, description] as const),
  versionTerm,
  helpTerm,
];

function globalOption(flags: string, description: string, takes?: ValueKind): CliOption {
  const option = new CliOption(flags, description);
  option.takes = takes;
  return option;
}

/** Returns the global options of a command line. The rightmost one wins. */
export function globalOptionsOf(
  leaf: CliCommand,
  { lenient, isEmbedded }: Partial<Noun> = {},
): GlobalOptions {
  const given: Record<string, unknown> = { lenient };
  for (let command: CliCommand | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      if (!option.isGlobal) continue;
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven) given[name] ??= command.getOptionValue(name);
    }
  }
  // A later check refuses --base-url.
  if (isEmbedded === true && given["baseUrl"] === undefined) given["isEmbedded"] = true;
  return given;
}
