import type { Source } from "./choose-target.ts";
import type { Settings } from "./settings.ts";

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
