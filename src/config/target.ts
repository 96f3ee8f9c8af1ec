import { SendctlError } from "../core/error.ts";
import { shellWord, withoutTrailingSlashes } from "../core/text.ts";
import type { Runtime } from "../core/runtime.ts";
import { locateDatabase, profileDatabase, databaseUrl } from "./database.ts";
import { findProfile, profileUrl, type Config, type Profile, type Protection } from "./profiles.ts";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The source of a setting, in order of precedence. */
export type Source = "flag" | "environment" | "profile" | "default";

/** Options that select a target. */
export interface TargetOptions {
  readonly profile?: string;
  readonly local?: boolean;
  readonly baseUrl?: string;
  readonly database?: string;
  /** Set for commands that work on a database alone, not an option. */
  readonly isEmbedded?: boolean;
}

/** The service or database that a command works on, and its key. */
export type Target = Readonly<ReturnType<typeof resolveTarget>>;

/** A service, a database, or with `local` the embedded engine; and a key for it. */
interface Row {
  readonly source: Source;
  readonly local?: boolean;
  readonly baseUrl?: string | undefined;
  readonly database?: string | undefined;
  readonly secretKey?: string | undefined;
  readonly keyCommand?: string | undefined;
}

/** The variable with a key. */
const keyVariable = "SENDCTL_SECRET_KEY";

/**
 * Returns the target of a command and its key. Each source is a row of a table; the first row that
 * names a target decides. A profile set by `--profile` ranks before variables; one set by
 * SENDCTL_PROFILE ranks after them, as the current profile does.
 *
 * @param config undefined if it is not read; the requested profile then need not exist
 * @throws SendctlError "usage" for an invalid flag, variable or profile, or two targets
 */
export function resolveTarget(
  options: TargetOptions,
  runtime: Runtime,
  config: Config | undefined,
) {
  const { env } = runtime;
  refuseEmpty(options);
  const [profileSource, name] = firstOf([
    ["flag", options.profile],
    ["environment", given(env["SENDCTL_PROFILE"])],
    ["profile", config?.current],
  ]);
  const profile =
    config === undefined || name === undefined
      ? undefined
      : findProfile(config, name, settingOf("profile", profileSource) ?? `${config.file}`);
  const { flags, variables, ofProfile } = tableOf(options, env, profile, config?.file);
  refuseContradiction(options, ofProfile.baseUrl);
  const rows =
    options.profile === undefined ? [flags, variables, ofProfile] : [flags, ofProfile, variables];

  const chosen = rows.find(
    (row) => row.local === true || (row.baseUrl ?? row.database) !== undefined,
  );
  const baseUrl = chosen?.baseUrl;
  const mode = chosen?.source ?? "default";
  // Commands that always work on a database use it even if a service is chosen.
  const [databaseSource, database] = firstOf(rows.map((row) => [row.source, row.database]));
  const isOfProfile =
    baseUrl === undefined
      ? ofProfile.baseUrl === undefined && ["profile", "default"].includes(databaseSource)
      : isSameUrl(baseUrl, ofProfile.baseUrl);
  // The key of a profile belongs to its target, the variable to SENDCTL_BASE_URL if set.
  const isForTarget = (row: Row): boolean =>
    row === ofProfile
      ? isOfProfile
      : baseUrl === undefined || row.baseUrl === undefined || isSameUrl(baseUrl, row.baseUrl);
  const withKey = [variables, ofProfile].filter(
    (row) => (row.secretKey ?? row.keyCommand) !== undefined,
  );
  const used = withKey.find(isForTarget);
  const unused = withKey.find((row) => !isForTarget(row));
  const sources: Readonly<
    Record<"profile" | "mode" | "baseUrl" | "secretKey" | "database", Source>
  > = {
    profile: profileSource,
    mode,
    baseUrl: baseUrl === undefined ? "default" : mode,
    secretKey: used?.source ?? "default",
    database: databaseSource,
  };
  return {
    /** The profile in use; without a config, the one that was requested. */
    profile: name,
    /** Base URL of the remote service; undefined for the embedded engine. */
    baseUrl,
    /** The key; undefined if there is none or a command prints it. */
    secretKey: used?.secretKey,
    /** The command of the profile that prints the key, if that key is used. */
    keyCommand: used?.keyCommand,
    ...locateDatabase(
      database,
      settingOf("database", databaseSource) ?? `database of profile ${name}`,
      runtime,
    ),
    /** The behaviour of the profile, if the target is that of the profile. */
    behaviour: isOfProfile ? profile?.behaviour : undefined,
    /** An unused key of another target: SENDCTL_SECRET_KEY, or that of the profile. */
    withheldKey: unused && {
      key: unused === ofProfile ? `the key of profile ${name}` : keyVariable,
      target: unused.baseUrl ?? "its own database",
    },
    /**
     * The base URL that SENDCTL_SECRET_KEY was configured with if the target is a database. The key
     * is then used only if that database issued it.
     */
    keyBelongsTo: baseUrl === undefined && used === variables ? variables.baseUrl : undefined,
    sources,
  };
}

