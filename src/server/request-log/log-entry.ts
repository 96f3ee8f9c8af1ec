import type { DatabaseProblem } from "../../core/error.ts";
import type { OperationName } from "../../contract/operations.ts";

/** Why a request failed on the server's side, for the operator; hidden from the client. */
export interface Failure {
  readonly cause:
    | DatabaseProblem
    /** Any other problem of the database. */
    | "database"
    /** The connection was closed, because the write may or may not have been committed. */
    | "outcome_unknown"
    /** Too many requests at once. */
    | "overloaded"
    | "stopping"
    /** A negative result of `/readyz`. */
    | "not_ready"
    /** A bug. */
    | "defect";
  /** The SQLSTATE, the result code of SQLite, or the code of a network or file system error. */
  readonly code?: string | undefined;
  /** How often the database was tried. */
  readonly attempts?: number | undefined;
  /** How long the request waited for the database, in milliseconds. */
  readonly waited?: number;
  /** The cause in words. */
  readonly problem?: string;
}

/** One request, including those without a response because of an injected fault or an unknown outcome. */
export interface RequestLogEntry {
  /** The id in the response, which the client may have chosen; safe to print. */
  readonly requestId: string;
  /** IP address of the client; undefined if it is unknown. */
  readonly client: string | undefined;
  readonly method: string;
  /** Without the query; "…" if it may contain a key. */
  readonly path: string;
  /** The text after `?`, or "…" if it may contain a key; may be empty. */
  readonly query: string;
  /** Null if no response was sent. */
  readonly status: number | null;
  /** From the end of the request's headers to the end of the response. */
  readonly milliseconds: number;
  /** Undefined if the request matched no operation. */
  readonly operation: OperationName | undefined;
  /** Id of the key; undefined without a valid key. */
  readonly caller: string | undefined;
  /** The injected fault, as text. */
  readonly fault: string | undefined;
  /** Undefined unless the server could not carry out a valid request. */
  readonly failure: Failure | undefined;
}
