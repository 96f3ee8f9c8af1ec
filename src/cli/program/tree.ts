import type { Command } from "commander";

/** The tree of commands. Most commands are declared when the command line names them. */
export interface Tree {
  readonly program: Command;
  /** Declares the subcommands, options and examples of a command, once. */
  readonly declare: (command: Command) => Promise<void>;
}

/** Returns the words of a command, as in `sendctl group list`. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}

/** Returns the subcommand with this name or alias. */
export function commandNamed(command: Command, word: string): Command | undefined {
  return command.commands.find((inner) => [inner.name(), ...inner.aliases()].includes(word));
}
