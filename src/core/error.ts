import type { StopSignal } from "./programs.ts";
import { counted, visibleText } from "./text.ts";

/**
 * Kinds of errors that end a command. An error of any other class is a defect.
 * Kinds are stable, because scripts read them under `--json`.
 */
export type ErrorKind =
  /** Invalid arguments, settings or files; input missing without a terminal. Nothing was sent. */
  | "usage"
  /** The key is missing or was rejected. */
  | "auth"
  /** The service has no such record. */
  | "not_found"
  /** The service refused because of another record. */
  | "conflict"
  /** The service refused the request. */
  | "invalid"
  /** The service limits the rate of requests. */
  | "rate_limited"
  /** No connection, a timeout or a 5xx, and nothing was changed. */
  | "unavailable"
  /** A write was sent, but its outcome is unknown. */
  | "outcome_unknown"
  /** The response is not one of the service, or lacks what the interface promises. */
  | "unexpected_response"
  /** The embedded database cannot be used. */
  | "database"
  /** The service differs from the manifest. */
  | "differences"
  /** A wait timed out or ended with another result. */
  | "wait"
  /** Standard output cannot be written. */
  | "output"
  /** Ctrl-C, or a declined confirmation. */
  | "cancelled"
  /** SIGTERM. */
  | "terminated"
  /** SIGHUP: the terminal was closed. */
  | "hung_up"
  /** SIGQUIT. */
  | "quit"
  /** A bug in sendctl. */
  | "defect";

/** Why the embedded database cannot be used. Causes that no code distinguishes share a value. */
export type DatabaseProblem =
  /** The file or database does not exist, and cannot be created. */
  | "missing"
  /** Locked by other processes. */
  | "locked"
  /** Corrupt, truncated, or missing a table or column. */
  | "damaged"
  /** The file or its write-ahead log was removed or replaced while open. */
  | "replaced"
  /** Not an SQLite file. */
  | "not_a_database"
  /** The database of another program. */
  | "foreign"
  /** Written by a newer sendctl. */
  | "newer"
  /** Out of disk space, or out of memory or connections on its server. */
  | "full"
  /** Permissions, a read-only disk, or an invalid file name. */
  | "access"
  /** An error of the disk, or of the server's disk. */
  | "io"
  /** Its server does not respond, or closed the connection. */
  | "unreachable"
  /** Its server rejects the user, the password or the kind of connection. */
  | "login"
  /** A text that it cannot store. */
  | "value"
  /** The better-sqlite3 addon cannot be loaded. */
  | "addon";

/** A location in a file. Lines and columns start at 1; columns count UTF-16 units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * A problem in a file, with its location. Names and texts within the message are untrusted and need
 * src/core/text.ts before a terminal shows them.
 */
export interface Diagnostic extends Location {
  readonly message: string;
}

/** Maximum number of diagnostics that are reported one by one. */
export const diagnosticLimit = 100;

/** Counts errors. Beyond the limit, the last diagnostic only counts the others. */
export function countedErrors({ length }: readonly Diagnostic[]): string {
  return length > diagnosticLimit ? `over ${diagnosticLimit} errors` : counted(length, "error");
}

/** Returns a diagnostic as a line with its location, safe to show. */
export function diagnosticText({ file, line, column, message }: Diagnostic): string {
  return visibleText(`${file}:${line}:${column}: ${message}`);
}

/** A field that the service stored with a different value than was sent. */
export interface StoredDifference {
  readonly field: string;
  readonly sent: unknown;
  readonly stored: unknown;
}

/** The command that shows whether a write succeeded. Its words are quoted for a shell. */
export interface Check {
  /** Without the keys: `sendctl group fetch`. */
  readonly command: string;
  /** The keys of the records, which may be joined with those of other checks. */
  readonly keys: readonly string[];
  /** Options, which select the same target. */
  readonly options: readonly string[];
  /** What the command does not show. */
  readonly about?: string;
}

/** Returns the command line of a check, and what it does not show. */
export function checkLine({ command, keys, options, about = "" }: Check): string {
  return `${[command, ...keys, ...options].join(" ")}${about}`;
}

/** Joins checks that differ only in their keys. */
export function joinedChecks(checks: readonly Check[]): readonly Check[] {
  const joined = new Map<string, Check>();
  for (const check of checks) {
    const frame = checkLine({ ...check, keys: [] });
    const keys = [...(joined.get(frame)?.keys ?? []), ...check.keys];
    joined.set(frame, { ...check, keys: [...new Set(keys)] });
  }
  return [...joined.values()];
}

/** What a lookup after a lost create showed, as `--json` prints it. */
export interface Lookup {
  readonly result: "found" | "not_found" | "failed";
  readonly message: string;
  /** The records with the name that was sent. */
  readonly records: readonly { readonly id: unknown; readonly created_at: unknown }[];
}

