import { isAbsolute, join, resolve } from "node:path";
import { SendctlError } from "../contract/error.ts";
import { withoutTrailingSlashes } from "../contract/text/trailing-slashes.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { chooseTarget, profileUrl, type Source, type TargetOptions } from "./choose-target.ts";
import { databaseUrl, type DatabaseUrl } from "./database-url.ts";
import {
  findProfile,
  hasControl,
  profileDatabase,
  type Config,
  type Profile,
  type StoredBehaviour,
} from "./profiles.ts";

/** The service or database that a command works on, and its key. */
export interface Target {
  /** The profile in use; without a config, the one that was requested. */
  readonly profile: string | undefined;
  /** Base URL of the remote service; undefined for the embedded engine. */
  readonly baseUrl: string | undefined;
  /** The key; undefined if there is none or a command prints it. */
  readonly secretKey: string | undefined;
  /** The command of the profile that prints the key, if that key is used. */
  readonly keyCommand: string | undefined;
  /** Whether the profile has a key or a key command. */
  readonly isKeyStored: boolean;
  /** Absolute path of the engine's database or, for PostgreSQL, its URL without the password. */
  readonly database: string;
  /** Undefined if the database is a file. */
  readonly databaseUrl: DatabaseUrl | undefined;
  /** The behaviour of the profile, if the target is that of the profile. */
  readonly behaviour: StoredBehaviour | undefined;
  /** A key that is not used because it is configured for another target. */
  readonly withheldKey: WithheldKey | undefined;
  /**
   * The base URL that SENDCTL_SECRET_KEY was configured with if the target is a database. The key is then used only if
   * that database issued it.
   */
  readonly keyBelongsTo: string | undefined;
  readonly targetSources: Readonly<
    Record<"profile" | "mode" | "baseUrl" | "secretKey" | "database", Source>
  >;
}

interface WithheldKey {
  /** SENDCTL_SECRET_KEY, or "the key of profile NAME". */
  readonly key: string;
  /** The target that the key is configured for. */
  readonly target: string;
}

/** The variable that names a profile. */
export const profileVariable = "SENDCTL_PROFILE";

const keyVariable = "SENDCTL_SECRET_KEY";

/** Treats an empty variable as unset. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function firstOf<Value>(
  ...values: readonly (readonly [value: Value | undefined, source: Source])[]
): readonly [value: Value | undefined, source: Source] {
  return values.find(([value]) => value !== undefined) ?? [undefined, "default"];
}

/**
 * Returns the target of a command and its key. A key is used only for the target that it is configured for: the key of
 * a profile for the base URL or database of that profile; SENDCTL_SECRET_KEY for SENDCTL_BASE_URL or, if that is unset,
 * for any target.
 *
 * @param config undefined if it is not read; the requested profile then need not exist
 * @throws SendctlError "usage" that names the invalid flag, variable or profile
 */
export function resolveTarget(
  options: TargetOptions,
  runtime: Runtime,
  config: Config | undefined,
): Target {
  const { env } = runtime;
  const [name, nameSource] = firstOf(
    [options.profile || undefined, "flag"],
    [given(env[profileVariable]), "environment"],
    [config?.current, "default"],
  );
  const profile = profileOf(config, name, nameSource);
  const baseUrlVariable = given(env["SENDCTL_BASE_URL"]);
  const databaseVariable = given(env["SENDCTL_DATABASE"]);
  const candidates = { options, baseUrlVariable, databaseVariable, profile, profileName: name };
  const { baseUrl, source } = chooseTarget(candidates);
  const ofProfile = profileDatabase(profile, config?.file);
  const [database, databaseSource] = firstOf(
    [options.database, "flag"],
    [options.profile === undefined ? undefined : ofProfile, "profile"],
    [databaseVariable, "environment"],
    [ofProfile, "profile"],
  );
  refuseControl(database, nameOf(databaseSource, name));
  const ownUrl = profileUrl(profile);
  const isProfilesTarget =
    baseUrl === undefined
      ? ownUrl === undefined && ["profile", "default"].includes(databaseSource)
      : isSameUrl(baseUrl, ownUrl);
  const isVariablesTarget =
    baseUrl === undefined || baseUrlVariable === undefined || isSameUrl(baseUrl, baseUrlVariable);
  const variable = given(env[keyVariable]);
  const fromVariable = isVariablesTarget ? variable : undefined;
  const ownKey = profile?.secretKey ?? profile?.keyCommand;
  const isProfilesKey = fromVariable === undefined && isProfilesTarget && ownKey !== undefined;
  const url =
    database === undefined ? undefined : databaseUrl(database, nameOf(databaseSource, name));
  return {
    profile: name,
    baseUrl,
    secretKey: isProfilesKey ? profile?.secretKey : fromVariable,
    keyCommand: isProfilesKey ? profile?.keyCommand : undefined,
    isKeyStored: ownKey !== undefined,
    database:
      url?.shown ??
      (database === undefined ? defaultDatabase(runtime) : resolve(runtime.folder, database)),
    databaseUrl: url,
    behaviour: isProfilesTarget ? profile?.behaviour : undefined,
    withheldKey: withheld(
      isVariablesTarget ? undefined : variable && baseUrlVariable,
      isProfilesTarget
        ? undefined
        : ownKey && { name: `${name}`, target: ownUrl ?? "its own database" },
    ),
    keyBelongsTo: baseUrl === undefined && fromVariable !== undefined ? baseUrlVariable : undefined,
    targetSources: {
      profile: nameSource === "default" && name !== undefined ? "profile" : nameSource,
      mode: source,
      baseUrl: baseUrl === undefined ? "default" : source,
      secretKey: isProfilesKey ? "profile" : fromVariable === undefined ? "default" : "environment",
      database: databaseSource,
    },
  };
}

