import type { Command, Help } from "commander";
import type { ExitCodes } from "../define-command.ts";

const exitCodes = new WeakMap<Command, ExitCodes>();

/** Sets the exit codes that the help of a command lists. */
export function addExitCodes(command: Command, codes: ExitCodes): void {
  exitCodes.set(command, codes);
}

/** Returns the exit codes that the help of a command lists, with their meaning. */
export function exitCodesOf(command: Command): readonly (readonly [code: string, text: string])[] {
  return (exitCodes.get(command) ?? []).map(([code, meaning]) => [String(code), meaning]);
}

/** Returns the section of a help page that lists exit codes; empty for most commands. */
export function exitCodeSection(command: Command, help: Help): readonly string[] {
  const codes = exitCodesOf(command);
  if (codes.length === 0) return [];
  const width = help.padWidth(command, help);
  const lines = codes.map(([code, meaning]) => help.formatItem(code, width, meaning, help));
  return [["Exit codes:", ...lines].join("\n")];
}
