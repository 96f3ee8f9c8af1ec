import { SendctlError } from "../../core/error.ts";
import { counted, nearest, shellWord } from "../../core/text.ts";
import type { CliCommand } from "../program/build-command.ts";
import { topics } from "../registry.ts";

/** Words of other tools, each with the verb, command or option of sendctl. */
const wordsElsewhere = {
  /** Verbs after a noun, or before it: `group add`, `add group`. */
  verbs: {
    add: "create",
    new: "create",
    describe: "fetch",
    set: "update",
    remove: "delete",
    revoke: "delete",
  },
  /** Commands. NAME and TEXT are the next word that was given. */
  commands: {
    "auth logout": "logout",
    "auth status": "profile show",
    auth: "login",
    signin: "login",
    signout: "logout",
    configure: "login",
    config: "profile show",
    whoami: "profile show",
    use: "profile use NAME",
    switch: "profile use NAME",
    "profile switch": "profile use NAME",
    ls: "group list",
    list: "group list --search TEXT",
    find: "group list --search TEXT",
    search: "group list --search TEXT",
    "group find": "group list --search TEXT",
    "group search": "group list --search TEXT",
    import: "local contact import",
    plan: "diff",
    rollback: "undo",
    approve: "local review NAME --status APPROVED",
    reject: "local review NAME --status REJECTED",
    "sender-id update": "apply FILE --replace",
  },
  options: {
    "-n": "--limit",
    "-v": "--version",
    "--context": "--profile",
    "--filter": "--search",
    "--force": "--yes",
    "--format": "--output",
  },
} as const;

