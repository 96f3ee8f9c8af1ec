import type { Argument, Command, Option } from "commander";
import { isGlobalOption } from "../program/global-options.ts";
import type { Tree } from "../program/tree.ts";

/** Returns every command without subcommands, in the order of the help. */
export async function leavesOf({ program, declare }: Tree): Promise<Command[]> {
  const below = async (command: Command): Promise<Command[]> => {
    await declare(command);
    const inner = command.createHelp().visibleCommands(command);
    if (inner.length === 0) return [command];
    const leaves: Command[] = [];
    for (const one of inner) leaves.push(...(await below(one)));
    return leaves;
  };
  return below(program);
}

/** Returns an argument as usage lines show it: `[NAME]`, `[COMMAND...]`. */
export function argumentUsage(argument: Argument): string {
  const name = argument
    .name()
    .toUpperCase()
    .replaceAll(/(?<=\w)-/g, "_");
  return argument.variadic ? `[${name}...]` : `[${name}]`;
}

/** An option or argument, and its description with choices and default. */
type Term = readonly [term: string, description: string];

/** Returns the options of a command, without the global ones. */
export function ownOptionsOf(command: Command): Term[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  return own.map((option: Option) => [option.flags, help.optionDescription(option)]);
}

/** Returns the arguments of a command. */
export function argumentTerms(command: Command): Term[] {
  const help = command.createHelp();
  return command.registeredArguments.map((argument) => [
    argumentUsage(argument).slice(1, -1),
    help.argumentDescription(argument),
  ]);
}
