import { SendctlError } from "../contract/error.ts";
import type { Profile } from "./profiles.ts";

/** Where a setting comes from, the highest-ranking source first. */
export type Source = "flag" | "environment" | "profile" | "default";

/** Options that select a target. */
export interface TargetOptions {
  readonly profile?: string;
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
}

/** The service or database that the highest-ranking source names. */
export interface Chosen {
  /** Undefined for the embedded engine. */
  readonly baseUrl: string | undefined;
  /** What names the target: a flag, the environment, a profile or nothing. */
  readonly source: Source;
}

/** What each source says, empty variables counted as unset. */
export interface Candidates {
  readonly options: TargetOptions;
  readonly baseUrlVariable: string | undefined;
  readonly databaseVariable: string | undefined;
  readonly profile: Profile | undefined;
  readonly profileName: string | undefined;
}

/**
 * Chooses between a service and the embedded engine: flags, then environment, then the current profile, then the
 * default. A profile that `--profile` names ranks as a flag, one that SENDCTL_PROFILE names as a current profile.
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

/** Base URL of a profile; undefined where it is a profile of the embedded engine. */
export function profileUrl(profile: Profile | undefined): string | undefined {
  return profile?.mode === "local" ? undefined : profile?.baseUrl;
}

/** Undefined for a profile that names no target. */
function profileTarget(profile: Profile | undefined): Chosen | undefined {
  const baseUrl = profileUrl(profile);
  const isLocal = profile?.mode === "local" || profile?.database !== undefined;
  return baseUrl === undefined && !isLocal ? undefined : { baseUrl, source: "profile" };
}

function refuseEmpty({ baseUrl, database, profile }: TargetOptions): void {
  const hints = [
    ["--base-url", baseUrl, "pass the address of a service"],
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
