import { version as number } from "../../../package.json";
import { defineCommand } from "../../cli/define-command.ts";
import type { Capabilities } from "../../cli/capabilities.ts";
import { refuseDryRun } from "../arguments.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

export const version = defineCommand({
  path: "version",
  description: "Show the version of sendctl, the same as `--version`.",
  examples: ["sendctl version", "sendctl version --json"],
  async run(context) {
    return showVersion(context);
  },
});

/** Shows the version, which is the data of this command in every format. */
async function showVersion(context: Capabilities): Promise<ExitCode> {
  refuseDryRun(context);
  await context.output.report({
    message: `sendctl ${number}`,
    data: { version: number },
    *text() {
      yield `${number}\n`;
    },
  });
  return exitCodes.done;
}
