import { statSync } from "node:fs";
import { keyHint } from "../config/target.ts";
import { configFile, readConfig } from "../config/profiles.ts";
import { SendctlError } from "../core/error.ts";
import { nodeVersion } from "../core/runtime.ts";
import {
  openToOthers,
  failed,
  failedWith,
  ok,
  warning,
  type Check,
  type CheckInput,
  type Finding,
  type Findings,
} from "./check.ts";
import { counted } from "../core/text.ts";

/** Checks Node, the addon, the config file, the settings, the profile and the source of the key. */
export const installationChecks: readonly Check[] = [
  { name: "node", run: () => ({ node: checkNode() }) },
  { name: "addon", run: async (input) => ({ addon: await checkAddon(input) }) },
  { name: "config", run: (input) => ({ config: checkConfig(input) }) },
  { name: "settings", run: checkSettings },
  { name: "profile", run: (input) => ({ profile: checkProfile(input) }) },
  { name: "key", run: (input) => ({ key: checkKey(input) }) },
];

/** The oldest supported version of Node, as in package.json. */
const minVersion = [20, 19] as const;

function checkNode(): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isOld = major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1]);
  if (!isOld) return ok(nodeVersion);
  return failed(
    `${nodeVersion} is too old`,
    `install Node ${minVersion.join(".")} or later`,
    "usage",
  );
}

async function checkAddon({ settings }: CheckInput): Promise<Finding> {
  const { loadAddon, loadIncluded } = await import("../engine/sqlite/database-file.ts");
  try {
    loadAddon();
    return ok(`better-sqlite3 ${loadIncluded === undefined ? "loads" : "is included and loads"}`);
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const isUsed = settings.baseUrl === undefined && settings.databaseUrl === undefined;
    return isUsed ? failedWith(error) : warning(error.message, error.hint ?? null);
  }
}

function checkConfig({ runtime }: CheckInput): Finding {
  const file = configFile(runtime);
  if (file === undefined) return ok("none: the home folder is unknown");
  const { profiles } = readConfig(file);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    return ok(`${file} does not exist: nothing is configured`);
  }
  const count = counted(profiles.size, "profile");
  const exposure = openToOthers(file);
  if (exposure === undefined) return ok(`${file}, ${count}`);
  return warning(`${file}, ${count}, ${exposure.detail}`, exposure.fix);
}

/** Returns the errors in the settings, except those in the config file. */
function checkSettings({ settingsErrors, runtime }: CheckInput): Findings {
  const file = configFile(runtime);
  const others = settingsErrors.filter(
    ({ details }) => details.file === undefined || details.file !== file,
  );
  return { settings: others.map((error) => failedWith(error)) };
}

/** Returns whether an error of the settings concerns the config, not a variable alone. */
function isOfConfig({ field }: SendctlError): boolean {
  return field === undefined || !field.startsWith("SENDCTL_");
}

function checkProfile({ settings, settingsErrors }: CheckInput): Finding {
  const { profile, sources, protection } = settings;
  if (settingsErrors.some(isOfConfig)) return ok("not checked, because the config cannot be used");
  const level = { confirm: "; its target is protected", "read-only": "; its target is read-only" };
  const guard = protection.service ? level[protection.service.level] : "";
  if (profile === undefined) return ok(`none${guard}`);
  const by: Readonly<Record<string, string>> = {
    flag: "--profile",
    environment: "SENDCTL_PROFILE",
    profile: "the config file",
  };
  return ok(`${profile}, chosen by ${by[sources.profile] ?? "default"}${guard}`);
}

function checkKey({ settings, keyFailure }: CheckInput): Finding {
  const { secretKey, keyCommand, sources, baseUrl, withheldKey } = settings;
  if (keyFailure !== undefined) return failedWith(keyFailure);
  if (secretKey !== undefined) {
    const ofProfile = keyCommand === undefined ? "the profile" : "the key command of the profile";
    const source = sources.secretKey === "environment" ? "SENDCTL_SECRET_KEY" : ofProfile;
    // The end of a short key would not leave enough of it secret.
    const ending = secretKey.length > 8 ? `, ends in ${secretKey.slice(-4)}` : "";
    return ok(`from ${source}${ending}`);
  }
  if (baseUrl === undefined) return ok("none; the default integration needs none");
  const other = withheldKey && `; ${withheldKey.key} belongs to ${withheldKey.target}`;
  return failed(`none${other ?? ""}`, keyHint(settings), "auth");
}
