import type { Command } from "commander";
import { pathOf, type Tree } from "../program/tree.ts";

/** Verbs that show a record. */
const shows = ["fetch", "get", "show", "describe", "view", "inspect", "info"];

/** Verbs that other tools use for the same thing. */
const verbs: readonly (readonly string[])[] = [
  ["create", "new", "add", "make"],
  shows,
  ["list", "ls", "all"],
  ["update", "edit", "set", "modify", "patch", "change"],
  ["delete", "rm", "remove", "del", "destroy", "revoke"],
  ["rename", "mv", "move"],
  ["use", "switch", "select"],
];

/** Commands that have another name in other tools, by their words after `sendctl`. */
const elsewhere: Readonly<Record<string, string>> = {
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
  import: "local contact import",
  init: "login",
  plan: "diff",
  "profile add": "login",
  "profile create": "login",
  "profile new": "login",
  "profile edit": "login",
  "profile set": "login",
  "profile update": "login",
  server: "serve",
  settings: "profile show",
  start: "serve",
  status: "doctor",
  whoami: "profile show",
};

/**
 * Returns the commands that an unknown word stands for in other tools, or with its words in another order;
 * undefined where none is known.
 *
 * @param command that refused its words
 */
export async function otherWords(
  tree: Tree,
  command: Command,
): Promise<readonly string[] | undefined> {
  const [word = "", next, further] = command.args;
  const path = [...pathOf(command).slice(1), word];
  const known = elsewhere[[...path, next].join(" ")] ?? elsewhere[path.join(" ")];
  if (known !== undefined) return [`sendctl ${known}`];

  const synonym = childFor(command, word);
  if (synonym !== undefined) return shown([synonym]);

  const { program, declare } = tree;
  const nouns = await nounsOf(tree);
  const noun = nouns.find((one) => isNamed(one, word));
  if (noun !== undefined) {
    await declare(noun);
    return shown([(next === undefined ? undefined : childFor(noun, next)) ?? noun]);
  }
  if (command !== program || !verbs.some((words) => words.includes(word))) return undefined;
  const wanted = next === undefined ? undefined : nouns.find((one) => isNamed(one, next));
  const candidates = wanted === undefined ? nouns.slice(0, 2) : [wanted];
  for (const one of candidates) await declare(one);
  // As in `kubectl get pods`, which lists.
  const lists = next?.endsWith("s") === true && further === undefined && shows.includes(word);
  const found = candidates.flatMap((one) => childFor(one, lists ? "list" : word) ?? []);
  return found.length === 0 ? undefined : shown(found);
}

/** Returns the words that commands follow, those below `local` last. */
async function nounsOf({ program, declare }: Tree): Promise<readonly Command[]> {
  const local = program.commands.find((one) => one.name() === "local")!;
  await declare(local);
  const top = program.createHelp().visibleCommands(program);
  return [...top.filter((one) => one !== local), ...local.commands];
}

/** Returns whether a command has a name, in the singular or plural. */
function isNamed(command: Command, word: string): boolean {
  return [command.name(), ...command.aliases()].some(
    (name) => name === word || `${name}s` === word,
  );
}

/** Returns the command below another that has this name, or a verb that means the same. */
function childFor(command: Command, word: string): Command | undefined {
  const same = verbs.find((words) => words.includes(word)) ?? [word];
  const all = command.commands;
  return all.find((one) => isNamed(one, word)) ?? all.find((one) => same.includes(one.name()));
}

function shown(commands: readonly Command[]): readonly string[] {
  return commands.map((one) => pathOf(one).join(" "));
}