/** Rejects control characters, which are never needed in names and can truncate them. */
function refuseControl(database: string | undefined, setting: string): void {
  if (!hasControl(database)) return;
  throw new SendctlError("usage", `${setting} contains a control character`, {
    hint: "name another file",
    setting,
  });
}

function withheld(
  variablesTarget: string | undefined,
  ofProfile: { readonly name: string; readonly target: string } | "" | undefined,
): WithheldKey | undefined {
  if (variablesTarget !== undefined) return { key: keyVariable, target: variablesTarget };
  if (ofProfile === undefined || ofProfile === "") return undefined;
  return { key: `the key of profile ${ofProfile.name}`, target: ofProfile.target };
}

/** Returns the name of the setting that selects the database. */
function nameOf(source: Source, profile: string | undefined): string {
  if (source === "flag") return "--database";
  return source === "environment" ? "SENDCTL_DATABASE" : `database of profile ${profile}`;
}

function profileOf(
  config: Config | undefined,
  name: string | undefined,
  source: Source,
): Profile | undefined {
  if (config === undefined || name === undefined) return undefined;
  const setBy: Readonly<Partial<Record<Source, string>>> = {
    flag: "--profile",
    environment: profileVariable,
  };
  return findProfile(config, name, setBy[source] ?? `${config.file}`);
}

/** Returns whether two URLs are equivalent. */
function isSameUrl(one: string, other: string | undefined): boolean {
  return other !== undefined && (one === other || normalized(one) === normalized(other));
}

function normalized(address: string): string {
  return URL.canParse(address) ? withoutTrailingSlashes(new URL(address).href) : address;
}

/** Returns the file of a server's request log: next to the database file or, for PostgreSQL, in the data folder. */
export function requestLogFile(
  { database, databaseUrl }: Pick<Target, "database" | "databaseUrl">,
  runtime: Runtime,
): string {
  if (databaseUrl === undefined) return `${database}.log`;
  const { host, pathname, searchParams } = new URL(databaseUrl.shown);
  const schema = searchParams.get("schema") ?? "sendctl";
  const name = [host, pathname.slice(1), schema].join("-").replace(/[^\w.-]/g, "_");
  return join(dataFolder(runtime), "sendctl", `postgres-${name}.log`);
}

function defaultDatabase(runtime: Runtime): string {
  return join(dataFolder(runtime), "sendctl", "sendctl.db");
}

/** Returns the data folder. A relative XDG_DATA_HOME is ignored, as its specification requires. */
function dataFolder({ env, home }: Runtime): string {
  const folder = given(env["XDG_DATA_HOME"]);
  if (folder !== undefined && isAbsolute(folder)) return folder;
  if (!isAbsolute(home)) {
    throw new SendctlError("usage", "no home folder is set (HOME)", {
      hint: "pass --database FILE",
      setting: "HOME",
    });
  }
  return join(home, ".local", "share");
}
