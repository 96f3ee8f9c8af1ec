import { Help, type Command, type Option } from "commander";
import { exitCodeSection } from "./exit-code-section.ts";
import { isGlobalOption } from "./global-options.ts";

const globalOptionsLine =
  "Global options, such as --profile and --json: see `sendctl help options`";

/** Formats the help of a command so that it fits a screen: one line stands for the global options. */
export function formatHelp(command: Command, help: Help): string {
  const short = withoutGlobalOptions(help);
  return [
    Help.prototype.formatHelp.call(short, command, short).trimEnd(),
    ...exitCodeSection(command, short),
    `${help.boxWrap(globalOptionsLine, help.helpWidth ?? 80)}\n`,
  ].join("\n\n");
}

function withoutGlobalOptions(help: Help): Help {
  const short = Object.create(help) as Help;
  short.visibleOptions = (command): Option[] =>
    help.visibleOptions(command).filter((option) => !isGlobalOption(option));
  return short;
}
