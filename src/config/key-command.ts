import { SendctlError } from "../contract/error.ts";
import type { Captured } from "../runtime/capture-output.ts";
import { keyText } from "./profiles.ts";

const failures = {
  timeout: "did not end in time",
  stopped: "was stopped",
  signal: "was ended by a signal",
  not_started: "cannot be started",
} as const;

/**
 * Returns the key that a key command printed: its first line, trimmed. Neither the command nor its output is in any
 * message.
 *
 * @param owner what the command belongs to: "profile NAME", or "this login"
 * @throws SendctlError "auth" where it failed or printed no key
 */
export function keyOfCommand(captured: Captured, owner: string): string {
  const fail = (why: string): SendctlError =>
    new SendctlError("auth", `the key command of ${owner} ${why}`, {
      hint: "run the command by itself, or store another: sendctl login --key-command",
    });
  if ("failure" in captured) throw fail(failures[captured.failure]);
  if (captured.code !== 0) throw fail(`failed (exit code ${captured.code})`);
  const [line = ""] = captured.text.split("\n", 1);
  const key = line.trim();
  if (key === "") throw fail("printed no key");
  if (!keyText.test(key)) throw fail("printed a line that is not a key");
  return key;
}
