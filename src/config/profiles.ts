import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { SendctlError } from "../contract/error.ts";
import { isAddress } from "./database-url.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** A name for a service or a database, with all that it takes to use it. */
export interface Profile {
  /** The embedded engine, whatever base URL stands beside it. */
  readonly mode?: "local";
  readonly baseUrl?: string;
  readonly secretKey?: string;
  /** A shell command that prints the key, in place of the key itself. */
  readonly keyCommand?: string;
  /** A relative one begins where the config file is. */
  readonly database?: string;
}

/** What the config file says. */
export interface Config {
  /** Absolute path; undefined where there is no home to keep one in. */
  readonly file: string | undefined;
  /** The profile that is used where nobody names another. */
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** In bytes: thousands of profiles. */
const maxBytes = 1024 * 1024;

/** What a header can carry, and so a key can hold. */
export const keyText = /^[\x21-\x7e]+$/;

/** What a profile can be called: a word that needs no quotes. */
const nameText = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws SendctlError "usage" for a name that no new profile can have */
export function checkProfileName(name: string): void {
  if (nameText.test(name)) return;
  throw new SendctlError("usage", `invalid profile name "${name}"`, {
    hint: "use up to 64 letters, digits, dots, dashes and underscores",
  });
}

/** XDG_CONFIG_HOME counts only where it is absolute, as its specification says. */
export function configFile({ env, home }: Pick<Runtime, "env" | "home">): string | undefined {
  const folder = env["XDG_CONFIG_HOME"];
  if (folder !== undefined && isAbsolute(folder)) return join(folder, "sendctl", "config.json");
  return isAbsolute(home) ? join(home, ".config", "sendctl", "config.json") : undefined;
}

/**
 * Reads the config file, with nothing but what Node has: conf would cost as much time as the whole command.
 *
 * @throws SendctlError "usage" that names the file, and never what it holds, where it can't be understood
 */
export function readConfig(file: string | undefined): Config {
  const text = file === undefined ? undefined : readText(file);
  if (file === undefined || text === undefined) {
    return { file, current: undefined, profiles: new Map() };
  }
  return parseConfig(file, text);
}

function readText(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // A pipe would be waited for.
    if (!found.isFile()) throw broken(file, "is not a file");
    if (found.size > maxBytes) throw broken(file, "is larger than 1 MiB");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof SendctlError) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new SendctlError("usage", `the config file ${file} cannot be read (${code})`, {
      hint: "check its permissions",
      file,
      cause: error,
    });
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
    // What JSON.parse says quotes the text, which holds keys: it is no cause to be shown.
    throw broken(file, text.trim() === "" ? "is empty" : "is not valid JSON");
  }
  const invalidAt = (path: string, right: string): SendctlError =>
    broken(file, `is invalid: ${path} ${right}`);
  if (!isObject(parsed)) throw broken(file, "is invalid: it must be a JSON object");
  refuseUnknownFields(parsed, ["current", "profiles"], "", invalidAt);
  const { current, profiles = {} } = parsed;
  if (current !== undefined && typeof current !== "string") {
    throw invalidAt("current", "must be the name of a profile");
  }
  if (!isObject(profiles))
    throw invalidAt("profiles", "must be an object of profiles by their names");
  const read = Object.entries(profiles).map(
    ([name, profile]) => [name, parseProfile(`profiles.${name}`, profile, invalidAt)] as const,
  );
  return { file, current, profiles: new Map(read) };
}

type InvalidAt = (path: string, right: string) => SendctlError;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that is not known may be one that was mistyped, and the command would go elsewhere without it. */
function refuseUnknownFields(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
  invalidAt: InvalidAt,
): void {
  const other = Object.keys(value).find((member) => !known.includes(member));
  if (other !== undefined)
    throw invalidAt(`${path}${other}`, `is not a known field (${known.join(", ")})`);
}

function parseProfile(path: string, value: unknown, invalidAt: InvalidAt): Profile {
  if (!isObject(value)) throw invalidAt(path, "must be an object");
  const known = ["mode", "baseUrl", "secretKey", "keyCommand", "database"];
  refuseUnknownFields(value, known, `${path}.`, invalidAt);
  for (const member of known) {
    const text = value[member];
    if (text === undefined || (typeof text === "string" && text !== "")) continue;
    throw invalidAt(`${path}.${member}`, "must be a string");
  }
  const profile = value as Profile;
  if (profile.mode !== undefined && profile.mode !== "local") {
    throw invalidAt(`${path}.mode`, 'can only be "local"');
  }
  if (profile.secretKey !== undefined && !keyText.test(profile.secretKey)) {
    throw invalidAt(`${path}.secretKey`, "must be a key, without white space");
  }
  for (const member of ["database", "keyCommand", "baseUrl"] as const) {
    if (!hasControl(profile[member])) continue;
    throw invalidAt(`${path}.${member}`, "must not contain control characters");
  }
  if (profile.secretKey !== undefined && profile.keyCommand !== undefined) {
    throw invalidAt(`${path}.keyCommand`, "cannot stand beside secretKey");
  }
  return profile;
}

/** Returns whether a text has characters that no path, address or command line of a profile needs. */
export function hasControl(text: string | undefined): boolean {
  return text !== undefined && /\p{Cc}/u.test(text);
}

/** Absolute path of a profile's database, or its address with the password that it may hold. */
export function profileDatabase(
  profile: Profile | undefined,
  file: string | undefined,
): string | undefined {
  if (profile?.database === undefined || file === undefined) return undefined;
  return isAddress(profile.database) ? profile.database : resolve(dirname(file), profile.database);
}

/**
 * Returns a profile by its name.
 *
 * @param source what names it: `--profile`, `SENDCTL_PROFILE` or the config file
 * @throws SendctlError "usage" that names the existing ones
 */
export function findProfile(config: Config, name: string, source: string): Profile {
  const profile = config.profiles.get(name);
  if (profile !== undefined) return profile;
  const names = [...config.profiles.keys()];
  const available = names.length === 0 ? "none exists" : `available: ${names.join(", ")}`;
  throw new SendctlError("usage", `unknown profile "${name}" from ${source} (${available})`, {
    hint: names.length === 0 ? "sendctl login" : "sendctl profile list",
    setting: source,
  });
}
