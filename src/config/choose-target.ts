import { SendctlError } from "../contract/error.ts";
import type { Profile } from "./profiles.ts";

/** The source of a setting, in order of precedence. */
export type Source = "flag" | "environment" | "profile" | "default";

/** Options that select a target. */
export interface TargetOptions {
  readonly profile?: string;
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
}

/** The service or database that was chosen, and its source. */
export interface Chosen {
  /** Undefined for the embedded engine. */
  readonly baseUrl: string | undefined;
  /** The source that named the target. */
  readonly source: Source;
}

/** Possible targets by source. Empty variables are undefined. */
export interface Candidates {
  readonly options: TargetOptions;
  readonly baseUrlVariable: string | undefined;
  readonly databaseVariable: string | undefined;
  readonly profile: Profile | undefined;
  readonly profileName: string | undefined;
}

/**
 * Chooses between a service and the embedded engine by flags, then environment, then current profile, then default. A
 * profile set by `--profile` ranks as a flag; one set by SENDCTL_PROFILE ranks as the current profile.
 *
 * @throws SendctlError "usage" for flags that are empty or name different targets
 */
export function chooseTarget(candidates: Candidates): Chosen {
  const { options, baseUrlVariable, databaseVariable, profile } = candidates;
  const ofProfile = profileTarget(profile);
  refuseEmpty(options);
  refuseContradiction(candidates, ofProfile);
  if (options.local === true) return { baseUrl: undefined, source: "flag" };
  if (options.baseUrl !== undefined) return { baseUrl: options.baseUrl, source: "flag" };
  if (options.database !== undefined) return { baseUrl: undefined, source: "flag" };
  if (options.profile !== undefined && ofProfile !== undefined) return ofProfile;
  if (baseUrlVariable !== undefined) return { baseUrl: baseUrlVariable, source: "environment" };
  if (databaseVariable !== undefined) return { baseUrl: undefined, source: "environment" };
  return ofProfile ?? { baseUrl: undefined, source: "default" };
}

/** Returns the base URL of a profile; undefined for a profile of the embedded engine. */
export function profileUrl(profile: Profile | undefined): string | undefined {
  return profile?.mode === "local" ? undefined : profile?.baseUrl;
}

/** Returns the target of a profile; undefined if it names none. */
function profileTarget(profile: Profile | undefined): Chosen | undefined {
  const baseUrl = profileUrl(profile);
  const isLocal = profile?.mode === "local" || profile?.database !== undefined;
  return baseUrl === undefined && !isLocal ? undefined : { baseUrl, source: "profile" };
}

function refuseEmpty({ baseUrl, database, profile }: TargetOptions): void {
  const hints = [
    ["--base-url", baseUrl, "pass the URL of a service"],
    ["--database", database, "name a file"],
    ["--profile", profile, "sendctl profile list"],
  ] as const;
  for (const [setting, value, hint] of hints) {
    if (value === "") throw new SendctlError("usage", `${setting} is empty`, { hint, setting });
  }
}

function refuseContradiction(
  { options, profileName }: Candidates,
  ofProfile: Chosen | undefined,
): void {
  const { local, baseUrl, database, profile } = options;
  const hint = "pass one of them";
  if (local === true && baseUrl !== undefined) {
    const setting = "--base-url";
    throw new SendctlError("usage", "--local contradicts --base-url", { hint, setting });
  }
  if (database === undefined) return;
  const setting = "--database";
  if (baseUrl !== undefined) {
    throw new SendctlError("usage", "--database contradicts --base-url", { hint, setting });
  }
  if (profile !== undefined && ofProfile?.baseUrl !== undefined) {
    const message = `--database contradicts --profile ${profileName}, which is for ${ofProfile.baseUrl}`;
    throw new SendctlError("usage", message, { hint, setting });
  }
}
