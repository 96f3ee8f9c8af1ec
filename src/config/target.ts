import { isAbsolute, join, resolve } from "node:path";
import { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { databaseUrl, type DatabaseUrl } from "./database-url.ts";
import { findProfile, profileDatabase, type Config, type Profile } from "./profiles.ts";

/** Where a setting comes from. The first of them that says something counts. */
export type Source = "flag" | "environment" | "profile" | "default";

/** Options that say where a command works. */
export interface TargetOptions {
  readonly profile?: string;
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
}

/** Where a command works: a service or a database, and the key to it. */
export interface Target {
  /** The profile in use. Where there is no config: the one that was asked for. */
  readonly profile: string | undefined;
  /** Base URL of the remote service; undefined where the embedded engine is used. */
  readonly baseUrl: string | undefined;
  readonly secretKey: string | undefined;
  /** Absolute path of the engine's database or, where it is no file, its address without the password. */
  readonly database: string;
  /** Undefined where the database is a file. */
  readonly databaseUrl: DatabaseUrl | undefined;
  /** Where the profile's key is meant for another place, which it is kept from: that place. */
  readonly keyIsFor: string | undefined;
  readonly targetSources: Readonly<
    Record<"profile" | "mode" | "baseUrl" | "secretKey" | "database", Source>
  >;
}

/** The variable that names a profile. */
export const profileVariable = "SENDCTL_PROFILE";

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
 * @param config undefined where it is not to be consulted: the profile asked for need not be there then
 * @throws SendctlError "usage" that names the invalid flag, variable or profile
 */
export function resolveTarget(
  options: TargetOptions,
  runtime: Runtime,
  config: Config | undefined,
): Target {
  const { env } = runtime;
  refuseContradiction(options);
  const [name, nameSource] = firstOf(
    [options.profile, "flag"],
    [given(env[profileVariable]), "environment"],
    [config?.current, "default"],
  );
  const profile = profileOf(config, name, nameSource);
  const profileUrl = profile?.mode === "local" ? undefined : profile?.baseUrl;
  const [database, databaseSource] = firstOf(
    [options.database ?? undefined, "flag"],
    [given(env["SENDCTL_DATABASE"]), "environment"],
    [profileDatabase(profile, config?.file), "profile"],
  );
  const [chosenUrl, urlSource] = firstOf(
    [options.baseUrl, "flag"],
    [given(env["SENDCTL_BASE_URL"]), "environment"],
    [profileUrl, "profile"],
  );
  const isLocal = options.local === true;
  // A profile of mode local is overridden by an address that is given, and by nothing else.
  const baseUrl = isLocal ? undefined : chosenUrl;
  const isRemote = baseUrl !== undefined;
  const isPlaceOfProfile = isRemote
    ? sameAddress(baseUrl, profileUrl)
    : profileUrl === undefined && ["profile", "default"].includes(databaseSource);
  const profileKey = profile?.secretKey;
  const [secretKey, keySource] = firstOf(
    [given(env["SENDCTL_SECRET_KEY"]), "environment"],
    [isPlaceOfProfile ? profileKey : undefined, "profile"],
  );
  const url =
    database === undefined ? undefined : databaseUrl(database, nameOf(databaseSource, name));
  const modeSource = profile?.mode === "local" ? "profile" : "default";
  return {
    profile: name,
    baseUrl,
    secretKey,
    database:
      url?.shown ??
      (database === undefined ? usualDatabase(runtime) : resolve(runtime.folder, database)),
    databaseUrl: url,
    keyIsFor: profileKey !== undefined && !isPlaceOfProfile ? (profileUrl ?? "its own") : undefined,
    targetSources: {
      profile: nameSource === "default" && name !== undefined ? "profile" : nameSource,
      mode: isLocal ? "flag" : isRemote ? urlSource : modeSource,
      baseUrl: isRemote ? urlSource : "default",
      secretKey: keySource,
      database: databaseSource,
    },
  };
}

/** What says where the database is. */
function nameOf(source: Source, profile: string | undefined): string {
  if (source === "flag") return "--database";
  return source === "environment" ? "SENDCTL_DATABASE" : `database of profile ${profile}`;
}

function refuseContradiction({ local, baseUrl, database, profile }: TargetOptions): void {
  if (baseUrl === "") {
    throw new SendctlError("usage", "--base-url is empty", {
      hint: "pass the address of a service",
      setting: "--base-url",
    });
  }
  if (local === true && baseUrl !== undefined) {
    throw new SendctlError("usage", "--local contradicts --base-url", {
      hint: "pass one of them",
      setting: "--base-url",
    });
  }
  if (database === "") {
    throw new SendctlError("usage", "--database is empty", {
      hint: "name a file",
      setting: "--database",
    });
  }
  if (profile === "") {
    throw new SendctlError("usage", "--profile is empty", {
      hint: "sendctl profile list",
      setting: "--profile",
    });
  }
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

function usualDatabase(runtime: Runtime): string {
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
