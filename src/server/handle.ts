import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ServedResponse,
  bodyTooLong,
  dispatch,
  isServicePath,
  refusal,
  routeOf,
  splitTarget,
} from "./dispatch.ts";
import { dispatchPublic, type PublicEndpoints } from "./public-endpoints.ts";
import type { Refuse } from "../engine/rules/refusal.ts";
import type { BufferedBytes, Connection } from "./limits.ts";
import { closed, errorResponse, unauthorized, write, writeHead } from "./respond.ts";
import {
  dispatchWithFaults,
  dropConnection,
  delayResponse,
  type FaultInjector,
} from "./inject-faults.ts";
import type { Lifecycle } from "./lifecycle.ts";
import {
  type RequestIds,
  bearerKey,
  forwardedAddress,
  framingProblem,
  headerOf,
  mayContainKey,
  readBody,
} from "./request.ts";
import type { Service } from "../contract/service.ts";
import type { OperationName } from "../contract/operations.ts";
import type { RequestLogEntry } from "./request-log.ts";

/** The owner of a key. */
interface Caller {
  /** Id of the key, which is not secret. */
  readonly id: string;
  readonly service: Service;
}

export interface ServerOptions extends PublicEndpoints {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Resolves to undefined for an unknown key: specification, part 5. Called for every request. */
  readonly callerOf: (key: string) => Promise<Caller | undefined>;
  /** Returns the seconds that a caller has to wait; undefined if the request is allowed. */
  readonly rateLimit: ((caller: string) => number | undefined) | undefined;
  /** Limit for requests that use the database concurrently; others are rejected with a 503. */
  readonly maxConcurrentRequests: number;
  /** Whether the address of a client is in the headers of a proxy. */
  readonly trustsProxy: boolean;
  /** Undefined if no faults are injected. */
  readonly faults: FaultInjector | undefined;
  readonly served: (served: RequestLogEntry) => void;
  /** Reports a bug, whose details are hidden from the client. */
  readonly defect: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}

/** The current load of a server. */
export interface Work {
  readonly lifecycle: Lifecycle;
  /** Number of requests that are using the database. */
  inFlight: number;
  /** Incomplete request bodies. */
  readonly bodies: BufferedBytes;
  /** Unread responses. */
  readonly unread: BufferedBytes;
  readonly requestIds: RequestIds;
}

/** A request that is being handled. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly options: ServerOptions;
  readonly work: Work;
  readonly method: string;
  readonly target: string;
  /** The target without its query. */
  readonly pathname: string;
  readonly key: string | undefined;
  readonly requestId: string;
  /** Id of the key, once verified. */
  caller: string | undefined;
  /** When the request was complete, in milliseconds of `elapsed`: from then on it can wait for the database. */
  askedAt: number;
}

/** The part of the log entry that is known once the response is sent. */
type Sent = Pick<RequestLogEntry, "status" | "operation" | "fault" | "failure">;

/** Responds to one request and logs it. */
export async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  options: ServerOptions,
  work: Work,
): Promise<void> {
  const startedAt = options.elapsed();
  const { method = "", url: target = "" } = request;
  const [pathname, query] = splitTarget(target);
  const key = bearerKey(headerOf(request, "authorization"));
  const requestId = work.requestIds.of(request, key);
  const exchange: Exchange = {
    request,
    response,
    connection,
    options,
    work,
    method,
    target,
    pathname,
    key,
    requestId,
    caller: undefined,
    askedAt: startedAt,
  };
  const forwarded = options.trustsProxy ? forwardedAddress(request) : undefined;
  const end = response.destroyed ? undefined : closed(response);
  const held = work.lifecycle.held();
  if (held !== undefined) await held;
  const sent = await respond(exchange);
  if (sent === undefined) return;
  await end;
  const shown = (text: string): string => (mayContainKey(text, key) ? "…" : text);
  options.served({
    requestId,
    client: forwarded ?? connection.address,
    method,
    path: shown(pathname),
    query: shown(query),
    milliseconds: options.elapsed() - startedAt,
    caller: exchange.caller,
    ...sent,
  });
}

/**
 * Starts sending the response. Does not retain its text, because a client may read slowly.
 *
 * @returns undefined if nothing is sent, so that nothing is logged
 */
