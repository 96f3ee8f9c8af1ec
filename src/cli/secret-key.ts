import { keyOfCommand } from "../config/key-command.ts";
import { SendctlError } from "../contract/error.ts";
import type { Secrets } from "../output/secrets/secrets.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** In milliseconds: a key command may ask a person for a passphrase. */
const commandTimeout = 60_000;

/**
 * Runs a key command and returns the key that it prints. Output hides the key from then on.
 *
 * @param profile the profile that has it; undefined for a login
 * @throws SendctlError "auth" if it prints no key, "cancelled" or "terminated" on a signal
 */
export async function runKeyCommand(
  command: string,
  profile: string | undefined,
  { env }: Pick<Runtime, "env">,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<string> {
  const { captureOutput } = await import("../runtime/capture-output.ts");
  const captured = await captureOutput(command, env, commandTimeout, signal);
  if (signal.aborted) {
    if (signal.reason === "SIGTERM") throw new SendctlError("terminated", "Terminated");
    throw new SendctlError("cancelled", "Cancelled");
  }
  const key = keyOfCommand(captured, profile);
  secrets.addKey(key);
  return key;
}
