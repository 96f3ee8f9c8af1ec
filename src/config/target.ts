import { resolve } from "node:path";
import { SendctlError } from "../core/error.ts";
import { shellWord, withoutTrailingSlashes } from "../core/safe-text.ts";
import type { Runtime } from "../core/runtime.ts";
import { type DatabaseUrl, databaseUrl } from "./database-url.ts";
import {
  type Config,
  type Profile,
  type StoredBehaviour,
  findProfile,
  hasControl,
  inUserFolder,
  noHome,
  profileDatabase,
} from "./profiles.ts";

/** The source of a setting, in order of precedence. */
export type Source = "flag" | "environment" | "profile" | "default";

/** Options that select a target. */
export interface TargetOptions {
  readonly profile?: string;
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
}

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
  readonly sources: Readonly<
    Record<"profile" | "mode" | "baseUrl" | "secretKey" | "database", Source>
  >;
}

interface WithheldKey {
  /** SENDCTL_SECRET_KEY, or "the key of profile NAME". */
  readonly key: string;
  /** The target that the key is configured for. */
  readonly target: string;
}

/** A service, or the embedded engine if the base URL is undefined. */
interface Named {
  readonly baseUrl: string | undefined;
}

/** The variable that names a profile. */
export const profileVariable = "SENDCTL_PROFILE";

const embedded: Named = { baseUrl: undefined };

/**
 * Returns the target of a command and its key, by these tables. The first row that names something decides. A profile
 * set by `--profile` ranks as a flag; one set by SENDCTL_PROFILE ranks as the current profile.
 *
 * @param config undefined if it is not read; the requested profile then need not exist
 * @throws SendctlError "usage" that names the invalid flag, variable or profile, or two flags for different targets
 */
export function resolveTarget(
  options: TargetOptions,
  runtime: Runtime,
  config: Config | undefined,
): Target {
  const { env } = runtime;
  refuseEmpty(options);
  const [nameSource, name] = firstOf([
    ["flag", options.profile],
    ["environment", given(env[profileVariable])],
    ["profile", config?.current],
  ]);
  const profile =
    config === undefined || name === undefined
      ? undefined
      : findProfile(config, name, settingOf("profile", nameSource) ?? `${config.file}`);
  const isNamed = options.profile !== undefined;
  const ofProfile = { url: profileUrl(profile), database: profileDatabase(profile, config?.file) };
  const variables = {
    url: given(env["SENDCTL_BASE_URL"]),
    database: given(env["SENDCTL_DATABASE"]),
    key: given(env["SENDCTL_SECRET_KEY"]),
  };
  refuseContradiction(options, ofProfile.url);

  const [mode, { baseUrl } = embedded] = firstOf([
    ["flag", options.local === true ? embedded : undefined],
    ["flag", service(options.baseUrl)],
    ["flag", engine(options.database)],
    ["profile", isNamed ? targetOf(profile) : undefined],
    ["environment", service(variables.url)],
    ["environment", engine(variables.database)],
    ["profile", targetOf(profile)],
  ]);
  // Commands that always work on a database use it even if a service is chosen.
  const [databaseSource, database] = firstOf([
    ["flag", options.database],
    ["profile", isNamed ? ofProfile.database : undefined],
    ["environment", variables.database],
    ["profile", ofProfile.database],
  ]);
  const isOfProfile =
    baseUrl === undefined
      ? ofProfile.url === undefined && ["profile", "default"].includes(databaseSource)
      : isSameUrl(baseUrl, ofProfile.url);
  // The key of a profile belongs to the service or database of that profile, the variable to SENDCTL_BASE_URL if set.
  const keys = [
    {
      source: "environment",
      secretKey: variables.key,
      keyCommand: undefined,
      belongsHere:
        baseUrl === undefined || variables.url === undefined || isSameUrl(baseUrl, variables.url),
      name: "SENDCTL_SECRET_KEY",
      target: `${variables.url}`,
    },
    {
      source: "profile",
      secretKey: profile?.secretKey,
      keyCommand: profile?.keyCommand,
      belongsHere: isOfProfile,
      name: `the key of profile ${name}`,
      target: ofProfile.url ?? "its own database",
    },
  ] as const;
  const configured = keys.filter((one) => (one.secretKey ?? one.keyCommand) !== undefined);
  const used = configured.find(({ belongsHere }) => belongsHere);
  const unused = configured.find(({ belongsHere }) => !belongsHere);

  const setting = settingOf("database", databaseSource) ?? `database of profile ${name}`;
  refuseControl(database, setting);
  const url = database === undefined ? undefined : databaseUrl(database, setting);
  return {
    profile: name,
    baseUrl,
    secretKey: used?.secretKey,
    keyCommand: used?.keyCommand,
    database:
      url?.shown ??
      (database === undefined
        ? dataFile(runtime, "sendctl.db")
        : resolve(runtime.folder, database)),
    databaseUrl: url,
    behaviour: isOfProfile ? profile?.behaviour : undefined,
    withheldKey: unused && { key: unused.name, target: unused.target },
    keyBelongsTo:
      baseUrl === undefined && used?.source === "environment" ? variables.url : undefined,
    sources: {
      profile: nameSource,
      mode,
      baseUrl: baseUrl === undefined ? "default" : mode,
      secretKey: used?.source ?? "default",
      database: databaseSource,
    },
  };
}

