import type { Settings } from "./settings.ts";
import { shellWord } from "../contract/text/shell-word.ts";

/** Returns how to set the key of the chosen service: where it comes from, or that there is none. */
export function keyHint({ profile, sources, keyCommand, isKeyStored }: Settings): string {
  const ofProfile = profile === undefined ? "" : ` --profile ${shellWord(profile)}`;
  const login = `sendctl login${ofProfile}`;
  if (sources.secretKey === "profile") {
    return keyCommand === undefined
      ? `the key comes from profile ${profile}; to replace it: ${login}`
      : `the key comes from the key command of profile ${profile}; to replace it: ${login} --key-command COMMAND`;
  }
  const isOfProfile = sources.baseUrl === "profile";
  if (sources.secretKey === "default") {
    return `${isOfProfile ? login : "sendctl login"}, or set SENDCTL_SECRET_KEY`;
  }
  if (!isOfProfile) return "the key comes from SENDCTL_SECRET_KEY; set it to a valid key";
  return isKeyStored
    ? `the key comes from SENDCTL_SECRET_KEY, which overrides profile ${profile}; unset it to use the stored key, which ${login} replaces`
    : `the key comes from SENDCTL_SECRET_KEY; set it to a valid key, or unset it and store one: ${login}`;
}
