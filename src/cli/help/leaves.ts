import type { Argument, Command, Option } from "commander";
import { isGlobalOption } from "../program/global-options.ts";
import type { Tree } from "../program/tree.ts";

/** Returns every command that does something, in the order of the help. */
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

/** An argument in the usage of a command: `[NAME]`, `[COMMAND...]`. */
export function argumentUsage(argument: Argument): string {
  const name = argument
    .name()
    .toUpperCase()
    .replaceAll(/(?<=\w)-/g, "_");
  return argument.variadic ? `[${name}...]` : `[${name}]`;
}

/** An option or argument with its description, its choices and its default. */
type Term = readonly [term: string, description: string];

/** The options of a command that not every command takes. */
export function ownOptionsOf(command: Command): Term[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  return own.map((option: Option) => [option.flags, help.optionDescription(option)]);
}

export function argumentTerms(command: Command): Term[] {
  const help = command.createHelp();
  return command.registeredArguments.map((argument) => [
    argumentUsage(argument).slice(1, -1),
    help.argumentDescription(argument),
  ]);
}
