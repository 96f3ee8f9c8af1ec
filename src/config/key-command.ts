import { SendctlError } from "../contract/error.ts";
import { shellWord } from "../contract/text/shell-word.ts";
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
 * @param profile the profile that has the command; undefined for a login
 * @throws SendctlError "auth" if the command failed or printed no key
 */
export function keyOfCommand(captured: Captured, profile: string | undefined): string {
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
