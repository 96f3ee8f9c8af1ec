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

/** What other parts of the program need to know of an error. Nothing reads its message. */
export interface ErrorDetails extends ErrorOptions {
  /** The command or option that helps, without the word "hint". */
  readonly hint?: string;
  /** The status of the response that caused it. */
  readonly httpStatus?: number;
  /** The flag or variable that is wrong: `--timeout`, `SENDCTL_TIMEOUT`. */
  readonly setting?: string;
}

export class SendctlError extends Error {
  override name = "SendctlError";
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly setting: string | undefined;

  /** @param message one line: what happened, with the value that caused it */
  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.kind = kind;
    this.hint = details.hint;
    this.httpStatus = details.httpStatus;
    this.setting = details.setting;
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
