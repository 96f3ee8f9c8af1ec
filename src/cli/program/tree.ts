import type { Command } from "commander";

/** The commands, of which most are declared when they are named. */
export interface Tree {
  readonly program: Command;
  /** Declares what follows a command, if that has not been done. */
  readonly declare: (command: Command) => Promise<void>;
}

/** The words of a command: `sendctl group list`. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...pathOf(command.parent), command.name()];
}
