import { Command, CommanderError, Help, Option, type OutputConfiguration } from "commander";
import type { Action } from "../commands/action.ts";
import { examples } from "../commands/declare.ts";
import type { Question } from "./completion/complete.ts";
import type { GlobalOptions } from "../config/settings.ts";
import { formatNames } from "../output/formats/formats.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "../output/exit-codes.ts";
import { topics, type TopicName } from "./help/topics.ts";

/** Runs a command in a context that its global options ask for, and the profile that is chosen. */
export type Runner = (
  options: GlobalOptions,
  run: (context: Context) => Promise<ExitCode>,
  usesProfiles: boolean,
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
  /** Its commands work on profiles, and run whatever state those are in. */
  readonly worksOnProfiles?: true;
  /** It finds out what is wrong with the settings, and runs with whatever of them can be used. */
  readonly forgiving?: true;
  /** Its commands work on the embedded engine, whatever else is configured. */
  readonly isEmbedded?: true;
}

const nouns: readonly Noun[] = [
  {
    name: "sender-id",
    alias: "sender-ids",
    summary: "Manage sender IDs",
    description:
      "Manage sender IDs: the names that messages are sent under, each with a purpose and a review status.",
    examples: ["sendctl sender-id list", "sendctl sender-id fetch ACME"],
    load: async () => (await import("../commands/sender-id/sender-id.ts")).declareSenderId,
  },
  {
    name: "group",
    alias: "groups",
    summary: "Manage groups",
    description:
      "Manage groups: named collections of contacts, with birthday and holiday messages.",
    examples: ["sendctl group list", "sendctl group create Customers"],
    load: async () => (await import("../commands/group/group.ts")).declareGroup,
  },
  {
    name: "apply",
    summary: "Bring the service in line with a manifest",
    description:
      "Bring the service in line with a manifest, YAML or JSON: show what has to be created and changed, ask, and do it. Nothing is deleted without --prune or --replace. Applying again goes on from where it stopped, and does nothing twice.",
    examples: ["sendctl apply -f sendctl.yaml", "sendctl apply -f sendctl.yaml --prune --yes"],
    load: async () =>
      (await import("../commands/manifest/desired-state-declaration.ts")).declareApply,
  },
  {
    name: "diff",
    summary: "Show what apply would do",
    description:
      "Show what apply would do, member by member, and do nothing. Exit code 0 without differences, 12 with some.",
    examples: ["sendctl diff -f sendctl.yaml", "sendctl diff -f sendctl.yaml --prune --json"],
    load: async () =>
      (await import("../commands/manifest/desired-state-declaration.ts")).declareDiff,
  },
  {
    name: "export",
    summary: "Write what is there as a manifest",
    description:
      "Write what is there as a manifest: YAML, or JSON with --json. Applying it back changes nothing.",
    examples: ["sendctl export > sendctl.yaml", "sendctl export --json > sendctl.json"],
    load: async () =>
      (await import("../commands/manifest/desired-state-declaration.ts")).declareExport,
  },
  {
    name: "serve",
    summary: "Serve the embedded engine on a port",
    description:
      "Serve the embedded engine on a port, for any client of the service. It prints the lines that a shell needs to use it.",
    examples: [
      "sendctl serve",
      "sendctl serve --port 0 --rate-limit 10 --json",
      "sendctl serve --auto-approve-after 5s --fault 'group.create:status=503,times=2'",
    ],
    load: async () => (await import("../commands/serve/serve-declaration.ts")).declareServe,
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
    load: async () => (await import("../commands/api-declaration.ts")).declareApi,
  },
  {
    name: "local",
    summary: "Manage the embedded engine",
    description:
      "Manage what belongs to the embedded engine alone: integrations and their keys, contacts, reviews, the database, and the requests that were served.",
    examples: ["sendctl local key create", "sendctl local integration list"],
    load: async () => (await import("../commands/local/local.ts")).declareLocal,
    isEmbedded: true,
  },
  {
    name: "login",
    summary: "Store an address and its key",
    description:
      "Store the address of a service and its key as a profile, once the service has accepted the key, and use it from now on. The address and, masked, the key are asked for.",
    examples: ["sendctl login", "sendctl login --profile prod --base-url https://sms.example.com"],
    load: async () => (await import("../commands/profile/profile-declaration.ts")).declareLogin,
    worksOnProfiles: true,
  },
  {
    name: "logout",
    summary: "Remove a stored key",
    description: "Remove the key of a profile, and keep the rest of it.",
    examples: ["sendctl logout", "sendctl logout --profile prod"],
    load: async () => (await import("../commands/profile/profile-declaration.ts")).declareLogout,
    worksOnProfiles: true,
  },
  {
    name: "profile",
    summary: "Manage profiles",
    description:
      "Manage profiles: names for a service or a database, each with what it takes to use it.",
    examples: ["sendctl profile list", "sendctl profile show"],
    load: async () => (await import("../commands/profile/profile-declaration.ts")).declareProfile,
    worksOnProfiles: true,
  },
  {
    name: "schema",
    summary: "Print what editors check files by",
    description: "Print the JSON Schema of a file that sendctl reads, for editors.",
    examples: ["sendctl schema manifest"],
    load: async () => (await import("../commands/manifest/schema-declaration.ts")).declareSchema,
    forgiving: true,
  },
  {
    name: "doctor",
    summary: "Say what is wrong and how to mend it",
    description:
      "Say what is wrong and how to mend it: Node, database, config, profile, key, network, clock. It changes nothing.",
    examples: ["sendctl doctor", "sendctl doctor --json"],
    load: async () => (await import("../commands/doctor-declaration.ts")).declareDoctor,
    forgiving: true,
  },
  {
    name: "completion",
    summary: "Print a script that completes words",
    description:
      "Print the script that makes a shell complete commands, options and what there is: sender IDs, groups, profiles.",
    examples: ["sendctl completion bash", "sendctl completion zsh > _sendctl"],
    load: async () => (await import("../commands/completion-declaration.ts")).declareCompletion,
    worksOnProfiles: true,
  },
];

