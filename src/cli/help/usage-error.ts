import type { Command, CommanderError } from "commander";
import { SendctlError } from "../../contract/error.ts";
import { nearest } from "../../contract/text/nearest.ts";
import { isGlobalOption } from "../program/global-options.ts";
import { topics } from "../registry.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { equivalentOptions, excessHint, otherWay } from "./habits.ts";
import { suggestCommands } from "./suggest-commands.ts";

/**
 * Converts a usage error of commander. The hint suggests the nearest word and the help to read. Commander has no field
 * for its suggestion, so this reads it from the message.
 *
 * @param command the command that refused its words
 */
export async function usageError(
  { code, message }: CommanderError,
  command: Command,
  tree: Tree,
): Promise<SendctlError> {
  const [line = ""] = message.replace(/^error: /, "").split("\n(", 1);
  const [, suggestion] = /\(Did you mean (?:one of )?(.*)\?\)/s.exec(message) ?? [];
  const near = suggestion?.split(", ") ?? [];
  const path = pathOf(command).join(" ");
  const help = `${path} --help`;
  if (code === "commander.unknownCommand") {
    const meant = (await suggestCommands(tree, command)) ?? namesIn(command, near);
    const found = meant.length === 0 && command === tree.program ? topicsNear(command.args) : meant;
    return new SendctlError("usage", line, { hint: hintOf(found, help) });
  }
  if (code === "commander.unknownOption") {
    const [, given = ""] = /'([^'=]*)/.exec(line) ?? [];
    const way = otherWay(command, given);
    if (way !== undefined) return new SendctlError("usage", line, { hint: way });
    const equivalent = equivalentOptions(command, given);
    if (equivalent.length > 0) {
      return new SendctlError("usage", line, { hint: hintOf(equivalent, help) });
    }
    const page = near.some((flag) => isGlobalFlag(command, flag)) ? "sendctl help options" : help;
    return new SendctlError("usage", line, { hint: hintOf(near, page) });
  }
  const hint = code === "commander.excessArguments" ? excessHint(command) : undefined;
  return new SendctlError("usage", line, { hint });
}

function hintOf(meant: readonly string[], help: string): string {
  return meant.length === 0 ? `see ${help}` : `did you mean ${meant.join(" or ")}? See ${help}`;
}

/** Suggests a help topic that has the name of the first word, or nearly so. */
function topicsNear([word = ""]: readonly string[]): readonly string[] {
  const names = topics.map(({ name }) => name);
  const name = nearest(word, names);
  return name === undefined ? [] : [`sendctl help ${name}`];
}

function isGlobalFlag({ options }: Command, flag: string): boolean {
  return options.some((option) => option.long === flag && isGlobalOption(option));
}

/** Returns the full commands with these names or aliases, without duplicates. */
function namesIn(command: Command, names: readonly string[]): readonly string[] {
  const found = names.flatMap((name) =>
    command.commands.filter((inner) => [inner.name(), ...inner.aliases()].includes(name)),
  );
  return [...new Set(found.map((inner) => pathOf(inner).join(" ")))];
}
