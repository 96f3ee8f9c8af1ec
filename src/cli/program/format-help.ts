import { Help, type Command, type Option } from "commander";
import { exitCodesOf } from "./build-command.ts";
import { isGlobalOption } from "./global-options.ts";

const globalOptionsLine =
  "Global options, such as --profile and --json: see `sendctl help options`";

/** Formats the help of a command so that it fits a screen: one line stands for the global options. */
export function formatHelp(command: Command, help: Help): string {
  const short = Object.create(help) as Help;
  short.visibleOptions = (shown): Option[] =>
    help.visibleOptions(shown).filter((option) => !isGlobalOption(option));
  const width = short.padWidth(command, short);
  const codes = exitCodesOf(command).map(([code, meaning]) =>
    short.formatItem(code, width, meaning, short),
  );
  return [
    Help.prototype.formatHelp.call(short, command, short).trimEnd(),
    ...(codes.length === 0 ? [] : [["Exit codes:", ...codes].join("\n")]),
    `${help.boxWrap(globalOptionsLine, help.helpWidth ?? 80)}\n`,
  ].join("\n\n");
}
