import type { Argument, Command, Option } from "commander";
import {
  type Tree,
  examplesOf,
  exitCodesOf,
  isGlobalOption,
  pathOf,
  valueKindOf,
  variableOf,
} from "../program/build-command.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

/** Types by the name that an option's value has in help; others are texts. */
const types: Readonly<Record<string, string>> = {
  n: "integer",
  duration: "duration",
  date: "date",
  file: "path",
  folder: "path",
};

/**
 * Returns the help of a command, or of those below it, for programs: the commands with their arguments, options, exit
 * codes and examples, and what all commands share. Fields without a value are absent.
 */
export async function machineHelp({ declare }: Tree, command: Command): Promise<object> {
  const found = await commandsBelow(command, declare);
  const globals = found[0]!
    .createHelp()
    .visibleOptions(found[0]!)
    .filter((option) => isGlobalOption(option) || option.long === "--help");
  return {
    commands: found.map(describe),
    global_options: globals.map(describeOption),
    exit_codes: pairs(topicTexts["exit-codes"]).map(([code, meaning]) => codeOf(code, meaning)),
    environment: pairs(topicTexts.environment).map(([names, meaning]) => ({
      names: names.split(", "),
      meaning,
    })),
  };
}

function describe(command: Command): object {
  const help = command.createHelp();
  const own = help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  return {
    command: pathOf(command).join(" "),
    aliases: listOf(command.aliases()),
    summary: command.summary(),
    description: command.description(),
    arguments: listOf(command.registeredArguments.map(describeArgument)),
    options: listOf(own.filter(({ long }) => long !== "--help").map(describeOption)),
    exit_codes: listOf(exitCodesOf(command).map(([code, meaning]) => codeOf(code, meaning))),
    examples: listOf(examplesOf(command)),
  };
}

function describeArgument(argument: Argument): object {
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
function describeOption(option: Option): object {
  const { short, long, description, defaultValue } = option;
  const [, value] = /[<[]([^>\]]*)[>\]]$/.exec(option.flags) ?? [];
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    value,
    is_value_optional: option.optional || undefined,
    type: value === undefined ? "boolean" : (types[value] ?? "text"),
    description,
    default: defaultValue as string | undefined,
    is_repeatable: option.parseArg === undefined ? undefined : true,
    variable: variableOf(option),
    ...valuesOf(option),
  };
}

/** Returns every command without subcommands, in the order of the help. */
async function commandsBelow(command: Command, declare: Tree["declare"]): Promise<Command[]> {
  await declare(command);
  const inner = command.createHelp().visibleCommands(command);
  if (inner.length === 0) return [command];
  const found: Command[] = [];
  for (const child of inner) found.push(...(await commandsBelow(child, declare)));
  return found;
}

/** Returns the possible values: words, or the kind of record, field or file that they name. A path is only suggested. */
function valuesOf(declared: Argument | Option): object {
  const values = valueKindOf(declared);
  if (typeof values === "string") return { names: values };
  const areSuggested = values?.some((value) => value.startsWith("/")) === true;
  return areSuggested ? { suggestions: values } : { choices: values };
}

function listOf<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

function codeOf(code: string, meaning: string): object {
  return { code: Number(code), meaning };
}

/** Returns the terms of a topic. */
function pairs(blocks: readonly Block[]): readonly (readonly [term: string, meaning: string])[] {
  return blocks.flatMap((block) => (typeof block === "string" ? [] : block));
}