/** Treats an empty variable as unset. */
export function given(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

/** Returns the flag or variable that sets a value; undefined for one of a profile. */
export function settingOf(name: string, source: Source): string | undefined {
  if (source === "flag") return `--${name}`;
  return source === "environment" ? `SENDCTL_${name.toUpperCase()}` : undefined;
}

function firstOf<Value>(
  rows: readonly (readonly [source: Source, value: Value | undefined])[],
): readonly [source: Source, value: Value | undefined] {
  return rows.find(([, value]) => value !== undefined) ?? ["default", undefined];
}

function service(baseUrl: string | undefined): Named | undefined {
  return baseUrl === undefined ? undefined : { baseUrl };
}

function engine(database: string | undefined): Named | undefined {
  return database === undefined ? undefined : embedded;
}

/** Returns the target of a profile; undefined if it names none. */
function targetOf(profile: Profile | undefined): Named | undefined {
  const isEmbedded = profile?.mode === "local" || profile?.database !== undefined;
  return service(profileUrl(profile)) ?? (isEmbedded ? embedded : undefined);
}

/** Returns the base URL of a profile; undefined for a profile of the embedded engine. */
export function profileUrl(profile: Profile | undefined): string | undefined {
  return profile?.mode === "local" ? undefined : profile?.baseUrl;
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
  { local, baseUrl, database, profile }: TargetOptions,
  ofProfile: string | undefined,
): void {
  const isRemote = profile !== undefined && ofProfile !== undefined;
  const remote = isRemote ? `--profile ${profile}, which is for ${ofProfile}` : undefined;
  const url = baseUrl === undefined ? undefined : "--base-url";
  const [setting, other] =
    database === undefined ? ["--local", local && url] : ["--database", url ?? remote];
  if (other === undefined || other === false) return;
  const hint = "pass one of them";
  throw new SendctlError("usage", `${setting} contradicts ${other}`, { hint, setting });
}

/** Rejects control characters, which are never needed in names and can truncate them. */
function refuseControl(database: string | undefined, setting: string): void {
  if (!hasControl(database)) return;
  throw new SendctlError("usage", `${setting} contains a control character`, {
    hint: "name another file",
    setting,
  });
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
  return dataFile(runtime, `postgres-${name}.log`);
}

/** Returns the path of a file in the data folder. @throws SendctlError "usage" without a home folder */
function dataFile(runtime: Runtime, name: string): string {
  const file = inUserFolder("XDG_DATA_HOME", runtime, name);
  if (file === undefined) throw noHome("pass --database FILE");
  return file;
}

/** Returns the name of a target for messages and prompts: `https://host (profile prod)`, `the database FILE`. */
export function targetName({ baseUrl, database, profile, sources }: Target): string {
  const isOfProfile =
    baseUrl === undefined
      ? sources.database === "profile"
      : sources.baseUrl === "profile" || sources.secretKey === "profile";
  const target = baseUrl ?? `the database ${database}`;
  return isOfProfile && profile !== undefined ? `${target} (profile ${profile})` : target;
}

/** Returns the name of the database for prompts of commands that always work on it, even if a service is selected. */
export function databaseName(settings: Target): string {
  return targetName({ ...settings, baseUrl: undefined });
}

/**
 * Returns the options that select the same target, also if variables or the current profile selected it; no options for
 * the default database.
 *
 * @param isEmbedded true for a command that always works on the database, even if a service is selected
 */
export function targetOptions(settings: Target, isEmbedded: boolean): readonly string[] {
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
export function keyHint({ profile, sources, keyCommand }: Target): string {
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