/** Returns the target that each source names. @param file the config file */
function tableOf(
  options: TargetOptions,
  env: Runtime["env"],
  profile: Profile | undefined,
  file: string | undefined,
): Readonly<Record<"flags" | "variables" | "ofProfile", Row>> {
  return {
    flags: {
      source: "flag",
      ...options,
      local: options.local === true || options.isEmbedded === true,
    },
    variables: {
      source: "environment",
      baseUrl: given(env["SENDCTL_BASE_URL"]),
      database: given(env["SENDCTL_DATABASE"]),
      secretKey: given(env[keyVariable]),
    },
    ofProfile: {
      source: "profile",
      local: profile?.mode === "local",
      baseUrl: profileUrl(profile),
      database: profileDatabase(profile, file),
      secretKey: profile?.secretKey,
      keyCommand: profile?.keyCommand,
    },
  };
}

/** Returns the first value that is defined, and its source. */
export function firstOf(
  rows: readonly (readonly [source: Source, value: string | undefined])[],
): readonly [source: Source, value: string | undefined] {
  return rows.find(([, value]) => value !== undefined) ?? ["default", undefined];
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

function refuseEmpty({ baseUrl, database, profile }: TargetOptions): void {
  const hints = [
    ["--base-url", baseUrl, "pass the URL of a service"],
    ["--database", database, "name a file"],
    ["--profile", profile, "sendctl profile list"],
  ] as const;
  for (const [setting, value, hint] of hints) {
    if (value === "") throw new SendctlError("usage", `${setting} is empty`, { hint });
  }
}

function refuseContradiction(
  { local, baseUrl, database, profile, isEmbedded }: TargetOptions,
  ofProfile: string | undefined,
): void {
  const isRemote = profile !== undefined && ofProfile !== undefined;
  const remote = isRemote ? `--profile ${profile}, which is for ${ofProfile}` : undefined;
  const url = baseUrl === undefined ? undefined : "--base-url";
  const [setting, other] =
    database === undefined ? ["--local", local && url] : ["--database", url ?? remote];
  if (remote !== undefined && isEmbedded === true && local !== true) {
    const message = `this command works on a database, and profile ${profile} is for ${ofProfile}`;
    throw new SendctlError("usage", message, { hint: "omit --profile" });
  }
  if (other === undefined || other === false) return;
  const hint = "pass one of them";
  throw new SendctlError("usage", `${setting} conflicts with ${other}`, { hint });
}

/** Returns whether two URLs are equivalent. */
function isSameUrl(url: string, known: string | undefined): boolean {
  return known !== undefined && (url === known || normalized(url) === normalized(known));
}

/** Returns a base URL in the form in which equivalent ones are equal. */
export function normalized(address: string): string {
  return URL.canParse(address) ? withoutTrailingSlashes(new URL(address).href) : address;
}

/** Returns the name of a target for people: `https://host (profile prod)`, `the database FILE`. */
export function targetName({ baseUrl, database, profile, sources }: Target): string {
  const isOfProfile =
    baseUrl === undefined
      ? sources.database === "profile"
      : sources.baseUrl === "profile" || sources.secretKey === "profile";
  const target = baseUrl ?? `the database ${database}`;
  return isOfProfile && profile !== undefined ? `${target} (profile ${profile})` : target;
}

/** Returns the name of the database, for commands that always work on it. */
export function databaseName(target: Target): string {
  return targetName({ ...target, baseUrl: undefined });
}

/**
 * Returns the options that select the same target, also if variables or the current profile
 * selected it; no options for the default database.
 *
 * @param isEmbedded true for a command that always works on the database
 */
export function targetOptions(target: Target, isEmbedded: boolean): readonly string[] {
  const { baseUrl, database, profile, sources } = target;
  const isRemote = !isEmbedded && baseUrl !== undefined;
  const isDatabase = !isRemote && isGiven(sources.database);
  const isForced = !isRemote && !isDatabase && !isEmbedded && sources.mode === "flag";
  const isOfProfile = isRemote
    ? [sources.baseUrl, sources.secretKey].includes("profile")
    : isDatabase
      ? // A remote profile conflicts with --database.
        sources.mode === "profile" && baseUrl === undefined
      : sources.database === "profile";
  return [
    ...(isForced ? ["--local"] : []),
    ...(isOfProfile && profile !== undefined ? optionWords("--profile", profile) : []),
    ...(isRemote && isGiven(sources.baseUrl) ? optionWords("--base-url", baseUrl) : []),
    ...(isDatabase ? optionWords("--database", database) : []),
  ];
}

/** Returns a command line for the same target, for hints. @param words after `sendctl` */
export function lineFor(target: Target, words: readonly string[], isEmbedded = false): string {
  return ["sendctl", ...words, ...targetOptions(target, isEmbedded)].map(shellWord).join(" ");
}

function isGiven(source: Source): boolean {
  return source === "flag" || source === "environment";
}

/** Returns the words of an option and its value, which may start with a dash. */
export function optionWords(name: string, value: string): readonly string[] {
  return value.startsWith("-") ? [`${name}=${value}`] : [name, value];
}

/** Returns how to set the key of the chosen service: where it comes from, or that there is none. */
export function keyHint({ profile, sources, keyCommand, withheldKey }: Target): string {
  const ofProfile = profile === undefined ? "" : ` --profile ${shellWord(profile)}`;
  const login = `sendctl login${ofProfile}`;
  if (sources.secretKey === "profile") {
    return keyCommand === undefined
      ? `the key comes from profile ${profile}; to replace it: ${login}`
      : `the key comes from the key command of profile ${profile}; to replace it: ${login} --key-command COMMAND`;
  }
  const isOfProfile = sources.baseUrl === "profile";
  if (withheldKey?.key === keyVariable && sources.secretKey === "default") {
    return `SENDCTL_SECRET_KEY is for ${withheldKey.target}: set SENDCTL_BASE_URL for this service, too, or ${login}`;
  }
  if (sources.secretKey === "default") {
    return `${isOfProfile ? login : "sendctl login"}, or set SENDCTL_SECRET_KEY`;
  }
  return isOfProfile
    ? `the key comes from SENDCTL_SECRET_KEY, which overrides profile ${profile}; set it to a valid key, or unset it and store one: ${login}`
    : "the key comes from SENDCTL_SECRET_KEY; set it to a valid key";
}

/** A service or database, as an option, a variable, a profile or the config file names it. */
type Place = Pick<Target, "baseUrl" | "database" | "databaseUrl">;

/** Returns one text for all names of a target, by which the config file protects it. */
export function protectedKey({ baseUrl, database, databaseUrl: address }: Place): string {
  if (baseUrl !== undefined) {
    if (!URL.canParse(baseUrl)) return baseUrl;
    const url = new URL(baseUrl);
    url.hostname = hostName(url.hostname);
    return normalized(url.href);
  }
  if (address === undefined) return realPath(database);
  const { hostname, port, pathname, username, searchParams: query } = new URL(address.shown);
  const host = decodeURIComponent(hostname) || query.get("host") || "localhost";
  const name = pathname.slice(1) || username || query.get("user");
  const at = `${hostName(host.toLowerCase())}:${port || query.get("port") || "5432"}`;
  return `postgres://${at}/${name}?schema=${query.get("schema") ?? "sendctl"}`;
}

/** Returns the name of a host, which is localhost for its usual addresses, too. */
function hostName(given: string): string {
  const host = given.replace(/\.$/, "");
  return ["127.0.0.1", "[::1]", "::1"].includes(host) ? "localhost" : host;
}

/** Returns the path of a file, which need not exist, without links. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return dirname(file) === file ? file : join(realPath(dirname(file)), basename(file));
  }
}

/** Returns the protections of a target, however the config file names it. */
export function protectionsAt(
  place: Place,
  { protections }: Pick<Config, "protections">,
): readonly (readonly [key: string, protection: Protection])[] {
  if (protections.size === 0) return [];
  const key = protectedKey(place);
  return [...protections].filter(([name]) => {
    const baseUrl = /^https?:/i.test(name) ? name : undefined;
    const address = baseUrl === undefined ? databaseUrl(name, "protected") : undefined;
    return protectedKey({ baseUrl, database: name, databaseUrl: address }) === key;
  });
}

/** Returns the protections of the chosen target, and of the database of `local` commands. */
export function protectionsOf(
  target: Place,
  config: Config,
): { readonly service?: Protection | undefined; readonly database?: Protection | undefined } {
  const of = (place: Place): Protection | undefined => {
    const found = protectionsAt(place, config).map(([, protection]) => protection);
    return found.find(({ level }) => level === "read-only") ?? found[0];
  };
  return { service: of(target), database: of({ ...target, baseUrl: undefined }) };
}
