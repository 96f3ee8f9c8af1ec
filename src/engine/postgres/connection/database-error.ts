import { SendctlError, type DatabaseProblem } from "../../../contract/error.ts";
import type { Address } from "./address.ts";

/** Returns where a database is, for people, without the password. */
export function addressText({ host, port, database }: Address): string {
  if (host.startsWith("/")) return `${database} at ${host}`;
  return `${database} at ${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What is wrong with a database, as data, for people, and what to do about it. */
export type Meaning = readonly [problem: DatabaseProblem, message: string, hint: string];

/** Codes of our own, for what the driver gives no code: see connection.ts. */
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
export const damaged: Meaning = ["damaged", "is damaged", "restore it from a backup"];

/** By SQLSTATE, or error code of the network. The first that fits counts. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["ECONNREFUSED", ["unreachable", "refused the connection", startServer]],
  ["ENOENT", ["unreachable", "does not respond: no such socket", startServer]],
  ["ENOTFOUND", ["unreachable", "has an unknown host", checkAddress]],
  ["EAI_AGAIN", ["unreachable", "has a host that cannot be resolved now", "check the network"]],
  ["EHOSTUNREACH", unreachable],
  ["ENETUNREACH", unreachable],
  [timedOut, ["unreachable", "does not respond in time", startServer]],
  ["EACCES", ["access", "has a socket that you may not use", "check the socket's permissions"]],
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
  ["3D000", ["missing", "does not exist", "create it (createdb), or name another"]],
  [
    "42501",
    ["access", "denied permission", "grant the user the right to create and use the schema"],
  ],
  ["53300", ["full", "has no free connection", `use fewer (?pool=4), or ${tryAgain}`]],
  ["53", ["full", "has no room left on disk or in memory", "make room and try again"]],
  ["57P03", ["unreachable", "is starting up or shutting down", tryAgain]],
  ["57P", ["unreachable", "is shutting down", tryAgain]],
  ["22021", ["value", "cannot store text with the character NUL", "change that record"]],
  ["57014", ["locked", "took too long", tryAgain]],
  ["55P03", ["locked", "is locked by another process", tryAgain]],
  ["25006", ["access", "is a standby and takes no writes", "name the primary"]],
  ["25P0", connectionEnded],
  ["40", ["locked", "is busy with conflicting transactions", tryAgain]],
  ["08", connectionEnded],
  ["XX001", damaged],
  ["XX002", damaged],
  ["58", ["io", "cannot be read or written", "check the disk of the server"]],
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

/** Returns the SQLSTATE of an error of the database, or the code of one of the network. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** Returns the SendctlError that an error of the driver means, or the error itself: a defect. */
export function databaseError(error: unknown, address: Address): unknown {
  if (error instanceof SendctlError) return error;
  const code = codeOf(error);
  // The one reference that a caller holds and another process can break.
  if (code === "23503") {
    return new SendctlError("auth", "the integration was deleted", {
      hint: "sendctl local integration list",
      cause: error,
    });
  }
  const known = code === "" ? undefined : meanings.find(([prefix]) => code.startsWith(prefix));
  if (known !== undefined) return unusable(address, known[1], error);
  if (code === "" && error instanceof AggregateError) {
    return databaseError(error.errors[0], address);
  }
  return error;
}

/** Whether the connection is lost: whatever was under way on it may have been done, or not. */
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
