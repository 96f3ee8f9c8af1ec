import { Argument, Option, type Command } from "commander";
import type * as define from "../define-command.ts";
import { addExamples } from "./examples.ts";
import { addExitCodes } from "./exit-code-section.ts";

type Run = define.CommandDefinition["run"];

/** Runs the `run` of a definition: with capabilities, and with the values that its command was given. */
export type RunDefinition = (
  command: Command,
  run: (capabilities: Parameters<Run>[0]) => ReturnType<Run>,
) => Promise<void>;

/** What the values of arguments and options have to be, for the shell completion. */
const taken = new WeakMap<Argument | Option, define.Taken>();

export function takenBy(declared: Argument | Option): define.Taken | undefined {
  return declared.argChoices ?? taken.get(declared);
}

/** Remembers what the values of an argument or option have to be. */
export function taking<Made extends Argument | Option>(
  made: Made,
  { takes }: { readonly takes?: define.Taken },
): Made {
  if (takes !== undefined) taken.set(made, takes);
  return made;
}

/** What is left to do for a command, until it is named itself. */
const unfinished = new WeakMap<Command, () => void>();

/**
 * Builds the commands below a first word from its definitions, in their order, or the word itself where it is
 * a command. They are finished when they are named: options take more time to make than all the rest.
 */
export function buildCommands(
  first: Command,
  definitions: readonly define.Definition[],
  runDefinition: RunDefinition,
): void {
  for (const definition of definitions) {
    const [name, ...words] = definition.path.split(" ");
    if (name !== first.name()) continue;
    const command = commandAt(first, words);
    command.description(definition.description);
    if (definition.summary !== undefined) command.summary(definition.summary);
    if (definition.aliases !== undefined) command.aliases(definition.aliases);
    const args = "run" in definition ? Object.entries(definition.args ?? {}) : [];
    for (const [key, declared] of args) command.addArgument(argumentOf(key, declared));
    unfinished.set(command, () => {
      if ("run" in definition) takeValues(command, definition, runDefinition);
      addExamples(command, definition.examples);
    });
  }
}

/** Gives a command its options, its action and its examples. */
export function finishCommand(command: Command): void {
  unfinished.get(command)?.();
}

function commandAt(first: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((inner) => inner.name() === word) ?? command.command(word),
    first,
  );
}

function takeValues(
  command: Command,
  definition: define.CommandDefinition,
  runDefinition: RunDefinition,
): void {
  const args = Object.entries(definition.args ?? {});
  const options = Object.entries(definition.options ?? {}).map(
    ([key, declared]) => [key, declared, optionsOf(declared)] as const,
  );
  for (const [, , made] of options) for (const option of made) command.addOption(option);
  if (definition.exitCodes !== undefined) addExitCodes(command, definition.exitCodes);
  for (const [, , [one, other]] of options) if (other !== undefined) exclude(command, one!, other);
  if (definition.passesOptions === true) command.passThroughOptions();
  command.action(() => {
    const argValues = args.map(
      ([key, { read }], index) => [key, read(command.processedArgs[index])] as const,
    );
    const optionValues = options.map(([key, { read }, [option]]) => {
      return [key, read(command.getOptionValue(option!.attributeName()))] as const;
    });
    return runDefinition(command, (capabilities) =>
      definition.run(capabilities, given(argValues), given(optionValues)),
    );
  });
}

/** Refuses both options of a pair that sets one value, of which commander would take the last. */
function exclude(command: Command, one: Option, other: Option): void {
  let given: Option | undefined;
  for (const option of [one, other]) {
    command.on(`option:${option.name()}`, () => {
      if (given !== undefined && given !== option) {
        const message = `error: option '${other.flags}' cannot be used with option '${one.flags}'`;
        command.error(message, { code: "commander.conflictingOption" });
      }
      given = option;
    });
  }
}

/** A value that was not given is left out. */
function given(values: readonly (readonly [key: string, value: unknown])[]): object {
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function argumentOf(key: string, declared: define.Argument<unknown>): Argument {
  const name = declared.name ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const dots = declared.isVariadic === true ? "..." : "";
  const argument = new Argument(`[${name}${dots}]`, declared.description);
  if (declared.choices !== undefined) argument.choices(declared.choices);
  return taking(argument, declared);
}

function optionsOf(declared: define.Option<unknown>): readonly Option[] {
  return declared.flags.map(([flags, description]) => {
    const option = new Option(flags, description).conflicts([...(declared.conflicts ?? [])]);
    if (declared.default !== undefined) option.default(declared.default, declared.default);
    if (declared.isHidden === true) option.hideHelp();
    if (declared.isRepeated === true) option.argParser(collect);
    return taking(option, declared);
  });
}

function collect(value: string, others: readonly string[] | undefined): readonly string[] {
  return [...(others ?? []), value];
}
