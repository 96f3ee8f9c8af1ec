import { Argument, CommanderError, type Command } from "commander";
import { topics, type TopicName } from "../registry.ts";
import { addExamples, withValueKind } from "./build-command.ts";
import { commandNamed } from "./tree.ts";

/** Returns the list of topics, which ends the help of `sendctl`. */
export function topicList(): string {
  const width = Math.max(...topics.map(({ name }) => name.length));
  return topics.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n");
}

/** Declares `sendctl help`. @param declare declares the subcommands of a command */
export function declareHelp(
  program: Command,
  declare: (command: Command) => Promise<void>,
): Command {
  const words = new Argument("[command...]", "the words of a command, or the name of a topic");
  const help = program
    .command("help")
    .summary("Show the help of a command")
    .description("Show the help of a command, the same as `--help` after it, or a topic.")
    .addArgument(withValueKind(words, { takes: "command" }))
    .action(async (words: string[]) => {
      const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
      if (topic !== undefined) await showTopic(program, topic.name);
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
  return help;
}

/** Prints a topic like commander prints help. */
async function showTopic(program: Command, name: TopicName): Promise<never> {
  const { topicPage } = await import("../help/topic-texts.ts");
  const printing = program.configureOutput();
  printing.writeOut?.(topicPage(name, printing.getOutHelpWidth?.() ?? 80));
  throw new CommanderError(0, "commander.helpDisplayed", "");
}

/** Reports an unknown subcommand, for which commander would print the help of the parent. */
export function refuseUnknownWord(command: Command): void {
  const [word] = command.args;
  if (command.commands.length > 0 && word !== undefined && !word.startsWith("-")) {
    if (commandNamed(command, word) === undefined) {
      // The error of commander, which suggests the nearest word. It is missing from its types.
      (command as Command & { unknownCommand: () => never }).unknownCommand();
    }
  }
}
