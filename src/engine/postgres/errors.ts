import { SendctlError, type DatabaseProblem } from "../../core/error.ts";
import type { Address } from "./address.ts";

/** Formats an address for people, without the password. */
function addressText({ host, port, database }: Address): string {
  if (host.startsWith("/")) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Problem code, message and hint for a kind of error. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

/** Our own codes for errors of the driver that have none: of a missing password, and all others. */
export const noPassword = "NO_PASSWORD";
const noCode = "NO_CODE";

/** Codes of a connection that failed for other reasons than the meanings below: the driver's words say it. */
const driverCodes = /^(?:NO_CODE|E[A-Z]+|CERT_[A-Z_]+)$/;

const startServer = "start PostgreSQL, or check host and port";
const tryAgain = "try again in a moment";
const checkPassword = "check it in the address, PGPASSWORD or ~/.pgpass";
const transactionPooler =
  "is behind a pooler that changes connections between the statements of a session";

/** Meanings by the beginning of the SQLSTATE or network error code. The first match wins. */
const meanings: readonly (readonly [codes: RegExp, ...Meaning])[] = [
  [/^ECONNREFUSED/, "unreachable", "refused the connection", startServer],
  [/^ENOENT/, "unreachable", "cannot be reached: no such socket", startServer],
  [/^(ENOTFOUND|EAI_AGAIN)/, "unreachable", "has an unknown host", "check the address"],
  [/^(ECONNRESET|EPIPE|25P0|08)/, "unreachable", "closed the connection", tryAgain],
  [
    /^NO_PASSWORD/,
    "login",
    "requires a password",
    "set one in the address, PGPASSWORD or ~/.pgpass",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    "login",
    "presents a certificate for another host",
    "check the address",
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO)/,
    "login",
    "presents a certificate of an untrusted authority",
    "name the authority with sslrootcert=FILE, or encrypt without verification (sslmode=require)",
  ],
  [/^28P01/, "login", "rejected the password", checkPassword],
  [/^28/, "login", "rejected the user", "check user and password in the address"],
  [/^3D000/, "missing", "does not exist", "create it (createdb), or use another"],
  [
    /^42501/,
    "access",
    "denied permission",
    "grant the user rights on the schema and its tables, and TEMPORARY on the database",
  ],
  [/^53300/, "full", "has no free connection", `use fewer (?pool=4), or ${tryAgain}`],
  [/^53/, "full", "is out of disk space or memory", "free some space and try again"],
  [/^57P03/, "unreachable", "is starting up or shutting down", tryAgain],
  [/^57P/, "unreachable", "is shutting down", tryAgain],
  [/^22021/, "value", "cannot store text with the character NUL", "change that record"],
  [/^57014/, "locked", "did not finish a statement in time", tryAgain],
  [/^55P03/, "locked", "is locked by another process", tryAgain],
  [
    /^25006/,
    "access",
    "only accepts reads: it is a standby, or default_transaction_read_only is on",
    "use the address of the primary, or change the setting of the role or the database",
  ],
  [
    /^(26000|42P05)/,
    "access",
    transactionPooler,
    "let it keep sessions (PgBouncer: pool_mode=session)",
  ],
  [/^40/, "locked", "is busy with conflicting transactions", tryAgain],
  [
    /^(42P01|42703|3F000)/,
    "missing",
    "lacks a table or column of sendctl",
    "check the schema of the address (?schema=NAME) and the user's rights",
  ],
  [/^XX00[12]/, "damaged", "is damaged", "restore it from a backup"],
  [/^58/, "io", "cannot be read or written", "check the disk of the server"],
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

/** Returns an error of the driver with a code. Of a host with several addresses, the first one's counts. */
export function withCode(error: unknown, code = noCode): Error {
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  const found = first ?? (error as Error);
  return codeOf(found) === "" ? Object.assign(found, { code }) : found;
}

/**
 * Converts an error of the driver to a SendctlError. Returns unknown errors unchanged: they are defects.
 *
 * @param attempts how often the statement was tried
 */
export function databaseError(error: unknown, address: Address, attempts = 1): unknown {
  if (error instanceof SendctlError) return error;
  const code = codeOf(error);
  const known = meanings.find(([codes]) => codes.test(code));
  if (known === undefined && driverCodes.test(code)) {
    const message = `cannot be reached: ${(error as Error).message}`;
    const hint = "check host, port and sslmode, and that PostgreSQL runs";
    return unusable(address, ["unreachable", message, hint], error, attempts);
  }
  if (known === undefined) return error;
  const [, ...meaning] = known;
  return unusable(address, meaning, error, attempts);
}

/** Returns whether the connection is lost. The outcome of its pending statements is then unknown. */
export function isLost(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  // An error of a statement has severity ERROR and leaves the connection open.
  return severity !== "ERROR" || /^(?:57P0|08)/.test(codeOf(error));
}

/**
 * Returns whether the database rolled back because of a conflict, so that a retry is safe. A violated reference is one: to
 * a record that was deleted since the statement began.
 */
export function isContended(error: unknown): boolean {
  return /^(?:40001|40P01|23503)$/.test(codeOf(error));
}

/** Returns whether a name is taken: a unique index refused it. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** Returns whether the server refused a connection because the role, the database or the server has too many. */
export function isNumberLimited(error: unknown): boolean {
  return /^53[34]00$/.test(codeOf(error));
}

/** Returns the error of a write whose outcome is unknown. */
export function unknownOutcome(address: Address, cause: unknown, attempts: number): SendctlError {
  const place = addressText(address);
  const message = `lost the connection to the database ${place}; the write may have succeeded`;
  const hint = "list the records before you retry";
  return new SendctlError("outcome_unknown", message, { hint, cause, attempts });
}

/** Returns the error of a caller whose integration was deleted meanwhile. */
export function integrationDeleted(): SendctlError {
  const hint = "sendctl local integration list";
  return new SendctlError("auth", "the integration was deleted", { hint });
}
