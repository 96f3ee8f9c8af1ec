import { keyText } from "../config/profiles.ts";
import { SendctlError } from "../core/error.ts";
import { shellWord } from "../core/safe-text.ts";
import type { Secrets } from "../output/secrets.ts";
import type { Captured } from "../core/programs.ts";
import type { Runtime } from "../core/runtime.ts";

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
  const { captureOutput } = await import("../core/programs.ts");
  const captured = await captureOutput(command, env, commandTimeout, signal);
  if (signal.aborted) {
    if (signal.reason === "SIGTERM") throw new SendctlError("terminated", "Terminated");
    throw new SendctlError("cancelled", "Cancelled");
  }
  const key = keyOfCommand(captured, profile);
  secrets.addKey(key);
  return key;
}

const failures = {
  timeout: "timed out",
  stopped: "was stopped",
  signal: "was terminated by a signal",
  not_started: "cannot be started",
} as const;

/**
 * Returns the key that a key command printed: its first line, trimmed. Messages contain neither the command nor its
 * output.
 *
 * @param profile the profile that has the command; undefined for a login
 * @throws SendctlError "auth" if the command failed or printed no key
 */
function keyOfCommand(captured: Captured, profile: string | undefined): string {
  const owner = profile === undefined ? "this login" : `profile ${profile}`;
  const login = `sendctl login${profile === undefined ? "" : ` --profile ${shellWord(profile)}`}`;
  const fail = (why: string): SendctlError =>
    new SendctlError("auth", `the key command of ${owner} ${why}`, {
      hint: `run the command by itself to test it, or store another: ${login} --key-command COMMAND`,
    });
  if ("failure" in captured) throw fail(failures[captured.failure]);
  if (captured.code !== 0) throw fail(`failed (exit code ${captured.code})`);
  const [line = ""] = captured.text.split("\n", 1);
  const key = line.trim();
  if (key === "") throw fail("printed no key");
  if (!keyText.test(key)) throw fail("printed a line that is not a key");
  return key;
}
