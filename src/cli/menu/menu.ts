import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { askFor } from "./ask-for.ts";
import { commandLine } from "./words.ts";

/** Runs a command line, with the options that `sendctl` itself was given. */
export type RunWords = (words: readonly string[]) => Promise<ExitCode>;

/**
 * Offers every command. Its arguments are asked for, it is run as if it had been typed, and its command line
 * is shown; then the menu is back.
 *
 * @throws SendctlError "cancelled" on Ctrl-C at any question
 */
export async function openMenu(
  context: Capabilities,
  prompter: Prompter,
  tree: Tree,
  run: RunWords,
): Promise<ExitCode> {
  const { baseUrl, database } = context.config.settings;
  await context.output.say(
    baseUrl === undefined ? `sendctl · embedded engine · ${database}` : `sendctl · ${baseUrl}`,
  );
  for (;;) {
    const chosen = await choose(prompter, tree);
    if (chosen === undefined) return exitCodes.done;
    if (chosen === tree.program) continue;
    const path = pathOf(chosen).slice(1);
    const line = await askFor(context, prompter, chosen, path);
    if (line === undefined) continue;
    await run(line);
    await context.output.say(`  $ ${commandLine(line)}\n`);
  }
}

/** Returns a command that does something; the program itself for "Back", undefined for "Quit". */
async function choose(
  prompter: Prompter,
  { program, declare }: Tree,
): Promise<Command | undefined> {
  let command = program;
  for (;;) {
    await declare(command);
    const inner = command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => one.name() !== "help");
    if (inner.length === 0) return command;
    const isTop = command === program;
    const width = Math.max(...inner.map((one) => one.name().length));
    const name = await prompter.select(
      isTop ? "What would you like to work with?" : "What would you like to do?",
      [
        ...inner.map((one) => ({
          value: one.name(),
          name: `${one.name().padEnd(width)}  ${one.summary()}`,
        })),
        { value: "", name: isTop ? "Quit" : "Back" },
      ],
    );
    const next = inner.find((one) => one.name() === name);
    if (next === undefined) return isTop ? undefined : program;
    command = next;
  }
}
