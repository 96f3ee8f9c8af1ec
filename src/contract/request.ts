import { operations, type Operation, type OperationName } from "./operations.ts";

/** One request, before a base URL, headers and a key are added to it. */
export interface Request {
  readonly method: string;
  /** Begins with a slash, percent-encoded, with its query. */
  readonly path: string;
  /** JSON text. */
  readonly body: string | undefined;
}

/** What every input of an operation looks like. */
interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
}

/** The request that carries an operation: specification, part 4. */
export function requestOf(name: OperationName, input: AnyInput): Request {
  const { method, path }: Operation = operations[name];
  const filled = path.replace(/\{(\w+)\}/g, (_, parameter: string) =>
    encodeURIComponent(input.path?.[parameter] ?? ""),
  );
  const query = Object.entries(input.query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join("&")}`,
    body: input.body === undefined ? undefined : JSON.stringify(input.body),
  };
}

/**
 * Returns the headers of a request but for its key. Content-Type is for a body and for GET, not for DELETE.
 * Without Accept some services redirect to a page for browsers.
 */
export function contentHeaders({ method, body }: Request): Readonly<Record<string, string>> {
  const isTyped = body !== undefined || method === "GET";
  const accept = { Accept: "application/json" };
  return isTyped ? { ...accept, "Content-Type": "application/json" } : accept;
}

/** Takes what becomes of a request until its response has come. */
export interface WatchedRequest {
  /** @param number from 1 @param most attempts that there can be */
  readonly attempt: (number: number, most: number) => void;
  /** The next attempt follows after a pause in milliseconds. @param reason why the last attempt failed */
  readonly pause: (milliseconds: number, reason: string) => Promise<void>;
  readonly end: () => Promise<void>;
}
