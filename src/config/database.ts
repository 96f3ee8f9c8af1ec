import { dirname, resolve } from "node:path";
import { SendctlError } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";
import { control } from "../core/text.ts";
import { inUserFolder, noHome, type Profile } from "./profiles.ts";

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Removes the password from a URL; returns the name of a file unchanged. */
export function withoutPassword(database: string): string {
  try {
    return databaseUrl(database, "")?.shown ?? database;
  } catch {
    return "an invalid URL";
  }
}

/**
 * Parses the URL of a PostgreSQL database; undefined for the name of a file.
 *
 * @param source the option, variable or profile that sets it
 * @throws SendctlError "usage" for another scheme or an invalid URL; the message omits the URL,
 *   which may contain a password
 */
export function databaseUrl(text: string, source: string) {
  const [, name] = scheme.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (!["postgres", "postgresql"].includes(name.toLowerCase())) {
    throw new SendctlError("usage", `${source} has the unknown scheme ${name}://`, {
      hint: "name a file (SQLite) or postgres://USER@HOST:PORT/NAME (PostgreSQL)",
      field: source,
    });
  }
  const [, afterHost = ""] = /^[^/?#]*(.*)$/s.exec(text.slice(name.length + 3)) ?? [];
  // The part after the host is shown, so it must not contain a part of a password.
  if (!URL.canParse(text) || /[@#]|%(?![0-9a-f]{2})/i.test(afterHost)) throw unreadable(source);
  const url = new URL(text);
  const passwords = [url.password, ...url.searchParams.getAll("password")].filter(
    (password) => password !== "",
  );
  let decoded: string[];
  try {
    decoded = passwords.map((password) => decodeURIComponent(password));
    decodeURIComponent(url.username + url.pathname + url.hostname);
  } catch {
    throw unreadable(source);
  }
  url.password = "";
  url.searchParams.delete("password");
  return {
    /** The URL with the password, only for the driver. */
    url: text,
    /** The URL without the password. */
    shown: url.href,
    /** The password, decoded and as written in the URL; empty if there is none. */
    passwords: [...new Set([...decoded, ...passwords])],
  };
}

function unreadable(source: string): SendctlError {
  return new SendctlError(
    "usage",
    `${source} is not a valid URL like postgres://USER:PASSWORD@HOST:PORT/NAME`,
    {
      hint: "escape @, :, /, ?, # and % within a part as %40, %3A, %2F, %3F, %23 and %25",
      field: source,
    },
  );
}

/** Returns the absolute path of a profile's database, or its URL, which may include a password. */
export function profileDatabase(
  profile: Profile | undefined,
  file: string | undefined,
): string | undefined {
  if (profile?.database === undefined || file === undefined) return undefined;
  return scheme.test(profile.database)
    ? profile.database
    : resolve(dirname(file), profile.database);
}

/**
 * Values that cannot be meant as the name of a file. A URL with a mistake would become a new
 * database of that name; it is not shown, because it may contain a password.
 */
const problems: readonly (readonly [pattern: RegExp, message: string, hint: string])[] = [
  [control, "contains a control character", "use another file"],
  [/^\s|\s$/, "has white space around it", "pass the file or the URL alone"],
  [/^["'`]/, "begins with a quote", "pass the file or the URL without quotes"],
  [/^~(?:\/|$)/, "begins with ~, which only a shell replaces", "write the path of the home folder"],
  [
    /^postgres(?:ql)?:(?!\/\/)/i,
    "is not a valid URL like postgres://USER:PASSWORD@HOST:PORT/NAME",
    "write // after the scheme",
  ],
  [
    /^:memory:$/,
    "is :memory:, which would be empty for every command",
    "sendctl serve --temporary serves a database that is deleted at the end",
  ],
];

/**
 * Returns the absolute path of a database, or its URL; the default database if none is named, "" if
 * that would be in a home folder that does not exist: see `databaseFile`.
 *
 * @param source the option, variable or profile that names it
 * @throws SendctlError "usage" for an invalid name or URL
 */
export function locateDatabase(
  database: string | undefined,
  source: string,
  runtime: Runtime,
): { readonly database: string; readonly databaseUrl: ReturnType<typeof databaseUrl> } {
  if (database === undefined) {
    const database = inUserFolder("XDG_DATA_HOME", runtime, "sendctl.db") ?? "";
    return { database, databaseUrl: undefined };
  }
  const problem = problems.find(([pattern]) => pattern.test(database));
  if (problem !== undefined) {
    const [, message, hint] = problem;
    throw new SendctlError("usage", `${source} ${message}`, { hint, field: source });
  }
  const url = databaseUrl(database, source);
  return { database: url?.shown ?? resolve(runtime.folder, database), databaseUrl: url };
}

/** Returns the path of a database. @throws SendctlError "usage" without a home folder */
export function databaseFile({ database }: { readonly database: string }): string {
  if (database === "") throw noHome("set XDG_DATA_HOME, or pass --database FILE");
  return database;
}

/** Returns the request log of a server: next to the database file, else in the data folder. */
export function requestLogFile(
  { database, databaseUrl: url }: ReturnType<typeof locateDatabase>,
  runtime: Runtime,
): string {
  if (url === undefined) return `${databaseFile({ database })}.log`;
  const { host, pathname, searchParams } = new URL(url.shown);
  const schema = searchParams.get("schema") ?? "sendctl";
  const name = [host, pathname.slice(1), schema].join("-").replace(/[^\w.-]/g, "_");
  return databaseFile({
    database: inUserFolder("XDG_DATA_HOME", runtime, `postgres-${name}.log`) ?? "",
  });
}
