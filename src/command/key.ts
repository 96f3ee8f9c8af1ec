import { configFile, keyText } from "../config/profiles.ts";
import { refuseSharedConfig } from "../config/shared-config.ts";
import { SendctlError } from "../core/error.ts";
import type { Captured } from "../core/programs.ts";
import { safeText, shellWord } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import { interruption, type Shared } from "./process.ts";

/** The key of an integration of the embedded engine. Without a key, the default integration is used. */
export interface LocalKey {
  readonly key: string | undefined;
  /** The source of the key, unless it is SENDCTL_SECRET_KEY. */
  readonly source: string | undefined;
}

/** The keys of a command. Output hides each of them. */
export interface Keys {
  /** Returns the configured key. A key command runs once. @throws SendctlError "auth" if it prints no key */
  readonly configured: () => Promise<string | undefined>;
  /** Returns the configured key for a request, or warns of one that belongs to another target. */
  readonly remote: () => Promise<string | undefined>;
  /** Returns the key that selects an integration of the chosen database. */
  readonly local: (engine: Embedded) => Promise<LocalKey>;
  /** Runs a key command and returns the key that it prints. @throws SendctlError "auth" */
  readonly ofCommand: (command: string) => Promise<string>;
}

/** In milliseconds: a key command may ask a person for a passphrase. */
const commandTimeout = 60_000;

/** Creates the keys of a command. */
export function createKeys(shared: Shared): Keys {
  const { settings, runtime, secrets, output } = shared;
  const { keyCommand, profile, keyBelongsTo, withheldKey, sources } = settings;

  /** @param owner the profile that has the command; undefined for a login */
  const run = async (command: string, owner: string | undefined): Promise<string> => {
    const signal = shared.stopSignal();
    const { captureOutput } = await import("../core/programs.ts");
    const captured = await captureOutput(command, runtime.env, commandTimeout, signal);
    if (signal.aborted) throw interruption(signal);
    const key = keyOfCommand(captured, owner);
    secrets.addKey(key);
    return key;
  };
  let commandKey: Promise<string> | undefined;
  const configured = async (): Promise<string | undefined> => {
    if (keyCommand === undefined) return settings.secretKey;
    const file = configFile(runtime);
    if (file !== undefined) refuseSharedConfig(file);
    return (commandKey ??= run(keyCommand, profile));
  };
  let warning: Promise<void> | undefined;
  const warn = (key: string, target: string): Promise<void> =>
    (warning ??= output.warn(safeText(`${key} belongs to ${target} and is not used here`)));
  return {
    configured,
    remote: async () => {
      const key = await configured();
      if (key === undefined && withheldKey !== undefined) {
        await warn(withheldKey.key, withheldKey.target);
      }
      return key;
    },
    local: async (engine) => {
      const key = await configured();
      const mayBeForeign = key !== undefined && keyBelongsTo !== undefined;
      if (!mayBeForeign || (await engine.callerOf(key)) !== undefined) {
        return { key, source: sources.secretKey === "profile" ? `profile ${profile}` : undefined };
      }
      await warn("SENDCTL_SECRET_KEY", keyBelongsTo);
      return { key: undefined, source: undefined };
    },
    ofCommand: (command) => run(command, undefined),
  };
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
