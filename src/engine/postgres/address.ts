import { parse } from "pg-connection-string";
import pgpass from "pgpass";
import { SendctlError } from "../../core/error.ts";

/** Defaults for what a database address leaves out. */
export interface ConnectionRuntime {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How to connect to a PostgreSQL database. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  /** TLS options for Node; false for no TLS. */
  readonly tls: object | false;
  /** The schema of sendctl's tables. */
  readonly schema: string;
  /** Maximum number of connections. */
  readonly pool: number;
  /** In milliseconds. */
  readonly connectTimeout: number;
  readonly applicationName: string;
}

/** Options allowed after the `?` of an address. */
const options =
  `host port user password schema pool sslmode sslrootcert sslcert sslkey connect_timeout
   application_name`.split(/\s+/);

/** The variables of PostgreSQL's own programs for some of them. */
const variables = {
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  connect_timeout: "PGCONNECT_TIMEOUT",
};

/** Without those that may silently fall back to plain text. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/**
 * Parses an address. Missing parts come from the variables of PostgreSQL's own programs. By default, connections to
 * this machine are not encrypted, and all others require TLS with a verified certificate and host name.
 *
 * @param maxWait maximum wait for a connection, in milliseconds
 * @throws SendctlError "usage" that names the invalid part but never the password
 */
export function readAddress(text: string, { env }: ConnectionRuntime, maxWait = Infinity): Address {
  const url = new URL(text);
  const query = url.searchParams;
  refuseOptions(url);
  for (const [name, variable] of Object.entries(variables)) {
    if (!query.get(name) && env[variable]) query.set(name, env[variable]);
  }
  const mode = query.get("sslmode");
  if (mode !== null && !modes.includes(mode)) {
    const hint = `use ${modes.join(", ")}, in the address or PGSSLMODE`;
    throw addressError(`has the invalid sslmode "${mode}"`, hint);
  }
  if (mode === "verify-ca" && !query.get("sslrootcert")) {
    const hint = "name the authority with sslrootcert=FILE, or use sslmode=verify-full";
    throw addressError("has sslmode=verify-ca without an authority", hint);
  }
  const found = parsed(url);
  const host = found.host || env["PGHOST"] || "localhost";
  const user = found.user || env["PGUSER"] || env["USER"] || env["LOGNAME"] || env["USERNAME"];
  if (user === undefined || user === "") {
    throw addressError("has no user", "write postgres://USER@HOST/NAME, or set PGUSER");
  }
  const schema = query.get("schema") || "sendctl";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    const hint = "use up to 63 of a to z, 0 to 9 and _, not pg_ at the beginning";
    throw addressError(`has the invalid schema "${schema}"`, hint);
  }
  const timeout = wholeNumber("connect_timeout", query.get("connect_timeout") || "5", 600);
  const isEncrypted = found.ssl === undefined ? !localHost.test(host) : found.ssl !== false;
  const verified = { rejectUnauthorized: true, ...(found.ssl as object | undefined) };
  return {
    host,
    port: wholeNumber("port", found.port || env["PGPORT"] || "5432", 65_535),
    user,
    database: decodeURIComponent(url.pathname.slice(1)) || env["PGDATABASE"] || user,
    password: found.password || env["PGPASSWORD"] || undefined,
    tls: isEncrypted && !host.startsWith("/") ? verified : false,
    schema,
    pool: wholeNumber("pool", query.get("pool") || "10", 100),
    connectTimeout: Math.min(maxWait, timeout * 1000),
    applicationName: query.get("application_name") || "sendctl",
  };
}

/** Refuses options that do not exist, and a part that is given twice, of which one would be ignored. */
function refuseOptions(url: URL): void {
  const { searchParams: query, hostname: host, port, username: user, password } = url;
  const parts: Readonly<Record<string, string>> = { host, port, user, password };
  for (const name of new Set(query.keys())) {
    if (!options.includes(name)) {
      throw addressError(`has the unknown option "${name}"`, `use ${options.join(", ")}`);
    }
    const part = decodeURIComponent(parts[name] ?? "");
    const values = new Set([...query.getAll(name), ...(part === "" ? [] : [part])]);
    if (values.size > 1) throw addressError(`has two values for ${name}`, "leave one of them out");
    if (part !== "") query.delete(name);
  }
}

/** Parses the URL, and reads the files of certificates that it names. */
function parsed(url: URL) {
  try {
    return parse(url.href, { useLibpqCompat: true });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (path === undefined) throw error;
    const hint = "check the path and the permissions";
    throw addressError(`names the file ${path}, which cannot be read (${code})`, hint);
  }
}

function addressError(problem: string, hint: string): SendctlError {
  return new SendctlError("usage", `the database address ${problem}`, { hint });
}

function wholeNumber(name: string, text: string, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 1 && number <= max) return number;
  throw addressError(`has the invalid ${name} "${text}"`, `use a number from 1 to ${max}`);
}

/** Returns the password, otherwise the one in ~/.pgpass (PGPASSFILE), which only its owner may read. */
export async function passwordOf(address: Address): Promise<string | undefined> {
  const { host, port, database, user, password } = address;
  // As for PostgreSQL's own programs, a socket is localhost there.
  const place = { host: host.startsWith("/") ? "localhost" : host, port, database, user };
  return password ?? new Promise((resolve) => pgpass(place, resolve));
}
