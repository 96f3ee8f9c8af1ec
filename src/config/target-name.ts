import { shellWord } from "../core/safe-text.ts";
import type { Settings } from "./settings.ts";
import type { Source } from "./target.ts";

/** Returns the name of a target for messages and prompts: `https://host (profile prod)`, `the database FILE`. */
export function targetName({ baseUrl, database, profile, sources }: Settings): string {
  const isOfProfile =
    baseUrl === undefined
      ? sources.database === "profile"
      : sources.baseUrl === "profile" || sources.secretKey === "profile";
  const target = baseUrl ?? `the database ${database}`;
  return isOfProfile && profile !== undefined ? `${target} (profile ${profile})` : target;
}

/** Returns the name of the database for prompts of commands that always work on it, even if a service is selected. */
export function databaseName(settings: Settings): string {
  return targetName({ ...settings, baseUrl: undefined });
}

/**
 * Returns the options that select the same target, also if variables or the current profile selected it; no options for
 * the default database.
 *
 * @param isEmbedded true for a command that always works on the database, even if a service is selected
 */
export function targetOptions(settings: Settings, isEmbedded: boolean): readonly string[] {
  const { baseUrl, database, profile, sources } = settings;
  const used = isEmbedded || baseUrl === undefined ? sources.database : sources.baseUrl;
  const ofProfile =
    profile !== undefined && [used, sources.mode, sources.secretKey].includes("profile")
      ? optionWords("--profile", profile)
      : [];
  if (!isEmbedded && baseUrl !== undefined) {
    return isGiven(sources.baseUrl)
      ? [...ofProfile, ...optionWords("--base-url", baseUrl)]
      : ofProfile;
  }
  if (isGiven(sources.database)) {
    // A remote profile contradicts --database.
    const isKeyOfProfile = sources.mode === "profile" && baseUrl === undefined;
    return [...(isKeyOfProfile ? ofProfile : []), ...optionWords("--database", database)];
  }
  const isForced = !isEmbedded && sources.mode === "flag";
  return [...(isForced ? ["--local"] : []), ...(used === "profile" ? ofProfile : [])];
}

function isGiven(source: Source): boolean {
  return source === "flag" || source === "environment";
}

/** Returns the words of an option and its value, which may start with a dash. */
export function optionWords(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

/** Returns how to set the key of the chosen service: where it comes from, or that there is none. */
export function keyHint({ profile, sources, keyCommand }: Settings): string {
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
  return isOfProfile
    ? `the key comes from SENDCTL_SECRET_KEY, which overrides profile ${profile}; set it to a valid key, or unset it and store one: ${login}`
    : "the key comes from SENDCTL_SECRET_KEY; set it to a valid key";
}
