import { readFileSync, statSync } from "node:fs";
import { platform } from "node:process";
import { join, resolve } from "node:path";
import { SendctlError } from "../../../core/error.ts";
import { withoutMark } from "../../../core/files.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Defaults for what a database address leaves out. */
export interface ConnectionRuntime {
  readonly env: Env;
  /** Home folder. */
  readonly home: string;
  /** Current folder, the base of relative paths. */
  readonly folder: string;
  readonly system?: NodeJS.Platform;
}

/** TLS options for Node; false for no TLS. */
type Tls =
  | false
  | {
      readonly rejectUnauthorized: boolean;
      readonly checkServerIdentity?: () => undefined;
      readonly ca?: string;
      readonly cert?: string;
      readonly key?: string;
    };

/** How to connect to a PostgreSQL database. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  readonly tls: Tls;
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
  `host port user password dbname schema pool sslmode sslrootcert sslcert sslkey connect_timeout
   application_name`.split(/\s+/);

/**
 * Parses an address. Missing parts come from the variables of PostgreSQL's own programs: PGHOST, PGPORT, PGUSER,
 * PGDATABASE, PGPASSWORD, PGPASSFILE (or ~/.pgpass), PGSSLMODE, PGSSLROOTCERT, PGCONNECT_TIMEOUT.
 *
 * @param maxWait maximum wait for a connection, in milliseconds
 * @throws SendctlError "usage" that names the invalid part but never the password
 */
export function readAddress(text: string, runtime: ConnectionRuntime, maxWait = Infinity): Address {
  const { env, system = platform } = runtime;
  const url = new URL(text);
  const query = url.searchParams;
  const unknown = [...query.keys()].find((name) => !options.includes(name));
  if (unknown !== undefined) {
    throw addressError(`has the unknown option "${unknown}"`, `use ${options.join(", ")}`);
  }
  const given = (name: string, variable?: string): string | undefined =>
    query.get(name) || (variable === undefined ? undefined : env[variable]) || undefined;

  const hostname = part(url.hostname)?.replace(/^\[(.+)\]$/, "$1");
  const host = hostname ?? given("host", "PGHOST") ?? "localhost";
  const user = part(url.username) ?? given("user", "PGUSER") ?? systemUser(env, system);
  if (user === undefined || user === "") {
    throw addressError("has no user", "write postgres://USER@HOST/NAME, or set PGUSER");
  }
  const portText = part(url.port) ?? given("port", "PGPORT") ?? "5432";
  const port = wholeNumber("port", portText, 1, 65_535);
  const database = part(url.pathname.slice(1)) ?? given("dbname", "PGDATABASE") ?? user;
  const schema = given("schema") ?? "sendctl";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    throw addressError(
      `has the invalid schema "${schema}"`,
      "use up to 63 of a to z, 0 to 9 and _, not pg_ at the beginning",
    );
  }
  const timeout = given("connect_timeout", "PGCONNECT_TIMEOUT") ?? "5";
  return {
    host,
    port,
    user,
    database,
    password:
      part(url.password) ??
      given("password", "PGPASSWORD") ??
      passwordOf({ host, port, database, user }, passwordFile(runtime, system), system),
    tls: tlsOf(host, given, runtime),
    schema,
    pool: wholeNumber("pool", given("pool") ?? "10", 1, 100),
    connectTimeout: Math.min(maxWait, wholeNumber("connect_timeout", timeout, 1, 600) * 1000),
    applicationName: given("application_name") ?? "sendctl",
  };
}

function systemUser(env: Env, system: NodeJS.Platform): string | undefined {
  return system === "win32" ? env["USERNAME"] : (env["USER"] ?? env["LOGNAME"]);
}

/** Returns where PostgreSQL's own programs look for passwords. */
function passwordFile({ env, home, folder }: ConnectionRuntime, system: NodeJS.Platform): string {
  if (env["PGPASSFILE"]) return resolve(folder, env["PGPASSFILE"]);
  if (system !== "win32") return join(home, ".pgpass");
  return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "postgresql", "pgpass.conf");
}

function part(encoded: string): string | undefined {
  return decodeURIComponent(encoded) || undefined;
}

function addressError(problem: string, hint: string): SendctlError {
  return new SendctlError("usage", `the database address ${problem}`, { hint });
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw addressError(`has the invalid ${name} "${text}"`, `use a number from ${min} to ${max}`);
}

const localHost = /^(?:\/.*|localhost|127(?:\.\d{1,3}){3}|::1)$/;
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Returns the TLS options. By default, connections to localhost are not encrypted, and all others require TLS
 * with a verified certificate and host name. Modes that may silently fall back to plain text are rejected.
 */
function tlsOf(
  host: string,
  given: (name: string, variable?: string) => string | undefined,
  { env, folder }: ConnectionRuntime,
): Tls {
  const isLocal = localHost.test(host);
  const mode = given("sslmode", "PGSSLMODE") ?? (isLocal ? "disable" : "verify-full");
  if (!modes.includes(mode)) {
    const name = given("sslmode") === undefined && env["PGSSLMODE"] ? "PGSSLMODE" : "sslmode";
    throw addressError(`has the invalid ${name} "${mode}"`, `use ${modes.join(", ")}`);
  }
  if (mode === "disable" || host.startsWith("/")) return false;
  const root = given("sslrootcert", "PGSSLROOTCERT");
  const [cert, key] = [given("sslcert"), given("sslkey")];
  return {
    rejectUnauthorized: mode !== "require" || root !== undefined,
    // As in libpq: with a root certificate, `require` means `verify-ca`.
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(root === "system" ? {} : content("ca", "sslrootcert", root, folder)),
    ...content("cert", "sslcert", cert, folder),
    ...content("key", "sslkey", key, folder),
  };
}

/** Reads the file of an option, if it is given. */
function content(
  option: "ca" | "cert" | "key",
  name: string,
  file: string | undefined,
  folder: string,
) {
  if (file === undefined) return {};
  try {
    return { [option]: withoutMark(readFileSync(resolve(folder, file), "utf8")) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = "check the path and the permissions";
    throw addressError(`names ${name} ${file}, which cannot be read (${code})`, hint);
  }
}

/** Looks up the password in a file of `host:port:database:user:password` lines, unless others can read it. */
function passwordOf(
  { host, port, database, user }: Pick<Address, "host" | "port" | "database" | "user">,
  file: string,
  system: NodeJS.Platform,
): string | undefined {
  let text: string;
  try {
    if (system !== "win32" && (statSync(file).mode & 0o077) !== 0) return undefined;
    text = withoutMark(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    const fields = line.split(/(?<!\\):/).map((field) => field.replace(/\\(.)/g, "$1"));
    if (fields.length !== 5) continue;
    if (wanted.every((value, index) => fields[index] === "*" || fields[index] === value)) {
      return fields[4];
    }
  }
  return undefined;
}
