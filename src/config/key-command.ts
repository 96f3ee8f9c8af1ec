import { SendctlError } from "../contract/error.ts";
import type { Captured } from "../runtime/capture-output.ts";
import { keyText } from "./profiles.ts";

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
 * @param owner owner of the command for messages: "profile NAME" or "this login"
 * @throws SendctlError "auth" if the command failed or printed no key
 */
export function keyOfCommand(captured: Captured, owner: string): string {
  const fail = (why: string): SendctlError =>
    new SendctlError("auth", `the key command of ${owner} ${why}`, {
      hint: "run the command by itself to test it, or store another: sendctl login --key-command",
    });
  if ("failure" in captured) throw fail(failures[captured.failure]);
  if (captured.code !== 0) throw fail(`failed (exit code ${captured.code})`);
  const [line = ""] = captured.text.split("\n", 1);
  const key = line.trim();
  if (key === "") throw fail("printed no key");
  if (!keyText.test(key)) throw fail("printed a line that is not a key");
  return key;
}
