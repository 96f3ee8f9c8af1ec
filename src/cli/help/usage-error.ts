import type { Command, CommanderError } from "commander";
import { SendctlError } from "../../core/error.ts";
import { counted, nearest, shellWord } from "../../core/text.ts";
import { type Tree, commandNamed, isGlobalOption, pathOf } from "../program/build-command.ts";
import { topics } from "../registry.ts";

/**
 * Words of other tools, and what each means here: a verb of a noun (`add group`, `group add`), a
 * command, or an option. A word in capitals is the next one that was given.
 */
const wordsElsewhere: Readonly<Record<string, string>> = {
  add: "create",
  new: "create",
  get: "fetch",
  show: "fetch",
  view: "fetch",
  describe: "fetch",
  edit: "update",
  set: "update",
  remove: "delete",
  rm: "delete",
  revoke: "delete",
  auth: "login",
  "auth logout": "logout",
  "auth status": "profile show",
  signin: "login",
  signout: "logout",
  configure: "login",
  config: "profile show",
  whoami: "profile show",
  use: "profile use NAME",
  switch: "profile use NAME",
  ls: "group list",
  list: "group list --search TEXT",
  find: "group list --search TEXT",
  search: "group list --search TEXT",
  import: "local contact import",
  plan: "diff",
  rollback: "undo",
  start: "serve",
  status: "doctor",
  logs: "local log",
  approve: "local review NAME --status APPROVED",
  reject: "local review NAME --status REJECTED",
  "sender-id update": "apply --replace",
  "-n": "--limit",
  "-v": "--version",
  "--context": "--profile",
  "--filter": "--search",
  "--force": "--yes",
  "--format": "--output",
};

/** Returns what a word of another tool means. */
function meaningOf(word: string): string | undefined {
  return Object.hasOwn(wordsElsewhere, word) ? wordsElsewhere[word] : undefined;
}

/** Commands and options that delete or remove. They are suggested only for a word of that meaning, or a slip in theirs. */
const removing =
  /^(?:delete|revoke|logout|reset|restore|stop|--(?:prune|replace|clean|clear-.*|off|yes))$/;

/** Returns whether a word may be suggested for another one: for a slip, or for the beginning of one that removes nothing. */
function isMeant(typed: string, name: string): boolean {
  if (nearest(typed, [name]) !== undefined) return true;
  return typed.length > 3 && name.startsWith(typed) && !removing.test(name);
}

