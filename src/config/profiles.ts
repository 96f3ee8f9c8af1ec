import { isObject } from "../contract/service.ts";
// oxlint-disable-next-line no-restricted-imports -- its errors say why the config cannot be read
import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { SendctlError } from "../core/error.ts";
import { control } from "../core/text.ts";
import { unreadableFile, utf8Text } from "../core/files.ts";
import type { Runtime } from "../core/runtime.ts";

/** A named service or database, with the settings to use it. */
export interface Profile {
  /** Selects the embedded engine; `baseUrl` is then ignored. */
  readonly mode?: "local";
  readonly baseUrl?: string;
  readonly secretKey?: string;
  /** A shell command that prints the key, instead of the key itself. */
  readonly keyCommand?: string;
  /** The account in the keychain of the system whose key the key command prints. */
  readonly keychain?: string;
  /** A relative path is relative to the folder of the config file. */
  readonly database?: string;
  /** The service's behaviour. Its switches are checked when it is used (check-behaviour.ts). */
  readonly behaviour?: StoredBehaviour;
}

/** Values by the names of switches, before they are checked. */
export type StoredBehaviour = Readonly<Record<string, unknown>>;

/** The protection of a target: deletes need the profile's name, or nothing may change it. */
export interface Protection {
  /** The profile that was protected, whose name confirms a delete. */
  readonly profile: string;
  readonly level: "confirm" | "read-only";
}

/** The content of the config file. */
export interface Config {
  /** Absolute path; undefined without a home folder. */
  readonly file: string | undefined;
  /** The profile that is used if no other one is requested. */
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /** By base URL or database, in the form of `protectedKey`, however it is selected. */
  readonly protections: ReadonlyMap<string, Protection>;
}

/** Maximum size in bytes: thousands of profiles. */
const maxBytes = 1024 * 1024;

/** A valid key: characters that an HTTP header can contain. */
export const keyText = /^[\x21-\x7e]+$/;

/** A valid profile name, which needs no quotes in a shell. */
const nameText = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Checks the name of a new profile. @throws SendctlError "usage" if it is invalid */
export function checkProfileName(name: string): void {
  if (name.startsWith("sk_")) {
    throw new SendctlError("usage", "the profile name looks like a secret key", {
      hint: "a profile name is a word of your choice, such as prod",
    });
  }
  if (nameText.test(name)) return;
  throw new SendctlError("usage", `invalid profile name "${name}"`, {
    hint: "use up to 64 letters, digits, dots, dashes and underscores",
  });
}

/** Returns the path of the config file; undefined without a home folder. */
export function configFile(runtime: Pick<Runtime, "env" | "home">): string | undefined {
  return inUserFolder("XDG_CONFIG_HOME", runtime, "config.json");
}

/**
 * Reads the config file without conf, which takes as long to load as a whole command.
 *
 * @throws SendctlError "usage" if the file is invalid; the message has none of its values
 */
export function readConfig(file: string | undefined): Config {
  const text = file === undefined ? undefined : readText(file);
  if (file === undefined || text === undefined) {
    return { file, current: undefined, profiles: new Map(), protections: new Map() };
  }
  return parseConfig(file, text);
}

function readText(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // Reading from a named pipe would block.
    if (!found.isFile()) throw broken(file, "is not a file");
    if (found.size > maxBytes) throw broken(file, "is larger than 1 MiB");
    return utf8Text(readFileSync(file), maxBytes, `the config file ${file}`, "save it as UTF-8");
  } catch (error) {
    throw unreadableFile(`the config file ${file}`, error, file);
  }
}

function broken(file: string, problem: string): SendctlError {
  return new SendctlError("usage", `the config file ${file} ${problem}`, {
    hint: "fix it, or move it away and log in again (sendctl login)",
    file,
  });
}

function parseConfig(file: string, text: string): Config {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The error of JSON.parse quotes the text, which can contain keys, so it must not be the cause.
    throw broken(file, text.trim() === "" ? "is empty" : "is not valid JSON");
  }
  const invalidAt: InvalidAt = (path, right) => broken(file, `is invalid: ${path} ${right}`);
  if (!isObject(parsed)) throw invalidAt("it", "must be a JSON object");
  refuseUnknownFields(parsed, ["current", "profiles", "protected"], "", invalidAt);
  const { current, profiles = {}, protected: protections = {} } = parsed;
  if (current !== undefined && typeof current !== "string") {
    throw invalidAt("current", "must be the name of a profile");
  }
  if (!isObject(profiles)) throw invalidAt("profiles", "must be an object of profiles by name");
  const read = Object.entries(profiles).map(
    ([name, profile]) => [name, parseProfile(`profiles.${name}`, profile, invalidAt)] as const,
  );
  if (!isObject(protections)) throw invalidAt("protected", "must be an object of targets");
  const guards = Object.entries(protections).map(([target, found]) => {
    if (!isAbsolute(target) && !/^(?:https?|postgres(?:ql)?):\/\//i.test(target)) {
      throw invalidAt(`protected["${target}"]`, "must be named by a base URL or a database");
    }
    return [target, parseProtection(`protected.${target}`, found, invalidAt)] as const;
  });
  return { file, current, profiles: new Map(read), protections: new Map(guards) };
}

