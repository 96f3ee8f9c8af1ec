import type { Command } from "commander";
import type { Prompter } from "../../prompts/prompter.ts";
import type { Tree } from "../program/tree.ts";

/** Asks for a command. @returns the program itself for "Back", undefined for "Quit" */
export async function chooseCommand(
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
    const name = await prompter.select(
      isTop ? "What would you like to work with?" : "What would you like to do?",
      [
        ...inner.map((one) => ({ value: one.name(), name: one.name(), about: one.summary() })),
        { value: "", name: isTop ? "Quit" : "Back" },
      ],
    );
    const next = inner.find((one) => one.name() === name);
    if (next === undefined) return isTop ? undefined : program;
    command = next;
  }
}
