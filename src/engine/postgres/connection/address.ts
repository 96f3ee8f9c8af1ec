import { readFileSync, statSync } from "node:fs";
import { platform } from "node:os";
import { join, resolve } from "node:path";
import { SendctlError } from "../../../contract/error.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What the machine says of a connection where its address is silent. */
export interface ConnectionRuntime {
  readonly env: Env;
  /** Folder of the user. */
  readonly home: string;
  /** Current folder: relative paths start from it. */
  readonly folder: string;
  readonly system?: NodeJS.Platform;
}

/** TLS as Node takes it; false for none. */
type Tls =
  | false
  | {
      readonly rejectUnauthorized: boolean;
      readonly checkServerIdentity?: () => undefined;
      readonly ca?: string;
      readonly cert?: string;
      readonly key?: string;
    };

/** How to reach a PostgreSQL database, and what to do there. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
  readonly tls: Tls;
  /** The schema that our tables are in. */
  readonly schema: string;
  /** Connections at max. */
  readonly pool: number;
  /** Milliseconds until a connection has to be there. */
  readonly connectTimeout: number;
  readonly applicationName: string;
}

/** What may follow the `?` of an address. */
const options = [
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "schema",
  "pool",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
  "application_name",
];

const usual = { port: "5432", schema: "sendctl", pool: "8", connectTimeout: "5" } as const;

/**
 * Reads an address, and what the usual variables of PostgreSQL's programs say beside it: PGHOST, PGPORT,
 * PGUSER, PGDATABASE, PGPASSWORD, PGPASSFILE (or ~/.pgpass), PGSSLMODE, PGSSLROOTCERT, PGCONNECT_TIMEOUT.
 *
 * @param maxWait how long to wait for a connection at max, in milliseconds
 * @throws SendctlError "usage" that names the invalid part, and no password
 */
export function readAddress(
  text: string,
  { env, home, folder, system = platform() }: ConnectionRuntime,
  maxWait = Infinity,
): Address {
  const url = new URL(text);
  const query = url.searchParams;
  const other = [...query.keys()].find((name) => !options.includes(name));
  if (other !== undefined) {
    throw wrong(`has the unknown option "${other}"`, `use ${options.join(", ")}`);
  }
  const given = (name: string, variable?: string): string | undefined =>
    query.get(name) || (variable === undefined ? undefined : env[variable]) || undefined;

  const hostname = part(url.hostname)?.replace(/^\[(.+)\]$/, "$1");
  const host = hostname ?? given("host", "PGHOST") ?? "localhost";
  const user = part(url.username) ?? given("user", "PGUSER") ?? systemUser(env, system);
  if (user === undefined || user === "") {
    throw wrong("names no user", "write postgres://USER@HOST/NAME, or set PGUSER");
  }
  const port = whole("port", part(url.port) ?? given("port", "PGPORT") ?? usual.port, 1, 65_535);
  const database = part(url.pathname.slice(1)) ?? given("dbname", "PGDATABASE") ?? user;
  const schema = given("schema") ?? usual.schema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    throw wrong(`has the invalid schema "${schema}"`, "use a to z, 0 to 9 and _");
  }
  const timeout = given("connect_timeout", "PGCONNECT_TIMEOUT") ?? usual.connectTimeout;
  return {
    host,
    port,
    user,
    database,
    password:
      part(url.password) ??
      given("password", "PGPASSWORD") ??
      passwordOf(
        { host, port, database, user },
        resolve(folder, env["PGPASSFILE"] || passwordFile({ env, home }, system)),
        system,
      ),
    tls: tlsOf(host, given, { env, folder }),
    schema,
    pool: whole("pool", given("pool") ?? usual.pool, 1, 100),
    connectTimeout: Math.min(maxWait, whole("connect_timeout", timeout, 1, 600) * 1000),
    applicationName: given("application_name") ?? "sendctl",
  };
}

function systemUser(env: Env, system: NodeJS.Platform): string | undefined {
  return system === "win32" ? env["USERNAME"] : (env["USER"] ?? env["LOGNAME"]);
}

/** Returns where PostgreSQL's own programs look for passwords. */
function passwordFile(
  { env, home }: Pick<ConnectionRuntime, "env" | "home">,
  system: NodeJS.Platform,
): string {
  if (system !== "win32") return join(home, ".pgpass");
  return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "postgresql", "pgpass.conf");
}

function part(encoded: string): string | undefined {
  return decodeURIComponent(encoded) || undefined;
}

function wrong(what: string, hint: string): SendctlError {
  return new SendctlError("usage", `the address of the database ${what}`, { hint });
}

function whole(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw wrong(`has the invalid ${name} "${text}"`, `use a number from ${min} to ${max}`);
}

const here = /^(?:\/.*|localhost|127(?:\.\d{1,3}){3}|::1)$/;
const modes = ["disable", "require", "verify-ca", "verify-full"];

/**
 * Nothing is taken that might do without encryption unasked: to this machine there is none unless it is
 * asked for, to any other it is required, and the server has to prove who it is, unless it is said otherwise.
 */
function tlsOf(
  host: string,
  given: (name: string, variable?: string) => string | undefined,
  { env, folder }: Pick<ConnectionRuntime, "env" | "folder">,
): Tls {
  const isHere = here.test(host);
  const mode = given("sslmode", "PGSSLMODE") ?? (isHere ? "disable" : "verify-full");
  if (!modes.includes(mode)) {
    const name = given("sslmode") === undefined && env["PGSSLMODE"] ? "PGSSLMODE" : "sslmode";
    throw wrong(`has the invalid ${name} "${mode}"`, `use ${modes.join(", ")}`);
  }
  if (mode === "disable" || host.startsWith("/")) return false;
  const root = given("sslrootcert", "PGSSLROOTCERT");
  const [cert, key] = [given("sslcert"), given("sslkey")];
  const verifies = mode !== "require" || root !== undefined;
  return {
    rejectUnauthorized: verifies,
    // As libpq has it: with a root certificate, `require` is `verify-ca`.
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
    ...(root === undefined || root === "system"
      ? {}
      : { ca: content("sslrootcert", root, folder) }),
    ...(cert === undefined ? {} : { cert: content("sslcert", cert, folder) }),
    ...(key === undefined ? {} : { key: content("sslkey", key, folder) }),
  };
}

function content(name: string, file: string, folder: string): string {
  try {
    return readFileSync(resolve(folder, file), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = "check the path and the permissions";
    throw wrong(`names ${name} ${file}, which cannot be read (${code})`, hint);
  }
}

/**
 * From a file of `host:port:database:user:password` lines; one that others may read does not count, except on
 * Windows, where a file has no such permission bits.
 */
function passwordOf(
  { host, port, database, user }: Pick<Address, "host" | "port" | "database" | "user">,
  file: string,
  system: NodeJS.Platform,
): string | undefined {
  let text: string;
  try {
    if (system !== "win32" && (statSync(file).mode & 0o077) !== 0) return undefined;
    text = readFileSync(file, "utf8");
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
