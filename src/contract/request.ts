import type { PageQuery } from "./service.ts";
import { operations, type Operation, type OperationName } from "./operations.ts";

/** One request without base URL, headers and key. */
export interface Request {
  readonly method: string;
  /** Percent-encoded path with query, starting with a slash. */
  readonly path: string;
  /** JSON text. */
  readonly body: string | undefined;
  /** Whether the caller sends a write after it. */
  readonly isBeforeWrite?: boolean;
}

/** Returns whether a method changes nothing. Every other one counts as a write. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * 4xx statuses of a gateway that stopped waiting: 408, and 499 for a closed connection. The service
 * may have done the work by then.
 */
export const gatewayTimeouts: ReadonlySet<number> = new Set([408, 499]);

/** The common shape of all operation inputs. */
export interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: PageQuery;
  readonly body?: unknown;
  /** The record as a list showed it, which is not sent. */
  readonly expected?: unknown;
  /** What the caller of a create knows, which is not sent either. */
  readonly existed?: unknown;
  readonly onRead?: unknown;
}

/** Builds the request of an operation. */
export function requestOf(name: OperationName, input: AnyInput): Request {
  const { method, path }: Operation = operations[name];
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(input.path?.[parameter] ?? ""),
  );
  const query = (["perPage", "page", "cursor"] as const).flatMap((key) => {
    const value = input.query?.[key];
    return value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`];
  });
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join("&")}`,
    body: input.body === undefined ? undefined : JSON.stringify(input.body),
  };
}

/**
 * The header with the cursor of a page of a list, sent by the engine's server. The client sends the
 * cursor back to the same service only, in the query of the next page.
 */
export const cursorHeader = "Sendctl-Cursor";

/**
 * The header with which the engine's server says that a record which it does not find does not
 * exist: "yes". Without it, the response may come from a copy of the database that is behind.
 */
export const currentHeader = "Sendctl-Current";

/** The header with which `serve` says that an update kept the fields that it omits: "kept". */
export const omittedHeader = "Sendctl-Omitted-Fields";

/**
 * Returns the headers of a request, except its key. Content-Type is sent with a body and with GET,
 * but not with DELETE. Without Accept, some services redirect to a page for browsers.
 */
export function contentHeaders({ method, body }: Request): Readonly<Record<string, string>> {
  const isTyped = body !== undefined || method === "GET";
  const accept = { Accept: "application/json" };
  return isTyped ? { ...accept, "Content-Type": "application/json" } : accept;
}

/** Observes a request until its response has arrived. */
export interface WatchedRequest {
  /** Called before an attempt. @param number from 1 @param max maximum number of attempts */
  readonly attempt: (number: number, max: number) => void;
  /** Called before a pause between attempts. @param reason why the last attempt failed */
  readonly pause: (milliseconds: number, reason: string) => Promise<void>;
  readonly end: () => Promise<void>;
}
