import type { PartialBehaviour } from "../contract/behaviour.ts";
import { findProfile, type Config } from "./profiles.ts";

/**
 * Returns a change of the config file that stores a behaviour in a profile, in place of the one that it has.
 *
 * @param behaviour undefined to remove it
 * @throws SendctlError "usage" (the change) if the profile does not exist
 */
export function saveBehaviour(
  profile: string,
  behaviour: PartialBehaviour | undefined,
): (config: Config) => Config {
  return (config) => {
    const { behaviour: _, ...rest } = findProfile(config, profile, "NAME");
    const changed = behaviour === undefined ? rest : { ...rest, behaviour };
    return { ...config, profiles: new Map(config.profiles).set(profile, changed) };
  };
}