/** What most errors say beside their kind and message. */
interface ErrorFacts extends ErrorOptions {
  /** The command or option that helps, without the word "hint". */
  readonly hint?: string | undefined;
  /**
   * What is invalid: an option, a variable or `base URL` (`--timeout`, `SENDCTL_TIMEOUT`), or a
   * field of an object that code passed (`seed.groups[0].name`).
   */
  readonly field?: string | undefined;
  /** The response, if the service refused: a Reply, for `isRefusal` in src/service/refusals.ts. */
  readonly reply?: object | undefined;
  /** The record that the service returned instead of the expected one, or after a write. */
  readonly record?: Readonly<Record<string, unknown>> | undefined;
}

/** What code may ask of some errors, because it must never parse a message. */
export interface ErrorDetails {
  /** The status of the response that caused it. */
  readonly httpStatus?: number | undefined;
  /** Path of the file that cannot be used. */
  readonly file?: string | undefined;
  /** The errors in that file, each with its location. */
  readonly diagnostics?: readonly Diagnostic[] | undefined;
  /** Why the database cannot be used, for kind "database". */
  readonly database?: DatabaseProblem | undefined;
  /** Fields that the service stored differently, for kind "unexpected_response". */
  readonly stored?: readonly StoredDifference[] | undefined;
  /** The record that a command created although it failed. */
  readonly created?: Readonly<Record<string, unknown>> | undefined;
  /** How to find out whether the write succeeded: the hint of an error without another. */
  readonly check?: Check | undefined;
  /** Whether Escape ended the prompt, for kind "cancelled". */
  readonly isEscape?: boolean | undefined;
  /** What a lookup showed, for kind "outcome_unknown". */
  readonly lookup?: Lookup | undefined;
  /** The records that this lookup found; undefined if it failed. */
  readonly found?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

export class SendctlError extends Error {
  override name = "SendctlError";
  readonly kind: ErrorKind;
  declare readonly hint?: string | undefined;
  declare readonly field?: string | undefined;
  declare readonly reply?: object | undefined;
  declare readonly record?: Readonly<Record<string, unknown>> | undefined;
  readonly details: ErrorDetails;

  /** @param message one line: what happened, with the value that caused it */
  constructor(kind: ErrorKind, message: string, given: ErrorFacts & ErrorDetails = {}) {
    const { cause, hint, field, reply, record, ...details } = given;
    super(message, { cause });
    this.kind = kind;
    const { check } = details;
    const facts = { hint: hint ?? (check && checkLine(check)), field, reply, record };
    for (const [name, fact] of Object.entries(facts)) {
      if (fact !== undefined) Object.assign(this, { [name]: fact });
    }
    this.details = details;
  }
}

/**
 * Returns an error with another message or details. A new message drops the service's refusal.
 *
 * @param given replaces those of the error
 */
export function reworded(
  error: SendctlError,
  message: string,
  given: ErrorFacts & ErrorDetails = {},
): SendctlError {
  const { kind, hint, field, record, details } = error;
  const { reply } = message === error.message ? error : {};
  const facts = { hint, field, record, reply, cause: error };
  return new SendctlError(kind, message, { ...facts, ...details, ...given });
}

/** The part of an error that is shown. */
export interface Failure extends Pick<SendctlError, "kind" | "message"> {
  readonly hint?: string | undefined;
  readonly details?: ErrorDetails;
}

/**
 * Returns the `error` object of an envelope. Every field but `lookup` and `diagnostics` (the errors
 * in a file) is always present, and null if it does not apply.
 *
 * @param message for another one than that of the error
 */
export function errorObject({ kind, message: own, hint, details }: Failure, message = own) {
  const { httpStatus, lookup, diagnostics } = details ?? {};
  return {
    kind,
    http_status: httpStatus ?? null,
    message,
    hint: hint ?? null,
    ...(lookup === undefined ? {} : { lookup }),
    ...(diagnostics === undefined ? {} : { diagnostics }),
  };
}

/** Thrown by `--dry-run` in place of sending a request. */
export class DryRunEnded extends Error {
  override name = "DryRunEnded";
  /** Prints all requests of the command. */
  readonly show: () => Promise<void>;

  constructor(show: () => Promise<void>) {
    super();
    this.show = show;
  }
}

/** The kind and message of the error for each signal. */
const endings: Readonly<Partial<Record<StopSignal, readonly [ErrorKind, string]>>> = {
  SIGTERM: ["terminated", "Terminated"],
  SIGHUP: ["hung_up", "Hung up"],
  SIGQUIT: ["quit", "Quit"],
};

/** Returns the error for work that a signal ended. @param signal its name (default: SIGINT) */
export function stoppedBy(signal: unknown, message?: string): SendctlError {
  const [kind, text] = endings[signal as StopSignal] ?? ["cancelled", "Cancelled"];
  return new SendctlError(kind, message ?? text);
}

const stopKinds: ReadonlySet<ErrorKind> = new Set(["cancelled", "terminated", "hung_up", "quit"]);

/** Returns whether an error is that of a signal, and not a failure. */
export function isStop(kind: ErrorKind | undefined): boolean {
  return kind !== undefined && stopKinds.has(kind);
}
