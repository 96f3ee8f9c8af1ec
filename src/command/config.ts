import { dirname } from "node:path";
import { makeFolder } from "../core/files.ts";
import { readOwnFile } from "../core/own-file.ts";
import {
  type Config,
  configFile,
  keyText,
  noHome,
  refuseSharedConfig,
} from "../config/profiles.ts";
import { type GlobalOptions, type Settings, resolveSettings } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Clock, Shared } from "./process.ts";
import { SendctlError, stoppedBy } from "../core/error.ts";
import type { Captured } from "../core/programs.ts";
import { safeText, shellWord } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";

/** The settings of this command, and the profiles of the config file. */
export type ConfigAccess = ReturnType<typeof createConfig>;

/** Creates the access to the settings and the config file. @param read reads the config file */
export function createConfig(
  { settings, runtime }: Shared,
  options: GlobalOptions,
  read: () => Config,
  keys: Keys,
) {
  return {
    settings,
    /** @throws SendctlError "usage" if the config file is invalid */
    read,
    /** Changes the config file: see src/config/write-profiles.ts. */
    change: async (change: (config: Config) => Config): Promise<void> => {
      const file = configFile(runtime);
      if (file === undefined) throw noHome("set XDG_CONFIG_HOME");
      try {
        makeFolder(dirname(file));
      } catch {
        // The change says why. It is made here because the next line loads conf, which is slow.
      }
      const { changeConfig } = await import("../config/write-profiles.ts");
      const never = new AbortController().signal;
      const wait = (milliseconds: number) => runtime.sleep(milliseconds, never);
      await changeConfig(file, change, wait);
    },
    keyOf: keys.ofCommand,
    /** Runs a program of the keychain. */
    runProgram: keys.capture,
    /** Returns the known behaviour. @throws SendctlError "usage" if the profile's is invalid */
    behaviourOf: async ({ behaviour, profile }: Settings): Promise<PartialBehaviour> => {
      if (behaviour === undefined) return {};
      const { checkedBehaviour } = await import("../contract/behaviour.ts");
      return checkedBehaviour(behaviour, `${profile}`, `${configFile(runtime)}`);
    },
    /** Returns the settings with this profile, or with the chosen one. */
    settingsWith: (profile: string | undefined): Settings =>
      resolveSettings(profile === undefined ? options : { ...options, profile }, runtime, read()),
  };
}

/** Creates access to the state of `apply` for the chosen target: see src/config/state-file.ts. */
export function createState({ settings, runtime }: Shared, { sleep }: Clock) {
  return {
    /** Returns undefined if nothing is stored or readable. */
    read: async (): Promise<string | undefined> => {
      const { targetStateFile } = await import("../config/state-file.ts");
      const file = targetStateFile(settings, runtime);
      return file === undefined ? undefined : readOwnFile(file);
    },
    /**
     * Waits until no other `apply` of this user changes the target.
     *
     * @param waiting called once if there is one
     * @throws SendctlError "differences" after 10 minutes, another or a system error if unwritable
     */
    hold: async (waiting: () => Promise<void>) => {
      const { targetStateFile, lockState, writeState } = await import("../config/state-file.ts");
      const file = targetStateFile(settings, runtime);
      if (file === undefined) throw noHome("set XDG_STATE_HOME");
      const release = await lockState(file, waiting, sleep);
      return {
        /** @param text undefined to remove the state @throws a system error */
        write: (text: string | undefined): void => writeState(file, text),
        release,
      };
    },
  };
}

/** In milliseconds: a key command may ask a person for a passphrase. */
const commandTimeout = 60_000;

/** The keys of a command. Output hides each of them. */
export type Keys = ReturnType<typeof createKeys>;

/** Creates the keys of a command. */
export function createKeys(shared: Shared) {
  const { settings, runtime, secrets, output } = shared;
  const { keyCommand, profile, keyBelongsTo, withheldKey, sources } = settings;

  /** Runs a command and returns what it prints. */
  const capture = async (
    command: string | readonly [string, ...string[]],
    input?: string,
  ): Promise<Captured> => {
    const signal = shared.stopSignal();
    const { captureOutput } = await import("../core/programs.ts");
    const captured = await captureOutput(command, runtime.env, commandTimeout, signal, input);
    if (signal.aborted) throw stoppedBy(signal.reason);
    return captured;
  };
  /** @param owner the profile that has the command; undefined for a login */
  const run = async (command: string, owner: string | undefined): Promise<string> => {
    const key = keyOfCommand(await capture(command), owner);
    secrets.addKey(key);
    return key;
  };
  let commandKey: Promise<string> | undefined;
  /** Returns the configured key. Its command runs once. @throws SendctlError "auth" for no key */
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
    /** Returns the configured key for a request, or warns of one that belongs to another target. */
    remote: async (): Promise<string | undefined> => {
      const key = await configured();
      if (key === undefined && withheldKey !== undefined) {
        await warn(withheldKey.key, withheldKey.target);
      }
      return key;
    },
    /**
     * Returns the key that selects an integration of the chosen database, and its source, unless it
     * is SENDCTL_SECRET_KEY. Without a key, the default integration is used.
     */
    local: async (engine: Embedded) => {
      const isOfProfile = sources.secretKey === "profile";
      // The menu works on the database while a service is chosen, to which the key belongs.
      const owner = keyBelongsTo ?? settings.baseUrl;
      const key = isOfProfile && owner !== undefined ? undefined : await configured();
      const mayBeForeign = key !== undefined && owner !== undefined;
      if (!mayBeForeign || (await engine.callerOf(key)) !== undefined) {
        return { key, source: isOfProfile ? `profile ${profile}` : undefined };
      }
      await warn("SENDCTL_SECRET_KEY", owner);
      return { key: undefined, source: undefined };
    },
    /** Runs a key command and returns the key that it prints. @throws SendctlError "auth" */
    ofCommand: (command: string) => run(command, undefined),
    capture,
  };
}

const failures = {
  timeout: "timed out",
  stopped: "was stopped",
  signal: "was terminated by a signal",
  not_started: "cannot be started",
} as const;

/**
 * Returns the key that a key command printed: its first line, trimmed. Messages contain neither the
 * command nor its output.
 *
 * @param profile the profile that has the command; undefined for a login
 * @throws SendctlError "auth" if the command failed or printed no key
 */
function keyOfCommand(captured: Captured, profile: string | undefined): string {
  const owner = profile === undefined ? "this login" : `profile ${profile}`;
  const other =
    profile === undefined
      ? "pass another"
      : `store another: sendctl login --profile ${shellWord(profile)} --key-command COMMAND`;
  const hint = `run the command by itself to test it, or ${other}`;
  const fail = (why: string): SendctlError =>
    new SendctlError("auth", `the key command of ${owner} ${why}`, { hint });
  if ("failure" in captured) throw fail(failures[captured.failure]);
  if (captured.code !== 0) throw fail(`failed (exit code ${captured.code})`);
  const [line = ""] = captured.text.split("\n", 1);
  const key = line.trim();
  if (key === "") throw fail("printed no key");
  if (!keyText.test(key)) throw fail("printed a line that is not a key");
  return key;
}
