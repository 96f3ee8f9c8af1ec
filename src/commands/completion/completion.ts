import { scriptFor, shells } from "./scripts.ts";
import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { invalidValue, required } from "../arguments.ts";
import { choice as oneOf, defineCommand } from "../../cli/define-command.ts";

export const completion = defineCommand({
  path: "completion",
  description:
    "Generate the script that makes a shell complete commands, options, sender IDs, groups and profiles.",
  args: { shell: oneOf("shell to generate the script for", shells) },
  examples: ["sendctl completion bash", "sendctl completion zsh > _sendctl"],
  async run(context, { shell }) {
    return printScript(context, shell);
  },
});

/**
 * Prints the completion script of a shell.
 *
 * @throws SendctlError "usage" for an unknown shell
 */
async function printScript(context: Capabilities, given: string | undefined): Promise<ExitCode> {
  const choice = shells.join(", ");
  const wanted = await required(context.ask, given, "SHELL", `Which shell: ${choice}?`);
  const shell = shells.find((known) => known === wanted);
  if (shell === undefined) {
    throw invalidValue("shell", wanted, "SHELL", `use one of ${choice}`);
  }
  await context.output.raw(scriptFor(shell));
  return exitCodes.done;
}
