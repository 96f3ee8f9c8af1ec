import { Option, type Command } from "commander";
import type { GlobalOptions } from "../../config/settings.ts";
import { formatNames } from "../../output/formats/formats.ts";
import { taking } from "./build-command.ts";
import type { Taken } from "../define-command.ts";
import type { Noun } from "../registry.ts";

const heading = "Global options:";

const timeoutFlag = "--timeout";

/** Accepted before and after every word of a command. Created once and shared by all commands. */
const globalOptions = [
  made("--profile <name>", "use the service or database of this profile", "profile"),
  made("--local", "use the embedded engine, whatever else is configured"),
  made("--base-url <url>", "use the remote service at this address"),
  made(
    "--database <file>",
    "the embedded engine's SQLite file, or postgres://USER@HOST/NAME",
    "file",
  ),
  made("-o, --output <format>", `output format: ${formatNames.join(", ")}`, formatNames),
  made("--json", "same as --output json"),
  made("--query <expr>", "print the result of a JMESPath expression over the record or records"),
  made("--csv-safe", "write ' before CSV cells that begin like a formula"),
  made(`${timeoutFlag} <duration>`, "time limit of one attempt, like 500ms (default: 30s)"),
  made("--retries <n>", "retries of requests that are safe to repeat (default: 2)"),
  made("--insecure-http", "send the key over plain HTTP to other machines, too"),
  made("--dry-run", "change nothing: print the request as a curl command; for apply, the plan"),
  made("-q, --quiet", "print nothing but errors on stderr"),
  made("--no-color", "print no colours"),
  made("--no-input", "never ask; fail where input is missing"),
  made("--debug", "log requests and their attempts on stderr"),
];

const versionTerm = ["-V, --version", "show the version"] as const;
const helpTerm = ["-h, --help", "show this help"] as const;

/** The flags and description of every global option, for `sendctl help options` and the documents. */
export const globalOptionTerms: readonly (readonly [flags: string, description: string])[] = [
  ...globalOptions.map(({ flags, description }) => [flags, description] as const),
  versionTerm,
  helpTerm,
];

function made(flags: string, description: string, takes?: Taken): Option {
  const option = new Option(flags, description).helpGroup(heading);
  return takes === undefined ? option : taking(option, { takes });
}

/** Adds the global options to a command. Its help names them in one line. */
export function addGlobalOptions(command: Command, version: string): void {
  // Of a command that has a --timeout of its own, this one stands before the verb.
  const isTimed = command.options.some(({ long }) => long === timeoutFlag);
  command.optionsGroup(heading);
  for (const option of globalOptions) {
    if (!isTimed || option.long !== timeoutFlag) command.addOption(option);
  }
  command
    .version(version, ...versionTerm)
    .helpOption(...helpTerm)
    .helpCommand(false);
}

/** Returns whether an option is one that every command takes. */
export function isGlobalOption({ helpGroupHeading }: Option): boolean {
  return helpGroupHeading === heading;
}

/** As given on the command line; of two, the one that stands further right. */
export function globalOptionsOf(
  leaf: Command,
  { forgiving, isEmbedded }: Pick<Noun, "forgiving" | "isEmbedded"> = {},
): GlobalOptions {
  const given: Record<string, unknown> = forgiving === undefined ? {} : { forgiving };
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven && isGlobalOption(option)) given[name] ??= command.getOptionValue(name);
    }
  }
  // A base URL given by a flag is reported as a mistake later.
  if (isEmbedded === true && given["baseUrl"] === undefined) given["local"] = true;
  return given;
}
