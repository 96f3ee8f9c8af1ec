import {
  Argument,
  Command,
  CommanderError,
  Help,
  type Option,
  type OutputConfiguration,
} from "commander";
import { formatRefusal, queryRefusal } from "../../output/formats/format.ts";
import { minHelpWidth } from "../../output/terminal.ts";
import {
  type RunDefinition,
  type Runner,
  type Tree,
  addExamples,
  buildCommands,
  commandNamed,
  exitCodesOf,
  finishCommand,
  globalOptionsOf,
  isGlobalOption,
  withValueKind,
} from "./build-command.ts";
import type { Question } from "../completion/complete.ts";
import { nouns, topics, type Noun } from "../registry.ts";

/** Where the output of commander goes, and its width. */
export interface Printing extends OutputConfiguration {
  /** Receives the command that ended parsing with help, the version or an error. */
  readonly endedBy?: (command: Command) => void;
}

/** Builds the tree of commands. */
export function createProgram(version: string, runner: Runner, printing: Printing): Tree {
  const program = new Command("sendctl")
    .description(
      "Manage the sender IDs and groups of a bulk-SMS platform. Without configuration, commands use the embedded engine, which stores records in an SQLite file.",
    )
    .exitOverride()
    .configureOutput(printing)
    .enablePositionalOptions()
    .configureHelp({ formatHelp, minWidthToWrap: minHelpWidth, subcommandTerm: usageOf })
    .addHelpText("beforeAll", ({ command }) => {
      refuseUnknownWord(command);
      return "";
    });
  const declared = new Set<Command>();
  const declare = async (command: Command): Promise<void> => {
    if (declared.has(command)) return;
    declared.add(command);
    const noun = nouns.find(({ name }) => command.parent === program && name === command.name());
    if (noun !== undefined) buildCommands(command, await noun.load(), runnerOf(noun, runner));
    finishCommand(command, version);
    command.exitOverride((error) => {
      printing.endedBy?.(command);
      throw error;
    });
    command.hook("preSubcommand", (_, inner) => declare(inner));
  };
  for (const { name, alias, summary, description, examples } of nouns) {
    const command = program.command(name).summary(summary);
    if (alias !== undefined) command.alias(alias);
    if (description !== undefined) command.description(description);
    if (examples !== undefined) addExamples(command, examples);
  }
  addExamples(program, [
    'sendctl sender-id create ACME --purpose "Order updates"',
    "sendctl group list --json",
    "sendctl help group update",
  ]);
  const width = Math.max(...topics.map(({ name }) => name.length));
  const pages = topics.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  program.addHelpText("after", `Topics:\n${pages.join("")}`);
  declareVersion(program, version);
  declareHelp(program, declare);
  declareComplete({ program, declare }, runner);
  void declare(program);
  return { program, declare };
}

function runnerOf(noun: Noun, runner: Runner): RunDefinition {
  return (command, run) =>
    runner(globalOptionsOf(command, noun), run, noun.worksOnProfiles !== true);
}

/** Returns how a list of commands shows a command, without `[options]`. */
function usageOf(command: Command): string {
  const names = [command.name(), ...command.aliases()].join("|");
  const given = command.registeredArguments.map((argument) =>
    argument.variadic ? `[${argument.name()}...]` : `[${argument.name()}]`,
  );
  return [names, ...given].join(" ");
}

/** Declares `sendctl version`, the same as `--version`. */
function declareVersion(program: Command, version: string): void {
  const command = program
    .command("version")
    .summary("Show the version")
    .description("Show the version of sendctl, the same as `--version`.")
    .action(() => {
      program.configureOutput().writeOut?.(`${version}\n`);
      throw new CommanderError(0, "commander.version", "");
    });
  addExamples(command, ["sendctl version", "sendctl version --json"]);
}

/** Declares the hidden command that the scripts of `sendctl completion` run. */
function declareComplete(tree: Tree, runner: Runner): void {
  tree.program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .option("--line <text>")
    .option("--breaks <characters>")
    .option("--encoded <words>")
    .action(async (words: string[], options: Omit<Question, "words"> & { encoded?: string }) => {
      const { complete } = await import("../completion/complete.ts");
      const { encoded, ...question } = options;
      const given =
        encoded === undefined ? words : Buffer.from(encoded, "base64").toString().split("\n");
      await complete({ ...tree, run: runner }, { words: given, ...question });
    });
}

/** Declares `sendctl help`. @param declare declares the subcommands of a command */
function declareHelp(program: Command, declare: Tree["declare"]): void {
  const words = new Argument("[command...]", "the words of a command, or the name of a topic");
  const help = program
    .command("help")
    .summary("Show the help of a command")
    .description("Show the help of a command, the same as `--help` after it, or a topic.")
    .addArgument(withValueKind(words, { takes: "command" }))
    .action(async (words: string[]) => {
      refuseUnusedOptions(help);
      const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
      if (topic !== undefined) {
        const { topicPage } = await import("../help/topic-texts.ts");
        const printing = program.configureOutput();
        // Like commander prints help.
        printing.writeOut?.(topicPage(topic.name, printing.getOutHelpWidth?.() ?? 80));
        throw new CommanderError(0, "commander.helpDisplayed", "");
      }
      let command = program;
      for (const [index, word] of words.entries()) {
        if (command.commands.length === 0) {
          command.error(`error: '${command.name()}' has no subcommands: unexpected '${word}'`);
        }
        command.args = words.slice(index);
        refuseUnknownWord(command);
        command = commandNamed(command, word) ?? command;
        await declare(command);
      }
      command.args = [];
      command.help();
    });
  addExamples(help, ["sendctl help group", "sendctl help group update", "sendctl help exit-codes"]);
}

/** Refuses options that help would ignore. @throws SendctlError "usage" */
function refuseUnusedOptions(command: Command): void {
  const { query, output = "table" } = globalOptionsOf(command);
  const formats = ["table", "json"];
  if (query !== undefined) throw queryRefusal("help");
  if (!formats.includes(output)) throw formatRefusal("help", output, formats);
}

/** Reports an unknown subcommand, for which commander would print the help of the parent. */
function refuseUnknownWord(command: Command): void {
  const [word = "-"] = command.args;
  if (command.commands.length === 0 || word.startsWith("-")) return;
  if (commandNamed(command, word) !== undefined) return;
  // The error of commander, which suggests the nearest word. It is missing from its types.
  (command as Command & { unknownCommand: () => never }).unknownCommand();
}

const globalOptionsLine =
  "Global options, such as --profile and --json: see `sendctl help options`";

/** Formats the help of a command so that it fits a screen: one line stands for the global options. */
function formatHelp(command: Command, help: Help): string {
  const short = Object.create(help) as Help;
  short.visibleOptions = (shown): Option[] =>
    help.visibleOptions(shown).filter((option) => !isGlobalOption(option));
  const width = short.padWidth(command, short);
  const codes = exitCodesOf(command).map(([code, meaning]) =>
    short.formatItem(code, width, meaning, short),
  );
  return [
    Help.prototype.formatHelp.call(short, command, short).trimEnd(),
    ...(codes.length === 0 ? [] : [["Exit codes:", ...codes].join("\n")]),
    `${help.boxWrap(globalOptionsLine, help.helpWidth ?? 80)}\n`,
  ].join("\n\n");
}
