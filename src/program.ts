import { Command, Help, type OutputConfiguration } from "commander";
import type { Action } from "./commands/action.ts";
import { examples } from "./commands/declare.ts";
import { formats, type GlobalOptions } from "./config/settings.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";

/** Runs a command in a context that its global options ask for. */
export type Runner = (
  options: GlobalOptions,
  run: (context: Context) => Promise<ExitCode>,
) => Promise<void>;

/** Where commander's own words go, and how wide they may be. */
export type Printing = OutputConfiguration;

const globalGroup = "Global options:";

/** A first word. What follows it is declared when it is named, and what that does is loaded when it runs. */
interface Noun {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly load: () => Promise<(noun: Command, action: Action) => void>;
}

const nouns: readonly Noun[] = [
  {
    name: "sender-id",
    alias: "sender-ids",
    summary: "Manage sender IDs",
    description:
      "Manage sender IDs: the names that messages are sent under, each with a purpose and a review status.",
    examples: ["sendctl sender-id list", "sendctl sender-id fetch ACME"],
    load: async () => (await import("./commands/sender-id.ts")).declareSenderId,
  },
  {
    name: "group",
    alias: "groups",
    summary: "Manage groups",
    description:
      "Manage groups: named collections of contacts, with birthday and holiday messages.",
    examples: ["sendctl group list", "sendctl group create Customers"],
    load: async () => (await import("./commands/group.ts")).declareGroup,
  },
  {
    name: "serve",
    summary: "Serve the embedded engine on a port",
    description:
      "Serve the embedded engine on a port, for any client of the service. It prints the lines that a shell needs to use it.",
    examples: ["sendctl serve", "sendctl serve --port 0 --rate-limit 10 --json"],
    load: async () => (await import("./commands/serve-declaration.ts")).declareServe,
  },
  {
    name: "api",
    summary: "Send any request",
    description:
      "Send any request to the service, and show its answer as it came. The embedded engine answers as its server would.",
    examples: [
      "sendctl api GET '/v1/group?perPage=5'",
      `sendctl api POST /v1/group --body '{"name": "Customers"}'`,
    ],
    load: async () => (await import("./commands/api-declaration.ts")).declareApi,
  },
  {
    name: "local",
    summary: "Manage the embedded engine",
    description: "Manage what belongs to the embedded engine alone: integrations and their keys.",
    examples: ["sendctl local key create", "sendctl local integration list"],
    load: async () => (await import("./commands/local.ts")).declareLocal,
  },
];

/** The tree of commands. */
export function createProgram(version: string, runner: Runner, printing: Printing): Command {
  const program = new Command("sendctl")
    .description(
      "Manage the sender IDs and groups of a bulk-SMS platform. Without any set-up, the service runs in here, on an SQLite file.",
    )
    .exitOverride()
    .configureOutput(printing)
    .enablePositionalOptions()
    .configureHelp({ formatHelp: commandsFirst, subcommandTerm: usageOf })
    .addHelpText("beforeAll", ({ command }) => refuseUnknownWord(command));
  const action: Action = (run) =>
    function (this: Command, ...given) {
      return runner(globalOptionsOf(this), (context) => run(context, ...given));
    };
  const declared = new Set<Command>();
  const declare = async (command: Command): Promise<void> => {
    if (declared.has(command)) return;
    declared.add(command);
    addGlobalOptions(command, version);
    command.hook("preSubcommand", (_, inner) => declare(inner));
    const noun = nouns.find(({ name }) => command.parent === program && name === command.name());
    (await noun?.load())?.(command, action);
  };
  for (const noun of nouns) {
    const command = program.command(noun.name).summary(noun.summary);
    if (noun.alias !== undefined) command.alias(noun.alias);
    examples(command.description(noun.description), noun.examples);
  }
  examples(program, [
    'sendctl sender-id create ACME --purpose "Order updates"',
    "sendctl group list --json",
    "sendctl help group update",
  ]);
  declareHelp(program, declare);
  void declare(program);
  return program;
}

/** A command in the list of its siblings; that it takes options need not be said of each. */
function usageOf(command: Command): string {
  const names = [command.name(), ...command.aliases()].join("|");
  const given = command.registeredArguments.map((argument) =>
    argument.variadic ? `[${argument.name()}...]` : `[${argument.name()}]`,
  );
  return [names, ...given].join(" ");
}

function isGlobal(section: string): boolean {
  return section.startsWith(globalGroup);
}

/** Commander's help, with the commands before the options that all of them take. */
function commandsFirst(command: Command, help: Help): string {
  const sections = Help.prototype.formatHelp.call(help, command, help).trimEnd().split("\n\n");
  const ordered = [...sections.filter((one) => !isGlobal(one)), ...sections.filter(isGlobal)];
  return `${ordered.join("\n\n")}\n`;
}

function declareHelp(program: Command, declare: (command: Command) => Promise<void>): void {
  const help = program
    .command("help")
    .summary("Show the help of a command")
    .description("Show the help of a command, the same as `--help` after it.")
    .argument("[command...]", "its words")
    .action(async (words: string[]) => {
      let command = program;
      for (const word of words) {
        if (command.commands.length === 0) {
          command.error(`error: no command follows '${command.name()}': '${word}' is one too many`);
        }
        command.args = [word];
        refuseUnknownWord(command);
        command = findCommand(command, word) ?? command;
        await declare(command);
      }
      command.args = [];
      command.help();
    });
  examples(help, ["sendctl help group", "sendctl help group update"]);
}

function findCommand(command: Command, word: string): Command | undefined {
  return command.commands.find((inner) => [inner.name(), ...inner.aliases()].includes(word));
}

/** Help after a mistyped word is help with that word, not with the command above it. */
function refuseUnknownWord(command: Command): string {
  const [word] = command.args;
  if (command.commands.length > 0 && word !== undefined && !word.startsWith("-")) {
    if (findCommand(command, word) === undefined) {
      // Commander's own refusal, which names the nearest word; its types leave it out.
      (command as Command & { unknownCommand: () => never }).unknownCommand();
    }
  }
  return "";
}

/** They are taken before and after every word of a command. */
function addGlobalOptions(command: Command, version: string): void {
  command
    .optionsGroup(globalGroup)
    .option("--local", "use the embedded engine, whatever else is configured")
    .option("--base-url <url>", "use the remote service at this address")
    .option("--database <file>", "the embedded engine's SQLite file")
    .option("-o, --output <format>", `how to show what is found: ${formats.join(" or ")}`)
    .option("--json", "the same as --output json")
    .option("--timeout <duration>", "how long the remote service may take, like 500ms or 30s")
    .option("--retries <n>", "attempts after the first, where nothing is done twice")
    .option("--insecure-http", "let the key cross a network unencrypted")
    .option("--dry-run", "show the request as a curl command, and send nothing")
    .option("-q, --quiet", "nothing on stderr but errors")
    .option("--no-color", "no colours")
    .option("--no-input", "never ask; fail where something is missing")
    .option("--debug", "show on stderr what is done")
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false);
}

/** As given on the command line; of two, the one that stands further right. */
function globalOptionsOf(leaf: Command): GlobalOptions {
  const given: Record<string, unknown> = {};
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven && option.helpGroupHeading === globalGroup) {
        given[name] ??= command.getOptionValue(name);
      }
    }
  }
  return given;
}