/** The commands, of which most are declared when they are named. */
interface Tree {
  readonly program: Command;
  /** Declares what follows a command, if that has not been done. */
  readonly declare: (command: Command) => Promise<void>;
}

/** The tree of commands. */
export function createProgram(version: string, runner: Runner, printing: Printing): Tree {
  const program = new Command("sendctl")
    .description(
      "Manage the sender IDs and groups of a bulk-SMS platform. Without any set-up, the service runs in here, on an SQLite file.",
    )
    .exitOverride()
    .configureOutput(printing)
    .enablePositionalOptions()
    .configureHelp({ formatHelp: commandsFirst, subcommandTerm: usageOf })
    .addHelpText("beforeAll", ({ command }) => refuseUnknownWord(command));
  const actionOf =
    (noun: Noun): Action =>
    (run) =>
      function (this: Command, ...given) {
        const usesProfiles = noun.worksOnProfiles !== true;
        return runner(
          globalOptionsOf(this, noun),
          (context) => run(context, ...given),
          usesProfiles,
        );
      };
  const declared = new Set<Command>();
  const declare = async (command: Command): Promise<void> => {
    if (declared.has(command)) return;
    declared.add(command);
    addGlobalOptions(command, version);
    command.hook("preSubcommand", (_, inner) => declare(inner));
    const noun = nouns.find(({ name }) => command.parent === program && name === command.name());
    if (noun !== undefined) (await noun.load())(command, actionOf(noun));
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
  program.addHelpText("after", `Topics:\n${topicList()}\n`);
  declareHelp(program, declare);
  declareComplete({ program, declare }, runner);
  void declare(program);
  return { program, declare };
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

function topicList(): string {
  const width = Math.max(...topics.map(({ name }) => name.length));
  return topics.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}

/** Shows a topic as commander shows help. */
async function showTopic(program: Command, name: TopicName): Promise<never> {
  const { topicPage } = await import("./help/topic-page.ts");
  const printing: Printing = program.configureOutput();
  printing.writeOut?.(topicPage(name, printing.getOutHelpWidth?.() ?? 80));
  throw new CommanderError(0, "commander.helpDisplayed", "");
}

/** What the scripts of `sendctl completion` ask. It says nothing but what can stand at the cursor. */
function declareComplete(tree: Tree, runner: Runner): void {
  tree.program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .option("--line <text>")
    .option("--breaks <characters>")
    .option("--home <folder>")
    .action(async (words: string[], options: Omit<Question, "words">) => {
      const { complete } = await import("./completion/complete.ts");
      await complete({ ...tree, run: runner }, { words, ...options });
    });
}

function declareHelp(program: Command, declare: (command: Command) => Promise<void>): void {
  const help = program
    .command("help")
    .summary("Show the help of a command")
    .description("Show the help of a command, the same as `--help` after it, or a topic.")
    .argument("[command...]", "its words, or the name of a topic")
    .action(async (words: string[]) => {
      const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
      if (topic !== undefined) await showTopic(program, topic.name);
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
  examples(help, ["sendctl help group", "sendctl help group update", "sendctl help exit-codes"]);
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

const timeoutFlag = "--timeout";

/** They are taken before and after every word of a command: made once, and shared by all of them. */
const globalOptions = (
  [
    ["--profile <name>", "use the service or database of this profile"],
    ["--local", "use the embedded engine, whatever else is configured"],
    ["--base-url <url>", "use the remote service at this address"],
    ["--database <file>", "the embedded engine's SQLite file, or postgres://USER@HOST/NAME"],
    ["-o, --output <format>", `how to show what is found: ${formatNames.join(", ")}`],
    ["--json", "the same as --output json"],
    [`${timeoutFlag} <duration>`, "how long the remote service may take, like 500ms or 30s"],
    ["--retries <n>", "attempts after the first, where nothing is done twice"],
    ["--insecure-http", "let the key cross a network unencrypted"],
    ["--dry-run", "show the request as a curl command, and send nothing"],
    ["-q, --quiet", "nothing on stderr but errors"],
    ["--no-color", "no colours"],
    ["--no-input", "never ask; fail where something is missing"],
    ["--debug", "show on stderr what is done"],
  ] as const
).map(([flags, description]) => new Option(flags, description).helpGroup(globalGroup));

function addGlobalOptions(command: Command, version: string): void {
  // Of a command that has a --timeout of its own, this one stands before the verb.
  const isTimed = command.options.some(({ long }) => long === timeoutFlag);
  command.optionsGroup(globalGroup);
  for (const option of globalOptions) {
    if (!isTimed || option.long !== timeoutFlag) command.addOption(option);
  }
  command
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false);
}

/** As given on the command line; of two, the one that stands further right. */
export function globalOptionsOf(
  leaf: Command,
  { forgiving, isEmbedded }: Pick<Noun, "forgiving" | "isEmbedded"> = {},
): GlobalOptions {
  const given: Record<string, unknown> = forgiving === undefined ? {} : { forgiving };
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven && option.helpGroupHeading === globalGroup) {
        given[name] ??= command.getOptionValue(name);
      }
    }
  }
  // Who gives an address is told that it can't be used.
  if (isEmbedded === true && given["baseUrl"] === undefined) given["local"] = true;
  return given;
}
