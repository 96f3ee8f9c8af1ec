import type { Profile } from "./profiles.ts";
import type { Settings } from "./settings.ts";
import { shellWord } from "../contract/text/shell-word.ts";

/**
 * Returns the source of the key for the chosen service and how to replace it, for a key that the service rejects.
 *
 * @param stored the chosen profile
 */
export function keyHint(
  { profile, sources, keyCommand }: Settings,
  stored: Profile | undefined,
): string | undefined {
  if (sources.secretKey === "profile" && profile !== undefined) {
    const login = `sendctl login --profile ${shellWord(profile)}`;
    return keyCommand === undefined
      ? `the key comes from profile ${profile}; to replace it: ${login}`
      : `the key comes from the key command of profile ${profile}; to replace it: ${login} --key-command COMMAND`;
  }
  if (sources.secretKey !== "environment") return undefined;
  const hasKey = stored?.secretKey !== undefined || stored?.keyCommand !== undefined;
  if (sources.baseUrl !== "profile" || profile === undefined) {
    return "the key comes from SENDCTL_SECRET_KEY; set it to a valid key";
  }
  const login = `sendctl login --profile ${shellWord(profile)}`;
  return hasKey
    ? `the key comes from SENDCTL_SECRET_KEY, which overrides profile ${profile}; unset it to use the stored key, which ${login} replaces`
    : `the key comes from SENDCTL_SECRET_KEY; set it to a valid key, or unset it and store one: ${login}`;
}
