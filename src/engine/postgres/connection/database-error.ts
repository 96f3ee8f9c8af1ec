import { SendctlError, type DatabaseProblem } from "../../../core/error.ts";
import type { Address } from "./address.ts";

/** Formats an address for people, without the password. */
function addressText({ host, port, database }: Address): string {
  if (host.startsWith("/")) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Problem code, message and hint for a kind of error. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

/** Our own codes for errors without a code from the driver: see connection.ts. */
export const noTls = "NO_TLS";
export const noPassword = "NO_PASSWORD";
export const ended = "ECONNRESET";
export const timedOut = "ETIMEDOUT";

const startServer = "start PostgreSQL, or check host and port";
const tryAgain = "try again in a moment";
const checkAddress = "check the address";
const connectionEnded: Meaning = ["unreachable", "closed the connection", tryAgain];
const unreachable: Meaning = ["unreachable", "cannot be reached", startServer];
const untrusted: Meaning = [
  "login",
  "presents a certificate of an untrusted authority",
  "name the authority with sslrootcert=FILE, or encrypt without verification (sslmode=require)",
];
const damaged: Meaning = ["damaged", "is damaged", "restore it from a backup"];
const otherTables: Meaning = [
  "missing",
  "lacks a table or column of sendctl",
  "check the schema of the address (?schema=NAME), the user's rights, and a pooler in front of it: sendctl local check",
];

const poolerChanges: Meaning = [
  "access",
  "is behind a pooler that changes connections between the statements of a session",
  "let it keep sessions, or know prepared statements (PgBouncer 1.21: max_prepared_statements)",
];

/** Meanings by prefix of the SQLSTATE or network error code. The first match wins. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["ECONNREFUSED", ["unreachable", "refused the connection", startServer]],
  ["ENOENT", ["unreachable", "cannot be reached: no such socket", startServer]],
  ["ENOTFOUND", ["unreachable", "has an unknown host", checkAddress]],
  ["EAI_AGAIN", ["unreachable", "has a host that cannot be resolved now", "check the network"]],
  ["EHOSTUNREACH", unreachable],
  ["ENETUNREACH", unreachable],
  [timedOut, ["unreachable", "does not respond in time", startServer]],
  ["EACCES", ["access", "has a socket that you may not access", "check the socket's permissions"]],
  [ended, connectionEnded],
  ["EPIPE", connectionEnded],
  [noTls, ["login", "does not support TLS", "enable TLS on the server, or use sslmode=disable"]],
  [noPassword, ["login", "requires a password", "set one in the address, PGPASSWORD or ~/.pgpass"]],
  [
    "ERR_TLS_CERT_ALTNAME_INVALID",
    ["login", "presents a certificate for another host", checkAddress],
  ],
  ["CERT_HAS_EXPIRED", ["login", "presents an expired certificate", "renew it"]],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted],
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted],
  ["UNABLE_TO", untrusted],
  ["28P01", ["login", "rejected the password", "check it in the address, PGPASSWORD or ~/.pgpass"]],
  ["28", ["login", "rejected the user", "check user and password in the address"]],
  ["3D000", ["missing", "does not exist", "create it (createdb), or use another"]],
  [
    "42501",
    [
      "access",
      "denied permission",
      "grant the user rights on the schema and its tables, and TEMPORARY on the database",
    ],
  ],
  ["53300", ["full", "has no free connection", `use fewer (?pool=4), or ${tryAgain}`]],
  ["53", ["full", "is out of disk space or memory", "free some space and try again"]],
  ["57P03", ["unreachable", "is starting up or shutting down", tryAgain]],
  ["57P", ["unreachable", "is shutting down", tryAgain]],
  ["22021", ["value", "cannot store text with the character NUL", "change that record"]],
  ["57014", ["locked", "did not finish a statement in time", tryAgain]],
  ["55P03", ["locked", "is locked by another process", tryAgain]],
  [
    "25006",
    [
      "access",
      "only accepts reads: it is a standby, or default_transaction_read_only is on",
      "use the address of the primary, or change the setting of the role or the database",
    ],
  ],
  ["25P0", connectionEnded],
  ["40", ["locked", "is busy with conflicting transactions", tryAgain]],
  ["08", connectionEnded],
  ["42P01", otherTables],
  ["42703", otherTables],
  ["3F000", otherTables],
  ["26000", poolerChanges],
  ["42P05", poolerChanges],
  ["XX001", damaged],
  ["XX002", damaged],
  ["58", ["io", "cannot be read or written", "check the disk of the server"]],
];

/** Returns the error of a database that cannot be used. */
export function unusable(
  address: Address,
  [problem, message, hint]: Meaning,
  cause?: unknown,
  attempts?: number,
): SendctlError {
  const details = { hint, database: problem, cause, attempts };
  return new SendctlError("database", `the database ${addressText(address)} ${message}`, details);
}

/** Returns the SQLSTATE or network error code of an error, or "". */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/**
 * Converts an error of the driver to a SendctlError. Returns unknown errors unchanged: they are defects.
 *
 * @param attempts how often the statement was tried
 */
export function databaseError(error: unknown, address: Address, attempts = 1): unknown {
  if (error instanceof SendctlError) return error;
  const code = codeOf(error);
  const known = code === "" ? undefined : meanings.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) return unusable(address, known[1], error, attempts);
  if (code === "" && error instanceof AggregateError) {
    return databaseError(error.errors[0], address, attempts);
  }
  return error;
}

/** Returns whether the connection is lost. The outcome of its pending statements is then unknown. */
export function isLost(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  const code = codeOf(error);
  // An error of a statement has severity ERROR and leaves the connection open.
  return typeof severity !== "string" || severity !== "ERROR" || /^(?:57P0|08)/.test(code);
}

/**
 * Returns whether the database rolled back because of a conflict, so that a retry is safe. A violated reference is one: to
 * a record that was deleted since the statement began.
 */
export function isContended(error: unknown): boolean {
  return /^(?:40001|40P01|23503)$/.test(codeOf(error)) || isWithoutPrepared(error);
}

/** Returns whether a statement names a table, column or schema that does not exist. */
export function namesUnknown(error: unknown): boolean {
  return /^(?:42P01|42703|3F000)$/.test(codeOf(error));
}

/** Returns whether a name is taken: a unique index refused it. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** Returns whether a connection has not prepared a statement, or has prepared it already, which is a pooler's doing. */
export function isWithoutPrepared(error: unknown): boolean {
  return /^(?:26000|42P05)$/.test(codeOf(error));
}

/** Adds a code to an error of the driver without one. */
export function withCode(error: unknown, code: string): Error {
  return codeOf(error) === "" ? Object.assign(error as Error, { code }) : (error as Error);
}

/** Returns the error of a write whose outcome is unknown. */
export function unknownOutcome(address: Address, cause: unknown, attempts: number): SendctlError {
  const message = `lost the connection to the database ${addressText(address)}; the write may have succeeded`;
  const hint = "list the records before you retry";
  return new SendctlError("outcome_unknown", message, { hint, cause, attempts });
}

/** Returns the error of a caller whose integration was deleted meanwhile. */
export function integrationDeleted(): SendctlError {
  const hint = "sendctl local integration list";
  return new SendctlError("auth", "the integration was deleted", { hint });
}

/** Returns whether the server refused a connection because the role, the database or the server has too many. */
export function isNumberLimited(error: unknown): boolean {
  return /^53[34]00$/.test(codeOf(error));
}
