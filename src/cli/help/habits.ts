import type { Command } from "commander";
import { shellWord } from "../../contract/text/shell-word.ts";
import { pathOf } from "../program/tree.ts";

/** Our options, by the names that other tools give them; the first one that the command has is meant. */
const equivalents: Readonly<Record<string, readonly string[]>> = {
  "-a": ["--all"],
  "-A": ["--all"],
  "-f": ["--yes"],
  "-j": ["--json"],
  "-l": ["--limit"],
  "-L": ["--limit"],
  "-n": ["--limit"],
  "-p": ["--port", "--profile"],
  "-v": ["--debug", "--version"],
  "-w": ["--watch"],
  "--assume-yes": ["--yes"],
  "--confirm": ["--yes"],
  "--csv": ["--output csv"],
  "--db": ["--database"],
  "--fields": ["--columns"],
  "--filter": ["--search", "--query"],
  "--force": ["--yes"],
  "--format": ["--output"],
  "--id": ["--output id"],
  "--jq": ["--query"],
  "--jsonl": ["--output jsonl"],
  "--page-size": ["--per-page"],
  "--size": ["--per-page"],
  "--sort-by": ["--sort"],
  "--table": ["--output table"],
  "--url": ["--base-url"],
  "--verbose": ["--debug"],
  "--yaml": ["--output yaml"],
};

/** Options of other tools for which a command has no option, with the way to do the same. */
const otherWays: Readonly<Record<string, string>> = {
  "group create --name": "the name is an argument: sendctl group create NAME",
  "group create --sender-id": "sender IDs are set with sendctl group update GROUP --sender-id NAME",
  "group create --send-holiday":
    "holiday messages are set with sendctl group update GROUP --send-holiday",
  "sender-id create --name": "the name is an argument: sendctl sender-id create NAME",
};

const keyOptions = new Set(["--api-key", "--key", "--secret-key", "--token"]);

/** Returns our options for an option of another tool. */
export function equivalentOptions(command: Command, flag: string): readonly string[] {
  const options = Object.hasOwn(equivalents, flag) ? equivalents[flag]! : [];
  const found = options.find((option) => {
    const [long] = option.split(" ");
    return command.options.some((one) => one.long === long);
  });
  return found === undefined ? [] : [found];
}

/** Returns how to do what an option of another tool does, if it takes more than another option. */
export function otherWay(command: Command, flag: string): string | undefined {
  if (keyOptions.has(flag) && !pathOf(command).includes("local")) {
    return "a key is never an argument: set SENDCTL_SECRET_KEY, or store it with sendctl login";
  }
  const key = [...pathOf(command).slice(1), flag].join(" ");
  return Object.hasOwn(otherWays, key) ? otherWays[key] : undefined;
}

/** Returns the hint for a command with too many arguments. */
export function excessHint(command: Command): string {
  const path = pathOf(command).join(" ");
  const word = command.args[command.registeredArguments.length] ?? "";
  if (path === "sendctl export") return `redirect the output: sendctl export > ${shellWord(word)}`;
  // Like `gh --json name,id`.
  const isFields = command.getOptionValue("json") === true && /^\w+(?:,\w+)*$/.test(word);
  if (isFields && command.options.some(({ long }) => long === "--columns")) {
    const fields = word.split(",").map((field) => `${field}: ${field}`);
    return `--json takes no value: pass --columns ${word} for a table, or --query '[].{${fields.join(", ")}}' for JSON`;
  }
  return command.registeredArguments.length === 0
    ? `see ${path} --help`
    : "quote text that contains spaces";
}
