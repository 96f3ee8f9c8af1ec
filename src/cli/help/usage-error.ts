import type { Command, CommanderError } from "commander";
import { SendctlError } from "../../core/error.ts";
import { counted, nearest, shellWord } from "../../core/text.ts";
import { type Tree, commandNamed, isGlobalOption, pathOf } from "../program/build-command.ts";
import { isRequestOption, requestHint } from "../../commands/api/api.ts";
import { topics } from "../registry.ts";

/** Our options, by common names in other tools; the first one that the command has is meant. */
const equivalents: Readonly<Record<string, readonly string[]>> = {
  "-l": ["--limit", "--lines"],
  "-L": ["--limit", "--lines"],
  "-n": ["--limit", "--lines"],
  "-p": ["--port", "--profile"],
  "-w": ["--watch"],
  "--asc": ["--sort FIELD:asc"],
  "--context": ["--profile"],
  "--csv": ["--output csv"],
  "--desc": ["--sort FIELD:desc"],
  "--fields": ["--columns"],
  "--filter": ["--search", "--query"],
  "--force": ["--yes"],
  "--format": ["--output"],
  "--jq": ["--query"],
  "--limit": ["--lines"],
  "--lines": ["--limit"],
  "--page-size": ["--per-page"],
  "--reverse": ["--sort FIELD:desc"],
  "--sort-by": ["--sort"],
  "--tail": ["--lines", "--limit"],
  "--url": ["--base-url"],
  "--verbose": ["--debug"],
  "--yaml": ["--output yaml"],
};

/** Verbs that tools use for the same action. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "new", "add", "make"],
  ["fetch", "get", "show", "describe", "view", "info", "cat"],
  ["update", "edit", "set", "modify", "change"],
  ["delete", "remove", "revoke"],
];

const [search, use] = ["group list --search TEXT", "profile use NAME"];

/** Our commands, by one or two words of other tools. A word in capitals is the next one that was given. */
const commandsElsewhere: Readonly<Record<string, string>> = {
  auth: "login",
  "auth logout": "logout",
  "auth status": "profile show",
  "auth switch": use,
  config: "profile show",
  "config get-contexts": "profile list",
  "config list": "profile list",
  "config use-context": use,
  configure: "login",
  context: "profile list",
  find: search,
  "group find": search,
  "group search": search,
  "group undo": "undo",
  import: "local contact import",
  init: "login",
  list: search,
  "local import": "local contact import",
  ls: "group list",
  plan: "diff",
  "profile add": "login",
  "profile create": "login",
  "profile current": "profile show",
  "profile new": "login",
  "profile switch": use,
  revert: "undo",
  rollback: "undo",
  rollout: "history",
  "rollout undo": "undo",
  search,
  "sender-id find": "sender-id list --search TEXT",
  "sender-id search": "sender-id list --search TEXT",
  sid: "sender-id",
  start: "serve",
  status: "doctor",
  switch: use,
  use,
  wait: "sender-id wait NAME",
  whoami: "profile show",
};

const review = (status: string): string => `sendctl local review NAME --status ${status}`;

const inBackground =
  "a service in the background: sendctl local start --write-env service.env; it is temporary";

const unchangeable =
  "a sender ID cannot be changed; create another with sendctl sender-id create, then delete this one";

/** Commands and options that delete or remove. They are suggested only for a word of that meaning, or a slip in theirs. */
const removing =
  /^(?:delete|revoke|logout|reset|restore|stop|--(?:prune|replace|clean|clear-.*|off|yes))$/;

/** Returns whether a word may be suggested for another one: for a slip, or for the beginning of one that removes nothing. */
function isMeant(typed: string, name: string): boolean {
  if (nearest(typed, [name]) !== undefined) return true;
  return typed.length > 3 && name.startsWith(typed) && !removing.test(name);
}

/** Words of other tools for which there is no command or option, with the way to do the same. */
const otherWays: Readonly<Record<string, string>> = {
  "group create --name": "the name is an argument: sendctl group create NAME",
  "group attach": "sender IDs are set with sendctl group update GROUP --sender-id NAME",
  "group delete --all": "sendctl group list --all -o id | sendctl group delete -",
  "local approve": review("APPROVED"),
  "local reject": review("REJECTED"),
  "serve --background": inBackground,
  "serve --daemon": inBackground,
  "serve --detach": inBackground,
  "sender-id approve":
    "on the embedded engine: sendctl local review NAME --status APPROVED; a remote service does it itself: sendctl sender-id wait NAME --for APPROVED",
  "sender-id delete --all": "sendctl sender-id list --all -o id | sendctl sender-id delete -",
  "sender-id edit": unchangeable,
  "sender-id reject": review("REJECTED"),
  "sender-id rename": unchangeable,
  "sender-id review": review("APPROVED"),
  "sender-id update": unchangeable,
  "sender-id create --name": "the name is an argument: sendctl sender-id create NAME",
};

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
  const way = otherWay(command, word);
  if (way !== undefined) return way;
  const meant = (await verbMeant(tree, command)) ?? commandElsewhere(command);
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
  const same = synonyms.find((verbs) => verbs.includes(word)) ?? [word];
  // Like `kubectl get pods`, which lists.
  const names = word === "get" && next.endsWith("s") ? ["list"] : same;
  const found = noun.commands.find((inner) => names.includes(inner.name()));
  return found && lineOf(found);
}

function commandElsewhere(command: Command): string | undefined {
  const { args } = command;
  const path = pathOf(command).slice(1);
  const wordsOf = (count: number): string => [...path, ...args.slice(0, count)].join(" ");
  const count = [2, 1].find((length) => Object.hasOwn(commandsElsewhere, wordsOf(length)));
  if (count === undefined) return undefined;
  const given = args[count];
  const found = commandsElsewhere[wordsOf(count)]!;
  const line = found.replace(/[A-Z]+$/, (placeholder) => (given ? shellWord(given) : placeholder));
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
  const way = switched ?? otherWay(command, flag);
  if (way !== undefined) return way;
  const equivalent = equivalentOption(command, flag);
  if (equivalent !== undefined) return hintOf([equivalent], command);
  const found = near.length > 0 ? near : optionsWith(command, flag);
  if (found.length === 0 && /^-[^-]{2}/.test(flag) && command.registeredArguments.length > 0) {
    return `if it is a name, write -- before it; ${hintOf([], command)}`;
  }
  const isGlobal = command.options.some(
    (option) => near.includes(option.long!) && isGlobalOption(option),
  );
  return isGlobal ? hintOf(found, command, "sendctl help options") : hintOf(found, command);
}

/** Returns our option for an option of another tool. */
function equivalentOption(command: Command, flag: string): string | undefined {
  const options = Object.hasOwn(equivalents, flag) ? equivalents[flag]! : [];
  return options.find((option) =>
    command.options.some(({ long }) => long === option.split(" ")[0]),
  );
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

/** Returns how to do what an option of another tool does, if it takes more than another option. */
function otherWay(command: Command, flag: string): string | undefined {
  if (flag === "-v") return "for the version: sendctl --version; for each request: --debug";
  if (keyOptions.has(flag) && !pathOf(command).includes("local")) {
    return "a key is never an argument: set SENDCTL_SECRET_KEY, or store it with sendctl login";
  }
  const path = pathOf(command).slice(1);
  if (path[0] === "api" && isRequestOption(flag)) {
    return requestHint(command.args);
  }
  const key = [...path, flag].join(" ");
  // Not all records for one that was named.
  if (flag === "--all" && command.args.length > 0) return undefined;
  return Object.hasOwn(otherWays, key) ? otherWays[key] : undefined;
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
