import { SendctlError } from "../../../contract/error.ts";
import type { Address } from "./address.ts";

/** Where a database is, for people: nothing of the password. */
export function placeOf({ host, port, database }: Address): string {
  if (host.startsWith("/")) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const startAgain = "start PostgreSQL, or check host and port";
const tryAgain = "try again in a moment";
const certificate =
  "name its authority with sslrootcert=FILE, or encrypt without a proof with sslmode=require";

/**
 * What each SQLSTATE, or code of the network, means for whoever uses the database. The first that fits
 * counts.
 */
const meanings: readonly (readonly [prefix: string, meaning: string])[] = [
  ["ECONNREFUSED", `does not answer (connection refused): ${startAgain}`],
  ["ENOENT", `does not answer (there is no such socket): ${startAgain}`],
  ["ENOTFOUND", "has a host that is not known: check the address"],
  ["EAI_AGAIN", "has a host whose name can't be looked up now: check the network"],
  ["EHOSTUNREACH", `can't be reached: ${startAgain}`],
  ["ENETUNREACH", `can't be reached: ${startAgain}`],
  ["ETIMEDOUT", `does not answer in time: ${startAgain}`],
  ["EACCES", "has a socket that you may not use: ask for the right"],
  ["ECONNRESET", `has ended the connection: ${tryAgain}`],
  ["EPIPE", `has ended the connection: ${tryAgain}`],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "shows a certificate for another host: check the address"],
  ["CERT_HAS_EXPIRED", "shows a certificate that has expired: renew it"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", `shows a certificate that nothing vouches for: ${certificate}`],
  ["SELF_SIGNED_CERT_IN_CHAIN", `shows a certificate that nothing vouches for: ${certificate}`],
  ["UNABLE_TO", `shows a certificate that nothing vouches for: ${certificate}`],
  ["28P01", "refuses the password: check it, in the address, PGPASSWORD or ~/.pgpass"],
  ["28", "refuses the user, or asks for a password: check user and password in the address"],
  ["3D000", "is not there: create it (createdb), or name another"],
  ["42501", "refuses it, rights are missing: let the user create and use the schema"],
  ["53300", `has no connection left: use fewer (?pool=4), or ${tryAgain}`],
  ["53", "has no room left, on the disk or in memory: make room and try again"],
  ["57P03", `is starting up or shutting down: ${tryAgain}`],
  ["57P", `is shutting down: ${tryAgain}`],
  ["22021", "can't hold a text with the character NUL: change that record"],
  ["57014", `took too long: ${tryAgain}`],
  ["55P03", `is locked by another process: ${tryAgain}`],
  ["25006", "takes no writes, it is a standby: name the primary"],
  ["25P0", `has ended the connection: ${tryAgain}`],
  ["40", `is in great demand: ${tryAgain}`],
  ["08", `has ended the connection: ${tryAgain}`],
  ["XX001", "is damaged: restore it from a backup"],
  ["XX002", "is damaged: restore it from a backup"],
  ["58", "can't be read or written: check the disk of the server"],
];

/** What the driver says without a code. */
const messages: readonly (readonly [text: RegExp, meaning: string])[] = [
  [/time-?out|no answer/i, `does not answer in time: ${startAgain}`],
  [/does not support SSL/, "takes no encrypted connections: set it up, or use sslmode=disable"],
  [/password must be a/i, "asks for a password: give one in the address, PGPASSWORD or ~/.pgpass"],
  [/Connection terminated|not queryable|SSL connection/, `has ended the connection: ${tryAgain}`],
];

export function unusable(address: Address, meaning: string, cause?: unknown): SendctlError {
  return new SendctlError("database", `The database ${placeOf(address)} ${meaning}`, { cause });
}

/** The SQLSTATE of an error of the database, or the code of one of the network. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** The SendctlError that an error of the driver means, or the error itself: a defect. */
export function databaseError(error: unknown, address: Address): unknown {
  if (error instanceof SendctlError) return error;
  const code = codeOf(error);
  // The one reference that a caller holds and another process can break.
  if (code === "23503") {
    return new SendctlError("auth", "The integration is gone: it was deleted", { cause: error });
  }
  const known = code === "" ? undefined : meanings.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) return unusable(address, known[1], error);
  if (code === "" && error instanceof AggregateError) {
    return databaseError(error.errors[0], address);
  }
  const text = error instanceof Error ? error.message : "";
  const said = messages.find(([form]) => form.test(text));
  return said === undefined ? error : unusable(address, said[1], error);
}

/** Whether the connection is gone: whatever was under way on it may have been done, or not. */
export function isLost(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  const code = codeOf(error);
  // Statements are answered with an SQLSTATE, and go on after it.
  return typeof severity !== "string" || severity !== "ERROR" || /^(?:57P0|08)/.test(code);
}

/** Whether the database undid it because of others, and it may be done again. */
export function isContended(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(codeOf(error));
}
