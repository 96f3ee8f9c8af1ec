import { statSync } from "node:fs";
import { configFile, readConfig } from "../config/profiles.ts";
import { SendctlError } from "../contract/error.ts";
import { openToOthers } from "./access.ts";
import { fault, faultOf, fine, warning, type CheckResult } from "./check.ts";
import type { Check, CheckInput } from "./with-timeout.ts";

/** What sendctl is told by files and variables. */
export const configurationChecks: readonly Check[] = [
  { name: "config", look: lookAtConfig },
  { name: "settings", look: lookAtSettings },
  { name: "profile", look: ({ settings }) => [profileOf(settings)] },
  { name: "key", look: (input) => [keyOf(input)] },
];

function lookAtConfig({ runtime }: CheckInput): readonly CheckResult[] {
  const file = configFile(runtime);
  if (file === undefined) return [fine("config", "none: there is no home folder")];
  try {
    const { profiles } = readConfig(file);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      return [fine("config", `${file} is not there: nothing is configured`)];
    }
    const count = profiles.size === 1 ? "1 profile" : `${profiles.size} profiles`;
    const opening = openToOthers(file, true);
    if (opening === undefined) return [fine("config", `${file}, ${count}`)];
    return [warning("config", `${file}, ${count}, ${opening.detail}`, opening.fix)];
  } catch (error) {
    if (error instanceof SendctlError) return [faultOf("config", error)];
    throw error;
  }
}

/** Errors of the config file are left to the check of that file. */
function lookAtSettings({ settingsErrors, runtime }: CheckInput): readonly CheckResult[] {
  const file = configFile(runtime);
  const others = settingsErrors.filter((error) => error.file === undefined || error.file !== file);
  return others.map((error) => faultOf("settings", error));
}

function profileOf({ profile, sources }: CheckInput["settings"]): CheckResult {
  if (profile === undefined) return fine("profile", "none");
  const by: Readonly<Record<string, string>> = {
    flag: "--profile",
    environment: "SENDCTL_PROFILE",
    profile: "the config file",
  };
  return fine("profile", `${profile}, chosen by ${by[sources.profile] ?? "default"}`);
}

/** Of a key that is long enough to keep its secret, the end tells which it is. */
function endingOf(key: string): string {
  return key.length > 8 ? `, ends in ${key.slice(-4)}` : "";
}

function keyOf({ settings, keyFailure }: CheckInput): CheckResult {
  const { secretKey, keyCommand, sources, baseUrl, withheldKey } = settings;
  if (keyFailure !== undefined) return faultOf("key", keyFailure);
  if (secretKey !== undefined) {
    const ofProfile = keyCommand === undefined ? "the profile" : "the key command of the profile";
    const source = sources.secretKey === "environment" ? "SENDCTL_SECRET_KEY" : ofProfile;
    return fine("key", `from ${source}${endingOf(secretKey)}`);
  }
  if (baseUrl === undefined)
    return fine("key", "none, and none is needed: the default integration");
  const detail =
    withheldKey === undefined
      ? "none"
      : `none: ${withheldKey.key} belongs to ${withheldKey.target}`;
  return fault("key", detail, "run `sendctl login`, or set SENDCTL_SECRET_KEY", "auth");
}