async function respond(exchange: Exchange): Promise<Sent | undefined> {
  const { request, response, connection, options, work, requestId } = exchange;
  const { stopping, isClosing } = work.lifecycle;
  let result: ServedResponse | undefined;
  try {
    result = stopping.aborted
      ? unavailable(options.refuse, "The service is shutting down", "stopping")
      : await responseTo(exchange);
  } catch (error) {
    const { response: own, failure } = errorResponse(error, options.refuse);
    if (failure?.cause === "defect") options.defect(error);
    const waited = options.elapsed() - exchange.askedAt;
    const failed = { operation: operationOf(exchange), failure: failure && { ...failure, waited } };
    if (own === undefined) {
      request.socket.destroy();
      return { status: null, fault: undefined, ...failed };
    }
    result = { ...own, ...failed };
  }
  if (result === undefined) return undefined;
  const { latency, drop } = result.appliedFault?.fault ?? {};
  if (latency !== undefined) await delayResponse(latency, response, stopping);
  const isGone = response.destroyed;
  // Client disconnects are not logged unless an injected fault may have caused them, or the request failed.
  if (isGone && result.appliedFault === undefined && result.failure === undefined) return undefined;
  if (!isGone) {
    const isLast =
      stopping.aborted ||
      // A response that closes the connection would lose the requests behind it.
      (isClosing() && connection.pending <= 1) ||
      result.headers?.["Connection"] === "close" ||
      drop !== undefined ||
      !request.complete ||
      !response.shouldKeepAlive;
    connection.isEnding = isLast;
    const head = { requestId, close: isLast };
    if (drop === undefined) write(response, exchange.method, result, head, work.unread);
    else {
      const served: ServedResponse = result;
      dropConnection(request, response, drop, served.text, () => writeHead(response, served, head));
    }
  }
  return {
    status: isGone || (drop !== undefined && drop !== "during") ? null : result.status,
    operation: result.operation,
    fault: result.appliedFault?.text,
    failure: result.failure,
  };
}

/** Returns the response to a request; undefined if the client has disconnected. */
async function responseTo(exchange: Exchange): Promise<ServedResponse | undefined> {
  const { request, connection, options, work, method, pathname } = exchange;
  const { refuse } = options;
  const problem = framingProblem(request);
  if (problem !== undefined) return refusal(refuse, 400, problem, { Connection: "close" });
  if (!isServicePath(pathname)) {
    return dispatchPublic(method, pathname, options, work.lifecycle.isDraining());
  }
  // The rest of the body will never arrive; the queued error response follows.
  if (connection.isBroken && !request.complete) return undefined;
  connection.reading = request;
  const body = await readBody(request, work.bodies);
  connection.reading = undefined;
  if (body === "gone") return undefined;
  if (body === "too long") return bodyTooLong(refuse);
  // Requests beyond the limit are rejected immediately, so that the queues of the database stay short.
  if (body === "too much at once" || work.inFlight >= options.maxConcurrentRequests) {
    return unavailable(refuse, "The service is overloaded", "overloaded");
  }
  exchange.askedAt = options.elapsed();
  work.inFlight += 1;
  try {
    return await serviceResponse(exchange, body);
  } finally {
    work.inFlight -= 1;
  }
}

async function serviceResponse(exchange: Exchange, body: Uint8Array): Promise<ServedResponse> {
  const { request, options, method, target, key } = exchange;
  const { refuse, callerOf, rateLimit, faults } = options;
  const contentType = headerOf(request, "content-type");
  const caller = key === undefined ? undefined : await callerOf(key);
  if (caller === undefined) {
    return unauthorized(refuse, key === undefined ? "no_key" : "unknown_key");
  }
  exchange.caller = caller.id;
  const wait = rateLimit?.(caller.id);
  if (wait !== undefined) {
    return refusal(refuse, 429, "Too many requests", { "Retry-After": String(wait) });
  }
  const sent = { method, target, contentType, body };
  return faults === undefined
    ? dispatch(caller.service, sent, refuse)
    : dispatchWithFaults(faults, caller.service, sent, refuse);
}

function unavailable(
  refuse: Refuse,
  message: string,
  cause: "overloaded" | "stopping",
): ServedResponse {
  return { ...refusal(refuse, 503, message, { "Retry-After": "1" }), failure: { cause } };
}

/** Returns the operation of a request that failed before it returned one. */
function operationOf({ method, pathname }: Exchange): OperationName | undefined {
  const routed = routeOf(method, pathname);
  return "name" in routed ? routed.name : undefined;
}
