import { statSync } from "node:fs";
import { keyHint } from "../config/target-name.ts";
import { configFile, readConfig } from "../config/profiles.ts";
import { SendctlError } from "../contract/error.ts";
import { openToOthers } from "./access.ts";
import { failed, failedWith, ok, warning, type CheckResult } from "./check-result.ts";
import type { Check, CheckInput } from "./check.ts";

/** Checks the config file, the settings, the profile and the source of the key. */
export const configurationChecks: readonly Check[] = [
  { name: "config", run: checkConfig },
  { name: "settings", run: checkSettings },
  { name: "profile", run: ({ settings }) => [profileResult(settings)] },
  { name: "key", run: (input) => [keyResult(input)] },
];

function checkConfig({ runtime }: CheckInput): readonly CheckResult[] {
  const file = configFile(runtime);
  if (file === undefined) return [ok("config", "none: the home folder is unknown")];
  try {
    const { profiles } = readConfig(file);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) {
      return [ok("config", `${file} does not exist: nothing is configured`)];
    }
    const count = profiles.size === 1 ? "1 profile" : `${profiles.size} profiles`;
    const exposure = openToOthers(file, true);
    if (exposure === undefined) return [ok("config", `${file}, ${count}`)];
    return [warning("config", `${file}, ${count}, ${exposure.detail}`, exposure.fix)];
  } catch (error) {
    if (error instanceof SendctlError) return [failedWith("config", error)];
    throw error;
  }
}

/** Errors in the config file are reported by the check of that file. */
function checkSettings({ settingsErrors, runtime }: CheckInput): readonly CheckResult[] {
  const file = configFile(runtime);
  const others = settingsErrors.filter((error) => error.file === undefined || error.file !== file);
  return others.map((error) => failedWith("settings", error));
}

function profileResult({ profile, sources }: CheckInput["settings"]): CheckResult {
  if (profile === undefined) return ok("profile", "none");
  const by: Readonly<Record<string, string>> = {
    flag: "--profile",
    environment: "SENDCTL_PROFILE",
    profile: "the config file",
  };
  return ok("profile", `${profile}, chosen by ${by[sources.profile] ?? "default"}`);
}

/** Identifies a key by its end, if it is long enough to stay secret. */
function endingOf(key: string): string {
  return key.length > 8 ? `, ends in ${key.slice(-4)}` : "";
}

function keyResult({ settings, keyFailure }: CheckInput): CheckResult {
  const { secretKey, keyCommand, sources, baseUrl, withheldKey } = settings;
  if (keyFailure !== undefined) return failedWith("key", keyFailure);
  if (secretKey !== undefined) {
    const ofProfile = keyCommand === undefined ? "the profile" : "the key command of the profile";
    const source = sources.secretKey === "environment" ? "SENDCTL_SECRET_KEY" : ofProfile;
    return ok("key", `from ${source}${endingOf(secretKey)}`);
  }
  if (baseUrl === undefined) return ok("key", "none; the default integration needs none");
  const detail =
    withheldKey === undefined
      ? "none"
      : `none; ${withheldKey.key} belongs to ${withheldKey.target}`;
  return failed("key", detail, keyHint(settings), "auth");
}
