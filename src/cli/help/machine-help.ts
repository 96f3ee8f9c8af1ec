import type { CliArgument, CliCommand, CliOption } from "../program/build-command.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

/**
 * Returns the help of a command, or of those below it, for programs: the commands with their
 * arguments, options, exit codes and examples, and what all commands share. Fields without a value
 * are absent.
 */
export async function machineHelp(command: CliCommand): Promise<object> {
  const found = await leavesOf(command);
  const globals = found[0]!.shownOptions().filter((option) => option.isGlobal);
  return {
    commands: found.map(describe),
    global_options: globals.map(describeOption),
    exit_codes: pairs("exit-codes").map(describeCode),
    environment: pairs("environment").map(([names, meaning]) => ({
      names: names.split(", "),
      meaning,
    })),
  };
}

/** Returns every command without subcommands, in the order of the help. */
async function leavesOf(command: CliCommand): Promise<readonly CliCommand[]> {
  const leaves: CliCommand[] = [];
  const inner = await command.shownCommands();
  for (const child of inner) leaves.push(...(await leavesOf(child)));
  return inner.length === 0 ? [command] : leaves;
}

function describe(command: CliCommand): object {
  const own = command.shownOptions().filter((option) => !option.isGlobal);
  return {
    command: command.line,
    aliases: listOf(command.aliases()),
    summary: command.summary(),
    description: command.description(),
    arguments: listOf(command.registeredArguments.map(describeArgument)),
    options: listOf(own.map(describeOption)),
    exit_codes: listOf(command.exitCodes.map(describeCode)),
    examples: listOf(command.examples),
  };
}

function describeArgument(argument: CliArgument): object {
  const { description, variadic } = argument;
  const name = argument
    .name()
    .toUpperCase()
    .replaceAll(/(?<=\w)-/g, "_");
  return {
    // As usage lines show it: `NAME`, `COMMAND...`.
    name: variadic ? `${name}...` : name,
    description,
    is_variadic: variadic || undefined,
    ...valuesOf(argument),
  };
}

/** Commands take a text of each option, and check it themselves. */
function describeOption(option: CliOption): object {
  const { short, long, description, defaultValue } = option;
  const [, value] = /[<[]([^>\]]*)[>\]]$/.exec(option.flags) ?? [];
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    value,
    is_value_optional: option.optional || undefined,
    description,
    default: defaultValue as string | undefined,
    is_repeatable: option.parseArg === undefined ? undefined : true,
    ...valuesOf(option),
  };
}

/** Returns possible values: words, or the kind of record, field or file that they name. */
function valuesOf({ takes }: CliArgument | CliOption): object {
  if (typeof takes === "string") return { names: takes };
  const areSuggested = takes?.some((value) => value.startsWith("/")) === true;
  return areSuggested ? { suggestions: takes } : { choices: takes };
}

function listOf<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function describeCode([code, meaning]: readonly [code: number | string, meaning: string]): object {
  return { code: Number(code), meaning };
}

/** Returns the terms of a topic. */
function pairs(topic: "exit-codes" | "environment"): Exclude<Block, string> {
  return topicTexts[topic].flatMap((block) => (typeof block === "string" ? [] : block));
}
