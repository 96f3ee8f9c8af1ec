import { CommanderError, type Command } from "commander";
import { addExamples } from "./examples.ts";

/** Declares `sendctl version`, the same as `--version`. */
export function declareVersion(program: Command, version: string): void {
  const command = program
    .command("version")
    .summary("Show the version")
    .description("Show the version of sendctl, the same as `--version`.")
    .action(() => {
      program.configureOutput().writeOut?.(`${version}\n`);
      throw new CommanderError(0, "commander.version", "");
    });
  addExamples(command, ["sendctl version", "sendctl version --json"]);
}