/** An unknown level is refused: a target that is meant to be protected is never unprotected. */
function parseProtection(path: string, value: unknown, invalidAt: InvalidAt): Protection {
  if (!isObject(value)) throw invalidAt(path, "must be an object");
  refuseUnknownFields(value, ["profile", "level"], `${path}.`, invalidAt);
  const { profile, level } = value;
  if (typeof profile !== "string" || profile === "" || control.test(profile)) {
    throw invalidAt(`${path}.profile`, "must be the name of a profile");
  }
  if (level !== "confirm" && level !== "read-only") {
    throw invalidAt(`${path}.level`, 'must be "confirm" or "read-only"');
  }
  return { profile, level };
}

type InvalidAt = (path: string, right: string) => SendctlError;

/** Rejects unknown fields: a mistyped one could select another target. */
function refuseUnknownFields(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
  invalidAt: InvalidAt,
): void {
  const unknown = Object.keys(value).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw invalidAt(`${path}${unknown}`, `is not a known field (${known.join(", ")})`);
}

function parseProfile(path: string, value: unknown, invalidAt: InvalidAt): Profile {
  if (!isObject(value)) throw invalidAt(path, "must be an object");
  const texts = ["mode", "baseUrl", "secretKey", "keyCommand", "keychain", "database"];
  refuseUnknownFields(value, [...texts, "behaviour"], `${path}.`, invalidAt);
  if (value["behaviour"] !== undefined && !isObject(value["behaviour"])) {
    throw invalidAt(`${path}.behaviour`, "must be an object of switches");
  }
  for (const field of texts) {
    const text = value[field];
    if (text === undefined) continue;
    const fail = (right: string): SendctlError => invalidAt(`${path}.${field}`, right);
    if (typeof text !== "string" || text === "") throw fail("must be a non-empty string");
    if (field === "mode" && text !== "local") throw fail('can only be "local"');
    if (field === "secretKey" && !keyText.test(text)) {
      throw fail("must be printable ASCII without spaces");
    }
    // No path, URL or command line of a profile needs them.
    if (control.test(text)) throw fail("must not contain control characters");
  }
  if (value["secretKey"] !== undefined && value["keyCommand"] !== undefined) {
    throw invalidAt(`${path}.keyCommand`, "cannot be combined with secretKey");
  }
  return value;
}

/** Returns the base URL of a profile; undefined for a profile of the embedded engine. */
export function profileUrl(profile: Profile | undefined): string | undefined {
  return profile?.mode === "local" ? undefined : profile?.baseUrl;
}

/**
 * Returns a profile by its name.
 *
 * @param source the setting that names it: `--profile`, `SENDCTL_PROFILE` or the config file;
 *   undefined for an argument
 * @throws SendctlError "usage" for an unknown name; the message lists the available profiles
 */
export function findProfile(config: Config, name: string, source?: string): Profile {
  const profile = config.profiles.get(name);
  if (profile !== undefined) return profile;
  const names = [...config.profiles.keys()];
  const available = names.length === 0 ? "no profiles exist" : `available: ${names.join(", ")}`;
  const from = source === undefined ? "" : ` from ${source}`;
  throw new SendctlError("usage", `unknown profile "${name}"${from} (${available})`, {
    hint: names.length === 0 ? "sendctl login" : "sendctl profile list",
  });
}

/**
 * Returns a change of the config file that replaces the behaviour of a profile.
 *
 * @param behaviour undefined to remove it
 * @throws SendctlError "usage" (the change) if the profile does not exist
 */
export function saveBehaviour(
  profile: string,
  behaviour: StoredBehaviour | undefined,
): (config: Config) => Config {
  return (config) => {
    const { behaviour: _, ...rest } = findProfile(config, profile, "NAME");
    const changed = behaviour === undefined ? rest : { ...rest, behaviour };
    return { ...config, profiles: new Map(config.profiles).set(profile, changed) };
  };
}

/** The folders of the XDG base directory specification, below the home folder. */
const usual = {
  XDG_CONFIG_HOME: [".config"],
  XDG_DATA_HOME: [".local", "share"],
  XDG_STATE_HOME: [".local", "state"],
};

/**
 * Returns the path of our file or folder in a folder of the user, or undefined without a home
 * folder. A relative path in the variable is ignored, as the XDG specification requires.
 */
export function inUserFolder(
  variable: keyof typeof usual,
  { env, home }: Pick<Runtime, "env" | "home">,
  ...names: readonly string[]
): string | undefined {
  const folder = env[variable];
  if (folder !== undefined && isAbsolute(folder)) return join(folder, "sendctl", ...names);
  return isAbsolute(home) ? join(home, ...usual[variable], "sendctl", ...names) : undefined;
}

/** Returns the error for a file without a home folder. @param hint what to do instead */
export function noHome(hint: string): SendctlError {
  return new SendctlError("usage", "no home folder is set (HOME)", { hint });
}
