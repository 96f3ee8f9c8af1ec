import { isAbsolute, join, resolve } from "node:path";
import { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { chooseTarget, profileUrl, type Source, type TargetOptions } from "./choose-target.ts";
import { databaseUrl, type DatabaseUrl } from "./database-url.ts";
import { findProfile, hasControl, profileDatabase, type Config, type Profile } from "./profiles.ts";

/** Where a command works: a service or a database, and the key to it. */
export interface Target {
  /** The profile in use. Without a config: the one that was asked for. */
  readonly profile: string | undefined;
  /** Base URL of the remote service; undefined where the embedded engine is used. */
  readonly baseUrl: string | undefined;
  /** The key to the target; undefined where there is none, and where a command prints it. */
  readonly secretKey: string | undefined;
  /** The command of the profile that prints the key, where that is the key to use. */
  readonly keyCommand: string | undefined;
  /** Absolute path of the engine's database or, for PostgreSQL, its address without the password. */
  readonly database: string;
  /** Undefined where the database is a file. */
  readonly databaseUrl: DatabaseUrl | undefined;
  /** A key that is configured for another target, and therefore not used. */
  readonly withheldKey: WithheldKey | undefined;
  /**
   * The base URL that SENDCTL_SECRET_KEY was configured with, while a database is the target: the key then counts
   * only if that database issued it.
   */
  readonly keyBelongsTo: string | undefined;
  readonly targetSources: Readonly<
    Record<"profile" | "mode" | "baseUrl" | "secretKey" | "database", Source>
  >;
}

interface WithheldKey {
  /** SENDCTL_SECRET_KEY, or "the key of profile NAME". */
  readonly key: string;
  /** The target that it belongs to. */
  readonly target: string;
}

/** The variable that names a profile. */
export const profileVariable = "SENDCTL_PROFILE";

const keyVariable = "SENDCTL_SECRET_KEY";

/** An empty variable counts as unset. */
function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function firstOf<Value>(
  ...values: readonly (readonly [value: Value | undefined, source: Source])[]
): readonly [value: Value | undefined, source: Source] {
  return values.find(([value]) => value !== undefined) ?? [undefined, "default"];
}

/**
 * Returns the target of a command, and the key to it. A key belongs to the target that it was configured with:
 * a profile's to the base URL or database of that profile; SENDCTL_SECRET_KEY to SENDCTL_BASE_URL where that is
 * set, else to whatever target is chosen.
 *
 * @param config undefined where it is not consulted: the profile asked for need not exist then
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
      : sameAddress(baseUrl, ownUrl);
  const isVariablesTarget =
    baseUrl === undefined || baseUrlVariable === undefined || sameAddress(baseUrl, baseUrlVariable);
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
    database:
      url?.shown ??
      (database === undefined ? defaultDatabase(runtime) : resolve(runtime.folder, database)),
    databaseUrl: url,
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

/** No file system or server needs them, and some end a name early. */
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

/** Returns what says where the database is. */
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

/** A key is for one address, whatever way it is written. */
function sameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && (one === other || written(one) === written(other));
}

function written(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address;
}

/** Where a server keeps its requests: beside the database or, where that is no file, where ours would be. */
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

/** XDG_DATA_HOME counts only where it is absolute, as its specification says. */
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
