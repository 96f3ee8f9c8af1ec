import { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Config } from "./profiles.ts";
import { profileVariable } from "./target.ts";
import { resolveSettings, type GlobalOptions, type Settings } from "./settings.ts";

/** Usable settings, and the errors of those that were ignored. */
export interface LenientSettings {
  readonly settings: Settings;
  readonly errors: readonly SendctlError[];
}

/**
 * Resolves settings for `doctor`, which reports invalid ones: ignores an invalid config file, the config with an unknown
 * profile, and invalid variables.
 *
 * @param readConfig throws SendctlError "usage" for an invalid config file
 * @throws SendctlError "usage" for an invalid flag
 */
export function lenientSettings(
  options: GlobalOptions,
  runtime: Runtime,
  readConfig: () => Config,
): LenientSettings {
  const errors: SendctlError[] = [];
  const env = { ...runtime.env };
  const corrected = Object.create(runtime, { env: { value: env } }) as Runtime;
  const note = (error: unknown): SendctlError => {
    if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
    errors.push(error);
    return error;
  };
  let config: Config | undefined;
  try {
    config = readConfig();
  } catch (error) {
    note(error);
  }
  for (;;) {
    try {
      return { settings: resolveSettings(options, corrected, config), errors };
    } catch (error) {
      const { setting } = note(error);
      // Ignoring SENDCTL_PROFILE would select another profile, so the whole config is ignored instead.
      const isProfile = setting === profileVariable;
      if (setting !== undefined && !isProfile && env[setting] !== undefined) {
        env[setting] = undefined;
      } else if (config !== undefined) config = undefined;
      else throw error;
    }
  }
}
