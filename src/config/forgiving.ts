import { Failure } from "../failure.ts";
import type { World } from "../world.ts";
import type { Config } from "./profiles.ts";
import { resolveSettings, type GlobalOptions, type Settings } from "./settings.ts";

/** Settings that can be worked with, and what had to be left out of them. */
export interface Forgiven {
  readonly settings: Settings;
  readonly faults: readonly Failure[];
}

/**
 * Settings for whoever is to find out what is wrong with them: a config file that can't be read counts as
 * none, a profile that is not there, too, and a variable that makes no sense is not set.
 *
 * @param readConfig what the config file says; throws Failure "usage" where it can't be understood
 * @throws Failure "usage" for a flag that makes no sense
 */
export function forgivingSettings(
  options: GlobalOptions,
  world: World,
  readConfig: () => Config,
): Forgiven {
  const faults: Failure[] = [];
  const env = { ...world.env };
  const corrected = Object.create(world, { env: { value: env } }) as World;
  const note = (error: unknown): Failure => {
    if (!(error instanceof Failure) || error.kind !== "usage") throw error;
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
