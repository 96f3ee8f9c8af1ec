import { scriptFor, shells } from "../cli/completion/scripts.ts";
import type { Context } from "../cli/context.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { SendctlError } from "../contract/error.ts";
import { required } from "./arguments.ts";

/**
 * Prints the script that makes a shell complete the words of sendctl.
 *
 * @throws SendctlError "usage" for a shell that there is none for
 */
export async function printCompletion(
  context: Context,
  given: string | undefined,
): Promise<ExitCode> {
  const choice = shells.join(", ");
  const wanted = await required(context, given, "SHELL", `Which shell: ${choice}?`);
  const shell = shells.find((known) => known === wanted);
  if (shell === undefined) {
    throw new SendctlError("usage", `SHELL is "${wanted}": it can be ${choice}`);
  }
  await context.output.raw(scriptFor(shell));
  return exitCodes.done;
}