/** Returns the command that a word of another tool means. */
function meaningOf(kind: keyof typeof wordsElsewhere, word: string): string | undefined {
  const words: Readonly<Record<string, string>> = wordsElsewhere[kind];
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Commands and options that delete or remove. They are suggested only for a slip in their name. */
const removing =
  /^(?:delete|revoke|logout|reset|restore|stop|--(?:prune|replace|clean|clear-.*|off|yes))$/;

/** Returns the names that a word may stand for: a slip, a beginning, or an option's last word. */
function namesMeant(word: string, names: readonly string[]): readonly string[] {
  const isPart = (name: string): boolean =>
    name.startsWith(word) || (word.startsWith("--") && name.endsWith(word.slice(1)));
  const slip = names.filter((name) => nearest(word, [name]) !== undefined);
  if (slip.length > 0 || word.length < 4) return slip;
  return names.filter((name) => isPart(name) && !name.startsWith("--no-") && !removing.test(name));
}

const keyOptions = new Set(["--api-key", "--key", "--key-file", "--secret-key", "--token"]);

/**
 * Converts a usage error of commander. The hint suggests the nearest word and the help to read.
 *
 * @param code of commander
 * @param command the command that refused its words
 */
export async function usageError(
  code: string,
  message: string,
  command: CliCommand,
): Promise<SendctlError> {
  const refused = (hint?: string, text = message.replace(/^error: /, "")): SendctlError =>
    new SendctlError("usage", text, { hint });
  switch (code) {
    case "commander.unknownCommand":
      return refused(await commandHint(command));
    case "commander.unknownOption": {
      const [flag = ""] = command.refused.split("=");
      // What follows it is a key.
      const text = keyOptions.has(flag) ? `unknown option '${flag}'` : undefined;
      return refused(optionHint(command), text);
    }
    case "commander.optionMissingArgument":
      return refused(hintOf([], command));
    case "commander.excessArguments":
      return refused(excessHint(command), excessText(command));
    default:
      return refused();
  }
}

function hintOf(
  meant: readonly string[],
  command: CliCommand,
  help = `${command.line} --help`,
): string {
  return meant.length === 0 ? `see ${help}` : `did you mean ${meant.join(" or ")}? See ${help}`;
}

/** Returns the hint for an unknown command. */
async function commandHint(command: CliCommand): Promise<string> {
  const [word = ""] = command.args;
  if (word === "help") return hintOf([], command);
  const meant = (await verbMeant(command)) ?? commandElsewhere(command);
  if (meant !== undefined) return hintOf([meant], command);
  const shown = await command.shownCommands();
  const names = shown.flatMap((inner) => [inner.name(), ...inner.aliases()]);
  const lines = namesMeant(word, names).map((name) => command.named(name)!.line);
  const topic = nearest(word, command.parent === null ? topics.map(({ name }) => name) : []);
  const found = lines.length === 0 && topic ? [`sendctl help ${topic}`] : [...new Set(lines)];
  return hintOf(found, command);
}

/** Returns the verb of sendctl that a word means, or the word. */
function verbOf(word: string): string {
  return meaningOf("verbs", word) ?? word;
}

/** Returns the command of a verb: after or before its noun, or below `local`. */
async function verbMeant(command: CliCommand): Promise<string | undefined> {
  const [word = "", next = ""] = command.args;
  const isFirst = command.parent === null;
  const local = command.program.named("local")!;
  if (isFirst) await local.declare();
  const below = isFirst ? local.named(word.replace(/s$/, "")) : undefined;
  if (below !== undefined) return below.line;
  const noun = isFirst ? command.named(next) : command;
  // Like `kubectl get pods`, which lists.
  const verb = word === "get" && next.endsWith("s") ? "list" : word;
  const shown = (await noun?.shownCommands()) ?? [];
  const found = shown.find((inner) => verbOf(inner.name()) === verbOf(verb)) ?? noun?.named(verb);
  return found?.line;
}

/** Returns the command that one or two words of another tool mean. */
function commandElsewhere({ path, args, parent }: CliCommand): string | undefined {
  const words = [...path, ...args];
  const two = meaningOf("commands", words.slice(0, 2).join(" "));
  const found = two ?? meaningOf("commands", args[0] ?? "");
  // Below a noun, only reviews are commands of another one.
  if (found === undefined || (two === undefined && parent !== null && !found.startsWith("local ")))
    return undefined;
  const given = two === undefined ? args[1] : words[2];
  const line = found.replace(/NAME|TEXT/, (name) =>
    given?.startsWith("-") === false ? shellWord(given) : name,
  );
  return `sendctl ${line}`;
}

/** Returns the hint for an unknown option. */
function optionHint(command: CliCommand): string {
  const { options, refused } = command;
  // An option that is on or off takes no value.
  const [flag = ""] = refused.split("=");
  if (keyOptions.has(flag) && !command.path.includes("local")) {
    return "a key is never an argument: set SENDCTL_SECRET_KEY, or store it with sendctl login";
  }
  const equivalent = meaningOf("options", flag);
  if (equivalent !== undefined && options.some(({ long }) => long === equivalent)) {
    return hintOf([equivalent], command);
  }
  const names = command.shownOptions().flatMap(({ long }) => long ?? []);
  const found = flag.startsWith("--") ? namesMeant(flag, names) : [];
  if (found.length === 0 && /^-[^-]{2}/.test(flag) && command.registeredArguments.length > 0) {
    return `if it is a name, write -- before it; ${hintOf([], command)}`;
  }
  const isGlobal = options.some(({ long, isGlobal: global }) => global && found.includes(long!));
  return isGlobal ? hintOf(found, command, "sendctl help options") : hintOf(found, command);
}

/** Returns the message for a command with too many arguments. */
function excessText(command: CliCommand): string {
  const { registeredArguments, args, options } = command;
  const takes = `${command.path.join(" ")} takes`;
  if (registeredArguments.length > 0) {
    return `${takes} ${counted(registeredArguments.length, "argument")}, not ${args.length}`;
  }
  return options.some(({ long }) => long === "--search")
    ? `${takes} no name; to search: --search ${shellWord(args[0] ?? "")}`
    : `${takes} no arguments`;
}

/** Returns the hint for a command with too many arguments. */
function excessHint(command: CliCommand): string {
  const { registeredArguments, args, options } = command;
  const word = args[registeredArguments.length] ?? "";
  if (args.some((arg) => arg.startsWith("-"))) return "options go before --";
  // In other tools, an option that is on or off takes a value.
  if (/^(?:true|yes|on|1|false|no|off|0)$/i.test(word)) {
    const given = options.filter(
      (option) =>
        !option.required && command.getOptionValueSource(option.attributeName()) === "cli",
    );
    if (given.length > 0) return `write ${given.map(({ long }) => long).join(" or ")}`;
  }
  if (command.name() === "export")
    return `redirect the output: sendctl export > ${shellWord(word)}`;
  return registeredArguments.length === 0 ? hintOf([], command) : "quote text that contains spaces";
}
