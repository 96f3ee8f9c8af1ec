import type { Command, Help } from "commander";
import type { ExitCodes } from "../define-command.ts";

const known = new WeakMap<Command, ExitCodes>();

/** Remembers the exit codes that the help of a command names. */
export function addExitCodes(command: Command, codes: ExitCodes): void {
  known.set(command, codes);
}

/** Returns the exit codes of a command that deserve a mention, with their meaning. */
export function exitCodesOf(command: Command): readonly (readonly [code: string, text: string])[] {
  return (known.get(command) ?? []).map(([code, meaning]) => [String(code), meaning]);
}

/** Returns the section of a help page that names exit codes; nothing for most commands. */
export function exitCodeSection(command: Command, help: Help): readonly string[] {
  const codes = exitCodesOf(command);
  if (codes.length === 0) return [];
  const width = help.padWidth(command, help);
  const lines = codes.map(([code, meaning]) => help.formatItem(code, width, meaning, help));
  return [["Exit codes:", ...lines].join("\n")];
}
