import { Help, type OutputConfiguration } from "commander";
import { minHelpWidth } from "../../output/terminal.ts";
import {
  type Runner,
  CliArgument,
  CliCommand,
  ParsingEnded,
  buildCommands,
  globalOptionsOf,
} from "./build-command.ts";
import type { Question } from "../completion.ts";
import { nouns, topics, type Noun } from "../registry.ts";

/** The code of the end of parsing after a topic of the help was printed. */
export const topicShown = "sendctl.topic";

/** Builds the tree of commands. @param printing where commander's output goes, and its width */
export async function createProgram(
  runner: Runner,
  printing: OutputConfiguration,
): Promise<CliCommand> {
  const program = new CliCommand("sendctl")
    .description(
      "Manage the sender IDs and groups of a bulk-SMS platform. Without configuration, commands use the embedded engine, which stores records in an SQLite file.",
    )
    .configureOutput(printing)
    .enablePositionalOptions()
    .configureHelp({ formatHelp, minWidthToWrap: minHelpWidth, subcommandTerm: usageOf });
  for (const noun of nouns) declareNoun(program.command(noun.name), noun, runner);
  program.examples = [
    'sendctl sender-id create ACME --purpose "Order updates"',
    "sendctl group list --json",
    "sendctl help group update",
  ];
  const width = Math.max(...topics.map(({ name }) => name.length));
  const pages = topics.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  program.addHelpText("after", `Topics:\n${pages.join("")}`);
  declareVersion(program);
  declareHelp(program);
  declareComplete(program, runner);
  await program.declare();
  return program;
}

function declareNoun(command: CliCommand, noun: Noun, runner: Runner): void {
  command.summary(noun.summary);
  if (noun.alias !== undefined) command.alias(noun.alias);
  if (noun.description !== undefined) command.description(noun.description);
  command.examples = noun.examples ?? [];
  command.declares = async () =>
    buildCommands(command, await noun.load(), (leaf, run) =>
      runner(globalOptionsOf(leaf, noun), run, noun.worksOnProfiles !== true),
    );
}

/** Returns how a list of commands shows a command, without `[options]`. */
function usageOf(command: CliCommand): string {
  const names = [command.name(), ...command.aliases()].join("|");
  const given = command.registeredArguments.map((argument) =>
    argument.variadic ? `[${argument.name()}...]` : `[${argument.name()}]`,
  );
  return [names, ...given].join(" ");
}

/** Declares `sendctl version`, the same as `--version`. */
function declareVersion(program: CliCommand): void {
  const command = program
    .command("version")
    .summary("Show the version")
    .description("Show the version of sendctl, the same as `--version`.")
    .action(() => {
      throw new ParsingEnded("commander.version", "", command);
    });
  command.examples = ["sendctl version", "sendctl version --json"];
}

/** Declares the hidden command that the scripts of `sendctl completion` run. */
function declareComplete(program: CliCommand, runner: Runner): void {
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .option("--line <text>")
    .option("--breaks <characters>")
    .option("--encoded <words>")
    .action(async (words: string[], options: Omit<Question, "words"> & { encoded?: string }) => {
      const { complete } = await import("../completion.ts");
      const { encoded, ...question } = options;
      const given =
        encoded === undefined ? words : Buffer.from(encoded, "base64").toString().split("\n");
      await complete(program, runner, { words: given, ...question });
    });
}

/** Declares `sendctl help`. */
function declareHelp(program: CliCommand): void {
  const argument = new CliArgument(
    "[command...]",
    "the words of a command, or the name of a topic",
  );
  argument.takes = "command";
  const help = program
    .command("help")
    .summary("Show the help of a command")
    .description("Show the help of a command, the same as `--help` after it, or a topic.")
    .addArgument(argument)
    .action(async (words: string[]) => {
      const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
      if (topic !== undefined) {
        const { topicPage } = await import("../help/topic-texts.ts");
        const printing = program.configureOutput();
        // Like commander prints help.
        printing.writeOut?.(topicPage(topic.name, printing.getOutHelpWidth?.() ?? 80));
        throw new ParsingEnded(topicShown, "", help);
      }
      const command = await program.below(words);
      command.args = [];
      command.outputHelp();
      throw new ParsingEnded("commander.helpDisplayed", "", command);
    });
  help.examples = ["sendctl help group", "sendctl help group update", "sendctl help exit-codes"];
}

const globalOptionsLine =
  "Global options, such as --profile and --json: see `sendctl help options`";

/** Formats the help of a command for one screen: one line stands for the global options. */
function formatHelp(command: CliCommand, help: Help): string {
  // Commander would print the help of the parent of an unknown command.
  const [word = "-"] = command.args;
  const isUnknown = command.commands.length > 0 && command.named(word) === undefined;
  if (isUnknown && !word.startsWith("-")) command.unknownCommand();
  const short = Object.create(help) as Help;
  short.visibleOptions = (shown: CliCommand) =>
    shown.shownOptions().filter(({ isGlobal }) => !isGlobal);
  const width = short.padWidth(command, short);
  const codes = command.exitCodes.map(([code, meaning]) =>
    short.formatItem(String(code), width, meaning, short),
  );
  return [
    Help.prototype.formatHelp.call(short, command, short).trimEnd(),
    ...(codes.length === 0 ? [] : [["Exit codes:", ...codes].join("\n")]),
    help.boxWrap(globalOptionsLine, help.helpWidth ?? 80),
    `Examples:\n${command.examples.map((line) => `  $ ${line}\n`).join("")}\n`,
  ].join("\n\n");
}
