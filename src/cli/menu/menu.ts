import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { targetName, targetOptions } from "../../config/target-name.ts";
import { safeText } from "../../output/safe-text.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { nouns } from "../registry.ts";
import { askFor } from "./ask-for.ts";
import { commandLine } from "./words.ts";

/** Runs a command line, with the options that `sendctl` itself was given. */
export type RunWords = (words: readonly string[]) => Promise<ExitCode>;

/**
 * Offers every command. Its arguments are asked for, it is run as if it had been typed, and its command line
 * is shown, with the options that select the same target; then the menu is back.
 *
 * @param reopen returns a context of the settings as they are after a change of the profiles
 * @throws SendctlError "cancelled" on Ctrl-C at any question
 */
export async function openMenu(
  first: Capabilities,
  reopen: () => Capabilities,
  prompter: Prompter,
  tree: Tree,
  run: RunWords,
): Promise<ExitCode> {
  let context = first;
  await sayTarget(context);
  for (;;) {
    const chosen = await choose(prompter, tree);
    if (chosen === undefined) return exitCodes.done;
    if (chosen === tree.program) continue;
    const path = pathOf(chosen).slice(1);
    const line = await askFor(context, prompter, chosen, path);
    if (line === undefined) continue;
    await run(line);
    const { settings } = context.config;
    const noun = nouns.find(({ name }) => name === path[0]);
    const options =
      noun?.worksOnProfiles === true
        ? []
        : targetOptions(settings, noun?.isEmbedded === true || noun?.name === "serve");
    const shown = [...line.slice(0, path.length), ...options, ...line.slice(path.length)];
    await context.output.say(`  $ ${commandLine(shown)}\n`);
    if (noun?.worksOnProfiles !== true) continue;
    context = reopen();
    if (targetName(context.config.settings) !== targetName(settings)) await sayTarget(context);
  }
}

function sayTarget({ output, config }: Capabilities): Promise<void> {
  const { settings } = config;
  const { baseUrl, database } = settings;
  const target = baseUrl === undefined ? `embedded engine · ${database}` : targetName(settings);
  return output.say(safeText(`sendctl · ${target}`));
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
