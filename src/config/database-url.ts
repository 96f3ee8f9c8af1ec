import { SendctlError } from "../contract/error.ts";

/** A database that is no file, as PostgreSQL writes such addresses. */
export interface DatabaseUrl {
  /** As it was given, password and all: for the driver alone. */
  readonly url: string;
  /** Without the password. */
  readonly shown: string;
  /** The password, decoded and as it stands in the address; empty where there is none. */
  readonly passwords: readonly string[];
}

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Whether a text is the address of something, and not the name of a file. */
export function isAddress(text: string): boolean {
  return scheme.test(text);
}

/** An address or the name of a file, without a password. */
export function withoutPassword(database: string): string {
  try {
    return databaseUrl(database, "")?.shown ?? database;
  } catch {
    return "an address that can't be read";
  }
}

/**
 * What `--database` names where that is an address; undefined for the name of a file.
 *
 * @param source the option, the variable or the profile that sets it
 * @throws SendctlError "usage" for another scheme and for an invalid address; it may hold a password and is
 *   not repeated
 */
export function databaseUrl(given: string, source: string): DatabaseUrl | undefined {
  const text = withHost(given);
  const [, name] = scheme.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (!["postgres", "postgresql"].includes(name.toLowerCase())) {
    throw new SendctlError("usage", `${source} has the unknown scheme ${name}://`, {
      hint: "name a file (SQLite), or postgres://USER@HOST:PORT/NAME (PostgreSQL)",
      setting: source,
    });
  }
  const [, afterHost = ""] = /^[^/?#]*(.*)$/s.exec(text.slice(name.length + 3)) ?? [];
  // What stands behind the host would be shown: a part of a password must not get there.
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
  return { url: text, shown: url.href, passwords: [...new Set([...decoded, ...passwords])] };
}

/** USER@/NAME?host=FOLDER is what others write for a socket, and is no URL. */
function withHost(text: string): string {
  const [, before, after] = /^([^/?#]*\/\/[^/?#]*@)((?:[/?#].*)?)$/s.exec(text) ?? [];
  if (before === undefined || after === undefined) return text;
  const query = new URLSearchParams(after.slice(after.indexOf("?") + 1));
  return `${before}${encodeURIComponent(query.get("host") ?? "localhost")}${after}`;
}

function unreadable(source: string): SendctlError {
  return new SendctlError(
    "usage",
    `${source} is not a valid address like postgres://USER:PASSWORD@HOST:PORT/NAME`,
    {
      hint: "write @, :, /, ?, # and % within a part as %40, %3A, %2F, %3F, %23 and %25",
      setting: source,
    },
  );
}
