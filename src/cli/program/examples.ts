import type { Command } from "commander";

const known = new WeakMap<Command, readonly string[]>();

/** Shows examples at the end of a command's help. */
export function addExamples(command: Command, lines: readonly string[]): void {
  known.set(command, lines);
  const text = lines.map((line) => `  $ ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}\n`);
}

/** The examples of a command, each a command line. */
export function examplesOf(command: Command): readonly string[] {
  return known.get(command) ?? [];
}
