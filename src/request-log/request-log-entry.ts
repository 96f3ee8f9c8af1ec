/** Why a request failed on the server's side. */
interface LoggedFailure {
  /** A word, like `locked` or `outcome_unknown`. */
  readonly cause: string;
  /** The SQLSTATE, the result code of SQLite, or the code of a network or file system error. */
  readonly code?: string | undefined;
  readonly attempts?: number | undefined;
  /** Milliseconds. */
  readonly waited?: number;
  /** The cause in words, which is printed once; not logged. */
  readonly problem?: string;
}

/** One request, including those without a response because of an injected fault or an unknown outcome. */
export interface RequestLogEntry {
  /** Safe to print. */
  readonly requestId: string;
  /** IP address of the client; undefined if it is unknown. */
  readonly client: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly operation: string | undefined;
  readonly caller: string | undefined;
  readonly fault: string | undefined;
  readonly failure: LoggedFailure | undefined;
}

/** A repetition of database statements, after a failure that changed nothing. */
export interface RetryLogEntry {
  readonly work: "read" | "write";
  /** Number of requests that wait for it. */
  readonly requests: number;
  readonly code: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly waited: number;
}
