import type { Command } from "commander";
import { shellWord } from "../../core/text.ts";
import { commandNamed, pathOf, type Tree } from "../program/build-command.ts";

/** Verbs that show a record. */
const showVerbs = ["fetch", "get", "show", "describe", "view", "inspect", "info"];

/** Groups of synonyms that tools use for the same action. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "new", "add", "make"],
  showVerbs,
  ["list", "ls", "all"],
  ["update", "edit", "set", "modify", "patch", "change"],
  ["delete", "rm", "remove", "del", "destroy", "revoke"],
  ["rename", "mv", "move"],
  ["use", "switch", "select"],
];

/** Our commands, by the names that other tools give them. A word in capitals is the next one that was given. */
const equivalents: Readonly<Record<string, string>> = {
  auth: "login",
  "auth logout": "logout",
  "auth status": "profile show",
  config: "profile show",
  "config list": "profile list",
  "config ls": "profile list",
  "config use": "profile use",
  "config use-context": "profile use",
  "config get-contexts": "profile list",
  "config delete-context": "profile delete",
  "config rename-context": "profile rename",
  configure: "login",
  context: "profile list",
  find: "group list --search TEXT",
  "group find": "group list --search TEXT",
  "group search": "group list --search TEXT",
  import: "local contact import",
  init: "login",
  plan: "diff",
  "profile add": "login",
  "profile create": "login",
  "profile new": "login",
  "profile edit": "login",
  "profile set": "login",
  "profile update": "login",
  search: "group list --search TEXT",
  "sender-id find": "sender-id list --search TEXT",
  "sender-id search": "sender-id list --search TEXT",
  server: "serve",
  settings: "profile show",
  start: "serve",
  status: "doctor",
  switch: "profile use NAME",
  use: "profile use NAME",
  whoami: "profile show",
};

/**
 * Suggests commands for an unknown word that other tools use, or for words in another order.
 *
 * @param command the command that refused its words
 * @returns the commands, or undefined if none is known
 */
export async function suggestCommands(
  tree: Tree,
  command: Command,
): Promise<readonly string[] | undefined> {
  const [word = "", next, further] = command.args;
  const path = [...pathOf(command).slice(1), word];
  const known = equivalents[[...path, next].join(" ")] ?? equivalents[path.join(" ")];
  if (known !== undefined) {
    const given = next === undefined ? undefined : shellWord(next);
    return [`sendctl ${known.replace(/[A-Z]+$/, (placeholder) => given ?? placeholder)}`];
  }

  const synonym = childFor(command, word);
  if (synonym !== undefined) return commandLines([synonym]);

  const { program, declare } = tree;
  const nouns = await nounsOf(tree);
  const noun = nouns.find((candidate) => isNamed(candidate, word));
  if (noun !== undefined) {
    await declare(noun);
    return commandLines([(next === undefined ? undefined : childFor(noun, next)) ?? noun]);
  }
  if (command !== program || !synonyms.some((words) => words.includes(word))) return undefined;
  const wanted =
    next === undefined ? undefined : nouns.find((candidate) => isNamed(candidate, next));
  if (wanted === undefined && next !== undefined && word === "list") {
    return [`sendctl group list --search ${shellWord(next)}`];
  }
  const candidates = wanted === undefined ? nouns.slice(0, 2) : [wanted];
  for (const candidate of candidates) await declare(candidate);
  // Like `kubectl get pods`, which lists.
  const lists = next?.endsWith("s") === true && further === undefined && showVerbs.includes(word);
  const found = candidates.flatMap((candidate) => childFor(candidate, lists ? "list" : word) ?? []);
  return found.length === 0 ? undefined : commandLines(found);
}

/** Returns the commands that have subcommands, those below `local` last. */
async function nounsOf({ program, declare }: Tree): Promise<readonly Command[]> {
  const local = commandNamed(program, "local")!;
  await declare(local);
  const top = program.createHelp().visibleCommands(program);
  return [...top.filter((command) => command !== local), ...local.commands];
}

/** Returns whether a word is the name of a command, singular or plural. */
function isNamed(command: Command, word: string): boolean {
  return [command.name(), ...command.aliases()].some(
    (name) => name === word || `${name}s` === word,
  );
}

/** Returns the subcommand with this name, or with a verb of the same meaning. */
function childFor(command: Command, word: string): Command | undefined {
  const same = synonyms.find((words) => words.includes(word)) ?? [word];
  const { commands } = command;
  return (
    commands.find((child) => isNamed(child, word)) ??
    commands.find((child) => same.includes(child.name()))
  );
}

function commandLines(commands: readonly Command[]): readonly string[] {
  return commands.map((command) => pathOf(command).join(" "));
}
