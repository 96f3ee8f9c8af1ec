import type { Command } from "commander";

const examples = new WeakMap<Command, readonly string[]>();

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
