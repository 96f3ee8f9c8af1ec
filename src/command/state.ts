import { configFile, type Config, noHome } from "../config/profiles.ts";
import { resolveSettings, type GlobalOptions, type Settings } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Keys } from "./key.ts";
import type { Clock, Shared } from "./process.ts";

/** The settings of this command, and the profiles of the config file. */
export interface ConfigAccess {
  readonly settings: Settings;
  /** @throws SendctlError "usage" if the config file is invalid */
  readonly read: () => Config;
  /** Changes the config file: see src/config/write-profiles.ts. */
  readonly change: (change: (config: Config) => Config) => Promise<void>;
  /** Runs a key command and returns the key that it prints. @throws SendctlError "auth" */
  readonly keyOf: (keyCommand: string) => Promise<string>;
  /** Returns what is known of the behaviour of the target. @throws SendctlError "usage" for an invalid one in the profile */
  readonly behaviourOf: (settings: Settings) => Promise<PartialBehaviour>;
  /** Returns the settings with this profile, or with the chosen one. */
  readonly settingsWith: (profile: string | undefined) => Settings;
}

/** What `apply` stores about the chosen target between runs: see src/config/state-file.ts. */
export interface State {
  /** Returns undefined if nothing is stored or readable. */
  readonly read: () => Promise<string | undefined>;
  /**
   * Waits until no other `apply` of this user changes the target.
   *
   * @param waiting called once if there is one
   * @throws SendctlError "differences" after 10 minutes, another one or a system error if nothing can be written
   */
  readonly hold: (waiting: () => Promise<void>) => Promise<HeldState>;
}

/** The state of a target while no other `apply` of this user can change it. */
export interface HeldState {
  /** @param text undefined to remove the state @throws a system error */
  readonly write: (text: string | undefined) => void;
  readonly release: () => void;
}

/** Creates the access to the settings and the config file. @param read reads the config file */
export function createConfig(
  { settings, runtime }: Shared,
  options: GlobalOptions,
  read: () => Config,
  keys: Keys,
): ConfigAccess {
  return {
    settings,
    read,
    change: async (change) => {
      const file = configFile(runtime);
      if (file === undefined) throw noHome("set XDG_CONFIG_HOME");
      const { changeConfig } = await import("../config/write-profiles.ts");
      const never = new AbortController().signal;
      await changeConfig(file, change, (milliseconds) => runtime.sleep(milliseconds, never));
    },
    keyOf: keys.ofCommand,
    behaviourOf: async ({ behaviour, profile }) => {
      if (behaviour === undefined) return {};
      const { checkedBehaviour } = await import("../contract/check-behaviour.ts");
      return checkedBehaviour(behaviour, `${profile}`, `${configFile(runtime)}`);
    },
    settingsWith: (profile) =>
      resolveSettings(profile === undefined ? options : { ...options, profile }, runtime, read()),
  };
}

/** Creates the access to the state of `apply`. */
export function createState({ settings, runtime }: Shared, { sleep }: Clock): State {
  return {
    read: async () => {
      const { applyStateFile, readState } = await import("../config/state-file.ts");
      const file = applyStateFile(settings, runtime);
      return file === undefined ? undefined : readState(file);
    },
    hold: async (waiting) => {
      const { applyStateFile, lockState, writeState } = await import("../config/state-file.ts");
      const file = applyStateFile(settings, runtime);
      if (file === undefined) throw noHome("set XDG_STATE_HOME");
      const release = await lockState(file, waiting, sleep);
      return { write: (text) => writeState(file, text), release };
    },
  };
}
