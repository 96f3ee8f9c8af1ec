import type { Argument, Command } from "commander";
import {
  type Tree,
  examplesOf,
  exitCodesOf,
  isGlobalOption,
  pathOf,
} from "../program/build-command.ts";

/** An option, an argument or an exit code, and its description with choices and default. */
type Term = readonly [term: string, description: string];

/** A command without subcommands, as the manual page and the command reference show it. */
export interface Leaf {
  /** The command line, as `sendctl group list`. */
  readonly title: string;
  /** The title with the arguments. */
  readonly usage: string;
  readonly summary: string;
  readonly description: string;
  /** In backticks. */
  readonly aliases: readonly string[];
  readonly args: readonly Term[];
  /** Without the global ones. */
  readonly options: readonly Term[];
  readonly exitCodes: readonly Term[];
  readonly examples: readonly string[];
}

/** Returns every command without subcommands, in the order of the help. */
export async function leavesOf({ program, declare }: Tree): Promise<Leaf[]> {
  const below = async (command: Command): Promise<Leaf[]> => {
    await declare(command);
    const inner = command.createHelp().visibleCommands(command);
    if (inner.length === 0) return [leafOf(command)];
    const leaves: Leaf[] = [];
    for (const child of inner) leaves.push(...(await below(child)));
    return leaves;
  };
  return below(program);
}

function leafOf(command: Command): Leaf {
  const help = command.createHelp();
  const title = pathOf(command).join(" ");
  const args = command.registeredArguments;
  const own = help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  return {
    title,
    usage: [title, ...args.map((argument) => `[${termOf(argument)}]`)].join(" "),
    summary: command.summary(),
    description: command.description(),
    aliases: command.aliases().map((alias) => `\`${alias}\``),
    args: args.map((argument) => [termOf(argument), help.argumentDescription(argument)]),
    options: own.map((option) => [option.flags, help.optionDescription(option)]),
    exitCodes: exitCodesOf(command),
    examples: examplesOf(command),
  };
}

/** Returns an argument as usage lines show it: `NAME`, `COMMAND...`. */
function termOf(argument: Argument): string {
  const name = argument
    .name()
    .toUpperCase()
    .replaceAll(/(?<=\w)-/g, "_");
  return argument.variadic ? `${name}...` : name;
}
