import { parse } from "pg-connection-string";
import pgpass from "pgpass";
import { SendctlError, type DatabaseProblem } from "../../core/error.ts";

/** Defaults for what a database address leaves out. */
export interface ConnectionRuntime {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Parts of an address that variables of PostgreSQL's own programs can supply, such as PGHOST. */
const variables = ["host", "port", "user", "password", "sslmode", "sslrootcert", "connect_timeout"];

/** Options allowed after the `?` of an address. */
const options = [...variables, "schema", "pool", "sslcert", "sslkey", "application_name"];

/** Without those that may silently fall back to plain text. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/** How to connect to a PostgreSQL database. */
export type Address = ReturnType<typeof readAddress>;

/**
 * Parses an address. Missing parts come from PostgreSQL's own variables. By default, connections to
 * this machine are not encrypted; others require TLS with a verified certificate and host name.
 *
 * @param maxWait maximum wait for a connection, in milliseconds
 * @throws SendctlError "usage" that names the invalid part but never the password
 */
export function readAddress(text: string, { env }: ConnectionRuntime, maxWait = Infinity) {
  const url = new URL(text);
  const given = readOptions(url, env);
  const { sslmode, host = "localhost", schema = "sendctl" } = given;
  const user = given["user"] || env["USER"] || env["LOGNAME"] || env["USERNAME"];
  if (!user) throw addressError("has no user", "write postgres://USER@HOST/NAME, or set PGUSER");
  if (sslmode !== undefined && !modes.includes(sslmode)) {
    const hint = `use ${modes.join(", ")}, in the address or PGSSLMODE`;
    throw addressError(`has the invalid sslmode "${sslmode}"`, hint);
  }
  if (sslmode === "verify-ca" && given["sslrootcert"] === undefined) {
    const hint = "name the authority with sslrootcert=FILE, or use sslmode=verify-full";
    throw addressError("has sslmode=verify-ca without an authority", hint);
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    const hint = "use up to 63 of a to z, 0 to 9 and _, not pg_ at the beginning";
    throw addressError(`has the invalid schema "${schema}"`, hint);
  }
  const { ssl } = parsed(url);
  const isEncrypted = ssl === undefined ? !localHost.test(host) : ssl !== false;
  const verified = { rejectUnauthorized: true, ...(ssl as object | undefined) };
  return {
    host,
    port: wholeNumber("port", given["port"] ?? "5432", 65_535),
    user,
    database: decodeURIComponent(url.pathname.slice(1)) || env["PGDATABASE"] || user,
    password: given["password"],
    /** TLS options for Node; false for no TLS. */
    tls: isEncrypted && !host.startsWith("/") ? verified : (false as const),
    /** The schema of sendctl's tables. */
    schema,
    /** Maximum number of connections. */
    pool: wholeNumber("pool", given["pool"] ?? "10", 100),
    /** In milliseconds. */
    connectTimeout: Math.min(
      maxWait,
      1000 * wholeNumber("connect_timeout", given["connect_timeout"] ?? "5", 600),
    ),
    applicationName: given["application_name"] ?? "sendctl",
  };
}

/**
 * Returns the options of an address, and completes its URL with those of the environment. Refuses
 * options that do not exist, and a part that is given twice, of which one would be ignored.
 */
function readOptions(
  { searchParams: query, hostname, port, username: user, password }: URL,
  env: ConnectionRuntime["env"],
): Readonly<Partial<Record<string, string>>> {
  const host = hostname.replace(/^\[(.+)\]$/, "$1");
  for (const [name, part] of Object.entries({ host, port, user, password })) {
    if (part !== "") query.append(name, decodeURIComponent(part));
  }
  for (const name of new Set(query.keys())) {
    if (!options.includes(name)) {
      const hint = `use ${options.join(", ")}`;
      throw addressError(`has the unknown option "${name}"`, hint);
    }
    const isAmbiguous = new Set(query.getAll(name)).size > 1;
    if (isAmbiguous) throw addressError(`has two values for ${name}`, "leave one of them out");
    if (query.get(name) === "") query.delete(name);
  }
  for (const name of variables) {
    const value = env[`PG${name.toUpperCase()}`];
    if (!query.has(name) && value) query.set(name, value);
  }
  return Object.fromEntries(query);
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

/** Returns the password, or that in ~/.pgpass (PGPASSFILE), which only its owner may read. */
export async function passwordOf(address: Address): Promise<string | undefined> {
  const { host, port, database, user, password } = address;
  // As for PostgreSQL's own programs, a socket is localhost there.
  const place = { host: host.startsWith("/") ? "localhost" : host, port, database, user };
  return password ?? new Promise((resolve) => pgpass(place, resolve));
}

/** Formats an address for people, without the password. */
function addressText({ host, port, database }: Address): string {
  if (host.startsWith("/")) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Problem code, message and hint for a kind of error. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

/** Our own codes for errors of the driver that have none: of a missing password, and all others. */
export const noPassword = "NO_PASSWORD";
export const noCode = "NO_CODE";

/** Codes of a connection that failed for none of the reasons below: the driver's words say it. */
const driverCodes = /^(?:NO_CODE|E[A-Z]+|CERT_[A-Z_]+)$/;

const startServer = "start PostgreSQL, or check host and port";
const tryAgain = "try again in a moment";
const givePassword = "set one in the address, PGPASSWORD or ~/.pgpass";
const checkPassword = "check it in the address, PGPASSWORD or ~/.pgpass";
const checkUser = "check user and password in the address";
const nameAuthority =
  "name the authority with sslrootcert=FILE, or encrypt without verification (sslmode=require)";
const grantRights =
  "grant the user rights on the schema and its tables, and TEMPORARY on the database";
const readOnly = "only accepts reads: it is a standby, or default_transaction_read_only is on";
const usePrimary =
  "use the address of the primary, or change the setting of the role or the database";
const sharedSession =
  "is behind a pooler that changes connections between the statements of a session";
const keepSession = "let it keep sessions (PgBouncer: pool_mode=session)";
const checkSchema = "check the schema of the address (?schema=NAME) and the user's rights";

/** Meanings by the beginning of the SQLSTATE or network error code. The first match wins. */
const meanings: readonly (readonly [codes: RegExp, ...Meaning])[] = [
  [/^ECONNREFUSED/, "unreachable", "refused the connection", startServer],
  [/^ENOENT/, "unreachable", "cannot be reached: no such socket", startServer],
  [/^(ENOTFOUND|EAI_AGAIN)/, "unreachable", "has an unknown host", "check the address"],
  [/^(ECONNRESET|EPIPE|25P0|08)/, "unreachable", "closed the connection", tryAgain],
  [/^NO_PASSWORD/, "login", "requires a password", givePassword],
  [/^ERR_TLS_CERT_ALT/, "login", "presents a certificate for another host", "check the address"],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO)/,
    "login",
    "presents a certificate of an untrusted authority",
    nameAuthority,
  ],
  [/^28P01/, "login", "rejected the password", checkPassword],
  [/^28/, "login", "rejected the user", checkUser],
  [/^3D000/, "missing", "does not exist", "create it (createdb), or use another"],
  [/^42501/, "access", "denied permission", grantRights],
  [/^53300/, "full", "has no free connection", `use fewer (?pool=4), or ${tryAgain}`],
  [/^53/, "full", "is out of disk space or memory", "free some space and try again"],
  [/^57P/, "unreachable", "is starting up or shutting down", tryAgain],
  [/^22021/, "value", "cannot store text with the character NUL", "change that record"],
  [/^57014/, "locked", "did not finish a statement in time", tryAgain],
  [/^55P03/, "locked", "is locked by another process", tryAgain],
  [/^25006/, "access", readOnly, usePrimary],
  [/^(26000|42P05)/, "access", sharedSession, keepSession],
  [/^(40|2350[35])/, "locked", "is busy with conflicting transactions", tryAgain],
  [/^(42P01|42703|3F000)/, "missing", "lacks a table or column of sendctl", checkSchema],
  [/^XX00[12]/, "damaged", "is damaged", "restore it from a backup"],
  [/^58/, "io", "cannot be read or written", "check the disk of the server"],
];

/** Returns the error of a database that cannot be used. */
export function unusable(
  address: Address,
  [problem, message, hint]: Meaning,
  cause?: unknown,
): SendctlError {
  const details = { hint, database: problem, cause };
  return new SendctlError("database", `the database ${addressText(address)} ${message}`, details);
}

/** Returns the SQLSTATE or network error code of an error, or "". */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Converts an error of the driver to a SendctlError. Returns unknown errors, which are defects. */
export function databaseError(error: unknown, address: Address): unknown {
  if (error instanceof SendctlError) return error;
  const code = codeOf(error);
  const known = meanings.find(([codes]) => codes.test(code));
  if (known === undefined && driverCodes.test(code)) {
    const message = `cannot be reached: ${(error as Error).message}`;
    const hint = "check host, port and sslmode, and that PostgreSQL runs";
    return unusable(address, ["unreachable", message, hint], error);
  }
  if (known === undefined) return error;
  const [, ...meaning] = known;
  return unusable(address, meaning, error);
}

/** Returns the error of a write whose outcome is unknown. */
export function unknownOutcome(address: Address, cause: unknown): SendctlError {
  const place = addressText(address);
  const message = `lost the connection to the database ${place}; the write may have succeeded`;
  const hint = "list the records before you retry";
  return new SendctlError("outcome_unknown", message, { hint, cause });
}