const keyOptions = new Set(["--api-key", "--key", "--key-file", "--secret-key", "--token"]);

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
  const [, typed = "", value] = /'([^'=]*)(?:=([^']*))?/.exec(line) ?? [];
  const near = (suggestion?.split(", ") ?? []).filter((name) => isMeant(typed, name));
  const refused = (hint: string, text = line) => new SendctlError("usage", text, { hint });
  switch (code) {
    case "commander.unknownCommand":
      return refused(await commandHint(tree, command, near));
    case "commander.unknownOption":
      return refused(optionHint(command, typed, value, near));
    case "commander.optionMissingArgument":
      return refused(hintOf([], command), `option ${typed} requires a value`);
    case "commander.excessArguments":
      return refused(excessHint(command), excessText(command));
    default:
      return new SendctlError("usage", line);
  }
}

function hintOf(
  meant: readonly string[],
  command: Command,
  help = `${lineOf(command)} --help`,
): string {
  return meant.length === 0 ? `see ${help}` : `did you mean ${meant.join(" or ")}? See ${help}`;
}

/** Returns the hint for an unknown command. @param near similar names */
async function commandHint(tree: Tree, command: Command, near: readonly string[]): Promise<string> {
  const [word = ""] = command.args;
  if (word === "help") return hintOf([], command);
  const meant = (await verbMeant(tree, command)) ?? commandElsewhere(tree, command);
  if (meant !== undefined) return hintOf([meant], command);
  const named = near.flatMap((name) => commandNamed(command, name) ?? []).map(lineOf);
  const topic = nearest(word, command === tree.program ? topics.map(({ name }) => name) : []);
  const found = named.length === 0 && topic ? [`sendctl help ${topic}`] : [...new Set(named)];
  return hintOf(found, command);
}

function lineOf(command: Command): string {
  return pathOf(command).join(" ");
}

/** Returns the command that a verb of another tool means: after its noun, or before it as in `describe group`. */
async function verbMeant(
  { program, declare }: Tree,
  command: Command,
): Promise<string | undefined> {
  const [word = "", next = ""] = command.args;
  const local = commandNamed(program, "local")!;
  await declare(local);
  const below = commandNamed(local, word.replace(/s$/, ""));
  if (command === program && below !== undefined) return lineOf(below);
  const noun = command === program ? commandNamed(program, next) : command;
  if (noun === undefined) return undefined;
  await declare(noun);
  const meant = meaningOf(word) ?? word;
  if (meant.includes(" ")) return undefined;
  // Like `kubectl get pods`, which lists.
  const verb = word === "get" && next.endsWith("s") ? "list" : meant;
  const found = noun.commands.find((inner) =>
    [inner.name(), meaningOf(inner.name())].includes(verb),
  );
  return found && lineOf(found);
}

/** Returns the command that one or two words of another tool mean. */
function commandElsewhere({ program }: Tree, command: Command): string | undefined {
  const { args } = command;
  const nouns = pathOf(command).slice(1);
  const two = meaningOf(args.slice(0, 2).join(" "));
  const whole = meaningOf([...nouns, args[0]].join(" "));
  const found = two ?? whole ?? meaningOf(args[0] ?? "");
  // A verb alone means nothing.
  if (found === undefined || commandNamed(program, found.split(" ")[0]!) === undefined)
    return undefined;
  // Reviews and logs are no verbs of a noun.
  const isElsewhere = found === whole || found.startsWith("local ");
  if (!isElsewhere && !found.startsWith(nouns.join(" "))) return undefined;
  const given = args[two === undefined ? 1 : 2];
  const line = found.replace(/[A-Z]{2,}/, (placeholder) =>
    given ? shellWord(given) : placeholder,
  );
  return `sendctl ${line}`;
}

/** Returns the hint for an unknown option. @param near similar options */
function optionHint(
  command: Command,
  flag: string,
  value: string | undefined,
  near: readonly string[],
): string {
  const switched = value === undefined ? undefined : switchHint(command, flag, value);
  if (switched !== undefined) return switched;
  if (keyOptions.has(flag) && !pathOf(command).includes("local")) {
    return "a key is never an argument: set SENDCTL_SECRET_KEY, or store it with sendctl login";
  }
  const equivalent = meaningOf(flag);
  if (command.options.some(({ long }) => long === equivalent))
    return hintOf([equivalent!], command);
  const found = near.length > 0 ? near : optionsWith(command, flag);
  if (found.length === 0 && /^-[^-]{2}/.test(flag) && command.registeredArguments.length > 0) {
    return `if it is a name, write -- before it; ${hintOf([], command)}`;
  }
  const isGlobal = command.options.some(
    (option) => near.includes(option.long!) && isGlobalOption(option),
  );
  return isGlobal ? hintOf(found, command, "sendctl help options") : hintOf(found, command);
}

/** Matches the values that other tools take for an option that is on or off. */
const onValues = /^(?:true|yes|on|1)$/i;
const offValues = /^(?:false|no|off|0)$/i;

/** Returns how to turn an option on or off that is given a value for that. */
function switchHint({ options }: Command, flag: string, value: string): string | undefined {
  const long = options.find((option) => option.long === flag && option.isBoolean())?.long;
  if (long === undefined || long === null) return undefined;
  const off = long.replace("--", "--no-");
  const hasOff = options.some((option) => option.long === off);
  if (onValues.test(value)) return `write ${long}`;
  return offValues.test(value)
    ? `write ${hasOff ? off : `nothing: without ${long} it is off`}`
    : undefined;
}

/** Returns the options that begin or end with the words of another: `--birthday-message` for `--birthday`. */
function optionsWith(command: Command, flag: string): readonly string[] {
  const names = command.options.flatMap(({ long, negate }) => (negate ? [] : (long ?? [])));
  if (!flag.startsWith("--")) return [];
  return names
    .filter((name) => name.startsWith(`${flag}-`) || name.endsWith(flag.slice(1)))
    .filter((name) => !removing.test(name) || isMeant(flag, name));
}

/** Returns the message for a command with too many arguments. */
function excessText(command: Command): string {
  const { registeredArguments, args, options } = command;
  const takes = `${pathOf(command).slice(1).join(" ")} takes`;
  if (registeredArguments.length > 0) {
    return `${takes} ${counted(registeredArguments.length, "argument")}, not ${args.length}`;
  }
  return options.some(({ long }) => long === "--search")
    ? `${takes} no name; to search: --search ${shellWord(args[0] ?? "")}`
    : `${takes} no arguments`;
}

/** Returns the hint for a command with too many arguments. */
function excessHint(command: Command): string {
  const { registeredArguments, args, options } = command;
  const word = args[registeredArguments.length] ?? "";
  if (args.some((arg) => arg.startsWith("-"))) return "options go before --";
  const switched = options.find(
    (option) =>
      option.isBoolean() && command.getOptionValueSource(option.attributeName()) === "cli",
  )?.long;
  const hint = switched ? switchHint(command, switched.replace("--no-", "--"), word) : undefined;
  if (hint !== undefined) return hint;
  if (command.name() === "export")
    return `redirect the output: sendctl export > ${shellWord(word)}`;
  return registeredArguments.length === 0 ? hintOf([], command) : "quote text that contains spaces";
}
