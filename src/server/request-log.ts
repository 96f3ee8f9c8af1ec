import { openLogFile, queueLines } from "./log-file.ts";
import { safeText } from "../core/text.ts";
import type { DatabaseProblem } from "../core/error.ts";
import type { OperationName } from "../contract/operations.ts";

export interface RequestLogOptions {
  /** Prints lines for the operator, too. */
  readonly print?: ((lines: string) => Promise<void>) | undefined;
  /** Whether the printed lines are for a reader; otherwise they are JSON, without the query. */
  readonly isReadable: boolean;
  /** Called with each new problem of the database, and if the file cannot be written. */
  readonly warn: (text: string) => void;
}

/** Logs each request in a file and, if requested, for the operator. */
export function openRequestLog(file: string, options: RequestLogOptions) {
  const { print, isReadable, warn } = options;
  const logFile = openLogFile(file, ({ code }) => {
    warn(`cannot log requests to ${file} (${code}); \`sendctl local log\` will lack them`);
  });
  let warned: string | undefined;
  let written: Promise<void> = Promise.resolve();
  const printed = queueLines((lines) => {
    written = written.then(() => print?.(lines));
  });
  return {
    served: (served: RequestLogEntry): void => {
      const { path, query } = served;
      const problem = served.failure?.problem;
      // Warns once, not for each request that fails for this reason.
      if (problem !== undefined && problem !== warned) warn(problem);
      warned = problem ?? warned;
      const line = logLine(served, query === "" ? path : `${path}?${query}`);
      logFile.add(line);
      if (print === undefined) return;
      if (isReadable) printed.add(readable(served));
      else printed.add(query === "" ? line : logLine(served, path));
    },
    /** Closes the file. Resolves when all lines are printed. */
    close: async (): Promise<void> => {
      logFile.close();
      printed.close();
      await written;
    },
  };
}

/** Returns the log line of a request, without undefined fields. @param path with or without the query */
function logLine(served: RequestLogEntry, path: string): string {
  const { method, status, milliseconds, requestId, client, operation, caller, fault } = served;
  const { body, response } = served;
  const { cause, code, attempts, waited } = served.failure ?? {};
  return JSON.stringify({
    time: new Date().toISOString(),
    method,
    path,
    status,
    ms: tenths(milliseconds),
    request_id: requestId,
    client,
    operation,
    key_id: caller === undefined ? undefined : Number(caller),
    cause,
    code,
    attempts,
    waited_ms: waited === undefined ? undefined : tenths(waited),
    fault,
    body,
    response,
  });
}

/** Rounds milliseconds to tenths. */
function tenths(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

function readable({ method, path, status, milliseconds, fault, failure }: RequestLogEntry): string {
  const time = new Date().toTimeString().slice(0, 8);
  const text = `${time} ${method} ${path} ${status ?? "-"} ${milliseconds.toFixed(1)} ms`;
  const causes = failure === undefined ? [] : [`${failure.cause} ${failure.code ?? ""}`.trimEnd()];
  const faults = fault === undefined ? [] : [`fault ${fault}`];
  return safeText([text, ...causes, ...faults].join(" · "));
}

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
  /** Without the query and keys. */
  readonly path: string;
  /** The text after `?`, as `loggedQuery` returns it; may be empty. */
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
  /** The bodies, cut to a length and without keys, if they are logged. */
  readonly body?: string | undefined;
  readonly response?: string | undefined;
}
