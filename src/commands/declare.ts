import type { Command } from "commander";

/** What every list takes. */
export function pageOptions(command: Command): Command {
  return command
    .option("--per-page <n>", "records a page (where nothing is said, the service decides)")
    .option("--page <n>", "the page to show, from 1")
    .option("--all", "every record, over all pages");
}

/** What every delete takes. */
export function deleteOptions(command: Command): Command {
  return command.option("-y, --yes", "delete without asking");
}

/** Shown at the end of the command's help. */
export function examples(command: Command, lines: readonly string[]): void {
  const text = lines.map((line) => `  $ ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${text}\n`);
}
