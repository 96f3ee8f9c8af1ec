/**
 * Everything that ends a command and is not a response of the service. A refusal by the service is a
 * Reply; an error of any other class is a defect. Kinds are stable: scripts read them under `--json`.
 */
export type ErrorKind =
  /** Bad arguments, settings or files, or input missing and nobody to ask. Nothing was sent. */
  | "usage"
  /** No key, or one that was rejected. */
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
  /** A write was sent, and it is not known whether it was done. */
  | "outcome_unknown"
  /** The response is not the service's, or does not show what it promised. */
  | "unexpected_response"
  /** The embedded database cannot be used. */
  | "database"
  /** The service differs from the manifest. */
  | "differences"
  /** What was waited for did not come about, in time or at all. */
  | "wait"
  /** Standard output cannot be written. */
  | "output"
  /** Ctrl-C, at a prompt or while something was under way; or a declined confirmation. */
  | "cancelled"
  /** SIGTERM came while something was under way. */
  | "terminated"
  /** A bug in sendctl. */
  | "defect";

/** What makes the embedded database unusable. Several causes share one where nothing depends on which it is. */
export type DatabaseProblem =
  /** The file or database does not exist, and cannot be created. */
  | "missing"
  /** Other processes hold its lock. */
  | "locked"
  /** Ours, but corrupt, cut short, or without a table or column that it should have. */
  | "damaged"
  /** The file, or its write-ahead log, was removed or replaced while it was open. */
  | "replaced"
  /** A file of another kind. */
  | "not_a_database"
  /** The database of another program. */
  | "foreign"
  /** Written by a newer sendctl. */
  | "newer"
  /** No room on its disk, or in the memory or connections of its server. */
  | "full"
  /** Permissions, a read-only disk, or a name that no file can have. */
  | "access"
  /** The disk or the server's disk fails. */
  | "io"
  /** Its server does not respond, or ended the connection. */
  | "unreachable"
  /** Its server refuses the user, the password or the kind of connection. */
  | "login"
  /** A text that it cannot store. */
  | "value"
  /** The better-sqlite3 addon cannot be loaded. */
  | "addon"
  /** A copy that differs from its original. */
  | "copy";

/** A field that the service shows with another value than was sent. */
export interface StoredDifference {
  readonly field: string;
  readonly sent: unknown;
  readonly stored: unknown;
}

/** What other parts of the program need to know of an error. Nothing reads its message. */
export interface ErrorDetails extends ErrorOptions {
  /** The command or option that helps, without the word "hint". */
  readonly hint?: string | undefined;
  /** The status of the response that caused it. */
  readonly httpStatus?: number;
  /** What is set wrong: a flag, a variable or `base URL` (`--timeout`, `SENDCTL_TIMEOUT`). */
  readonly setting?: string;
  /** Path of the file that cannot be used. */
  readonly file?: string;
  /** Why the database cannot be used, for kind "database". */
  readonly database?: DatabaseProblem;
  /** The fields that the service stored differently, for kind "unexpected_response". */
  readonly stored?: readonly StoredDifference[];
  /** The record as the service shows it after such a write. */
  readonly record?: Readonly<Record<string, unknown>>;
}

export class SendctlError extends Error {
  override name = "SendctlError";
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly setting: string | undefined;
  readonly file: string | undefined;
  readonly database: DatabaseProblem | undefined;
  readonly stored: readonly StoredDifference[] | undefined;
  readonly record: Readonly<Record<string, unknown>> | undefined;

  /** @param message one line: what happened, with the value that caused it */
  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.kind = kind;
    this.hint = details.hint;
    this.httpStatus = details.httpStatus;
    this.setting = details.setting;
    this.file = details.file;
    this.database = details.database;
    this.stored = details.stored;
    this.record = details.record;
  }
}

/** An error as `--json` prints it. Every field is always present: null where there is nothing to say. */
export interface ErrorObject {
  readonly kind: ErrorKind;
  readonly http_status: number | null;
  readonly message: string;
  readonly hint: string | null;
}

/** Returns the `error` object of an envelope. */
export function errorObject(
  error: Pick<SendctlError, "kind" | "message"> &
    Partial<Pick<SendctlError, "httpStatus" | "hint">>,
): ErrorObject {
  const { kind, message, httpStatus, hint } = error;
  return { kind, http_status: httpStatus ?? null, message, hint: hint ?? null };
}
