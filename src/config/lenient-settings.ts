import { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Config } from "./profiles.ts";
import { resolveSettings, type GlobalOptions, type Settings } from "./settings.ts";

/** Settings that can be worked with, and what had to be left out of them. */
export interface Forgiven {
  readonly settings: Settings;
  readonly faults: readonly SendctlError[];
}

/**
 * Settings for whoever is to find out what is wrong with them: a config file that can't be read counts as
 * none, a profile that is not there, too, and a variable that makes no sense is not set.
 *
 * @param readConfig what the config file says; throws SendctlError "usage" where it can't be understood
 * @throws SendctlError "usage" for a flag that makes no sense
 */
export function forgivingSettings(
  options: GlobalOptions,
  runtime: Runtime,
  readConfig: () => Config,
): Forgiven {
  const faults: SendctlError[] = [];
  const env = { ...runtime.env };
  const corrected = Object.create(runtime, { env: { value: env } }) as Runtime;
  const note = (error: unknown): SendctlError => {
    if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
    faults.push(error);
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
      return { settings: resolveSettings(options, corrected, config), faults };
    } catch (error) {
      const { message } = note(error);
      const [variable] = /^SENDCTL_[A-Z_]+(?= is )/.exec(message) ?? [];
      if (variable !== undefined && env[variable] !== undefined) env[variable] = undefined;
      else if (config !== undefined) config = undefined;
      else throw error;
    }
  }
}
