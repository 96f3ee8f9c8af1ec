import { Option, type Command } from "commander";
import type { GlobalOptions } from "../../config/settings.ts";
import { formatNames } from "../../output/formats/formats.ts";
import { withFixedName, withValueKind } from "./build-command.ts";
import type { ValueKind } from "../../command/define-command.ts";
import type { Noun } from "../registry.ts";

const heading = "Global options:";

const timeoutFlag = "--timeout";

/** The options that are accepted before and after every word of a command, shared by all commands. */
const globalOptions = [
  globalOption("--profile <name>", "use the service or database of this profile", "profile"),
  globalOption("--local", "use the embedded engine, even if a service is configured"),
  globalOption("--base-url <url>", "use the remote service at this address"),
  globalOption(
    "--database <file>",
    "the embedded engine's SQLite file, or postgres://USER@HOST/NAME",
    "file",
  ),
  globalOption("-o, --output <format>", `output format: ${formatNames.join(", ")}`, formatNames),
  globalOption("--json", "same as --output json"),
  globalOption(
    "--query <expr>",
    "print the result of a JMESPath expression over the record or records",
  ),
  globalOption("--csv-safe", "write ' before CSV cells that start like a formula"),
  globalOption(`${timeoutFlag} <duration>`, "time limit of one attempt, like 500ms (default: 30s)"),
  globalOption("--retries <n>", "retries of requests that are safe to repeat (default: 2)"),
  globalOption("--insecure-http", "allow sending the key over plain HTTP to other machines"),
  globalOption(
    "--dry-run",
    "change nothing; print the request as a curl command, or the plan of apply",
  ),
  globalOption("-q, --quiet", "print only errors on stderr"),
  globalOption("--no-color", "print no colours"),
  globalOption("--no-input", "never ask; fail if input is missing"),
  globalOption("--debug", "log requests and their attempts on stderr"),
];

const versionTerm = ["-V, --version", "show the version"] as const;
const helpTerm = ["-h, --help", "show this help"] as const;

/** The flags and description of every global option, for `sendctl help options` and the documents. */
export const globalOptionTerms: readonly (readonly [flags: string, description: string])[] = [
  ...globalOptions.map(({ flags, description }) => [flags, description] as const),
  versionTerm,
  helpTerm,
];

function globalOption(flags: string, description: string, takes?: ValueKind): Option {
  const option = withFixedName(new Option(flags, description)).helpGroup(heading);
  return takes === undefined ? option : withValueKind(option, { takes });
}

/** Adds the global options to a command. Its help names them in one line. */
export function addGlobalOptions(command: Command, version: string): void {
  // A command with its own --timeout takes the global one before its verb only.
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

/** Returns the global options of a command line. The rightmost one wins. */
export function globalOptionsOf(
  leaf: Command,
  { lenient, isEmbedded }: Pick<Noun, "lenient" | "isEmbedded"> = {},
): GlobalOptions {
  const given: Record<string, unknown> = lenient === undefined ? {} : { lenient };
  for (let command: Command | null = leaf; command !== null; command = command.parent) {
    for (const option of command.options) {
      if (!isGlobalOption(option)) continue;
      const name = option.attributeName();
      const isGiven = command.getOptionValueSource(name) === "cli";
      if (isGiven) given[name] ??= command.getOptionValue(name);
    }
  }
  // A later check refuses --base-url.
  if (isEmbedded === true && given["baseUrl"] === undefined) given["local"] = true;
  return given;
}
