import type { IncomingHttpHeaders } from "node:http";
import type { OperationName } from "../../contract/operations.ts";
import { bodyWithoutKey, withoutKey, type Keys } from "../request.ts";

/** A request to the service and the response that was sent, as they were on the wire. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The text after `?`; may be empty. */
  readonly query: string;
  readonly body: Uint8Array | undefined;
  /** Keys that are in no record. */
  readonly keys: Keys;
  /** Null if no response was sent. */
  readonly status: number | null;
  /** The body of the response; undefined if no response was sent. */
  readonly response: string | undefined;
  readonly operation: OperationName | undefined;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** The injected fault that applied, if one did. */
  readonly fault: string | undefined;
  /** Milliseconds from the request to its response. */
  readonly milliseconds: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A request in the order in which they were carried out. */
type Recorded = Exchange & { readonly id: number };

/** A request as a test suite sees it. */
export type RecordedRequest = ReturnType<typeof recordedRequest>;

/** The newest requests of a server. */
export type Recording = ReturnType<typeof createRecording>;

const maxRequests = 10_000;

/** Maximum length of what the requests hold together, in bytes and characters. */
const maxLength = 8 * 1024 * 1024;

/** Records the newest 10,000 requests or 8 MiB. Bodies are parsed when they are asked for. */
export function createRecording() {
  let exchanges: Recorded[] = [];
  let length = 0;
  let last = 0;
  const followers = new Set<(request: RecordedRequest) => void>();

  return {
    /** Call it when a request has been carried out. @returns what records it, unless the requests are cleared by then */
    begin: (): ((exchange: Exchange) => void) => {
      const begun = exchanges;
      return (given) => {
        if (begun !== exchanges) return;
        const exchange = { ...given, id: (last += 1) };
        exchanges.push(exchange);
        length += lengthOf(exchange);
        for (const follow of followers) follow(recordedRequest(exchange));
        while (exchanges.length > maxRequests || length > maxLength) {
          length -= lengthOf(exchanges.shift()!);
        }
      };
    },
    clear: (): void => {
      [exchanges, length] = [[], 0];
    },
    /** Returns the requests, oldest first. */
    requests: () => exchanges.map(recordedRequest),
    /** Calls the follower with each further request. Returns a function that ends that. */
    follow: (follower: (request: RecordedRequest) => void): (() => void) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
  };
}

function lengthOf({ path, query, body, response = "" }: Exchange): number {
  return path.length + query.length + (body?.length ?? 0) + response.length;
}

/** Returns a request as a test suite sees it. A body that is not JSON is text; an empty one is null. */
function recordedRequest({ keys, ...exchange }: Recorded) {
  const { method, path, query, body, status, response = "", operation = null, time } = exchange;
  const pairs = [...new URLSearchParams(query)];
  return {
    method,
    path: withoutKey(path, keys),
    query: Object.fromEntries(pairs.map((pair) => pair.map((text) => withoutKey(text, keys)))),
    body: bodyWithoutKey(Buffer.from(body ?? "").toString("utf8"), keys),
    /** Null if an injected fault dropped the connection before the response. */
    status,
    response: bodyWithoutKey(response, keys),
    /** Such as `group.create`; null if the request matched none. */
    operation,
    /** ISO 8601, UTC. */
    time: new Date(time).toISOString(),
    ms: Math.round(exchange.milliseconds),
    request_id: exchange.requestId,
    fault: exchange.fault ?? null,
    headers: shownHeaders(exchange.headers, keys),
    /** Increases with each request. */
    id: exchange.id,
  };
}

/** Returns headers without the one that has the key. */
function shownHeaders(headers: IncomingHttpHeaders, keys: Keys): Readonly<Record<string, string>> {
  const others = Object.entries(headers).filter(([name]) => name !== "authorization");
  const pairs = others.map(([name, value]) => [name, withoutKey(String(value), keys)]);
  return Object.fromEntries(pairs) as Readonly<Record<string, string>>;
}
