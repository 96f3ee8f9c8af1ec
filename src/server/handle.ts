import type { IncomingMessage, ServerResponse } from "node:http";
import {
  dispatch,
  isServicePath,
  refusal,
  bodyTooLong,
  splitTarget,
  type ServedResponse,
} from "./dispatch.ts";
import { dispatchPublic } from "./public/endpoints.ts";
import type { Refuse, UnavailableCause } from "../contract/refusal.ts";
import type { Connection } from "./connection.ts";
import { errorResponse, unauthorized } from "./error-response.ts";
import type { BufferedBytes } from "./buffered-bytes.ts";
import { dispatchWithFaults, dropConnection, delayResponse } from "./inject-faults.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { bearerKey, framingProblem, headerOf, readBody, withoutKeys } from "./read-request.ts";
import { closed, write, writeHead } from "./respond.ts";
import type { RequestLogEntry, ServerOptions } from "./server-options.ts";

/** The current load of a server. */
export interface Work {
  readonly lifecycle: Lifecycle;
  /** Number of requests that are using the database. */
  inFlight: number;
  /** Incomplete request bodies. */
  readonly bodies: BufferedBytes;
  /** Unread responses. */
  readonly unread: BufferedBytes;
}

/** The part of the log entry that is known once the response is sent. */
type Sent = Pick<RequestLogEntry, "status" | "operation" | "fault" | "problem" | "cause">;

/** Responds to one request and logs it. */
export async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  options: ServerOptions,
  work: Work,
): Promise<void> {
  const startedAt = options.elapsed();
  const method = request.method ?? "";
  const target = request.url ?? "";
  const key = bearerKey(headerOf(request, "authorization"));
  const context: RequestContext = { method, target, key, caller: undefined };
  const end = response.destroyed ? undefined : closed(response);
  const held = work.lifecycle.held();
  if (held !== undefined) await held;
  const sent = await respond(request, response, context, connection, options, work);
  if (sent === undefined) return;
  await end;
  const [pathname, query] = splitTarget(target);
  options.served({
    method,
    path: withoutKeys(pathname, key),
    query: query === "" ? "" : withoutKeys(query, key),
    milliseconds: options.elapsed() - startedAt,
    caller: context.caller,
    ...sent,
  });
}

/**
 * Starts sending the response. Does not retain its text, because a client may read slowly.
 *
 * @returns undefined if nothing is sent, so that nothing is logged
 */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  connection: Connection,
  options: ServerOptions,
  work: Work,
): Promise<Sent | undefined> {
  const { stopping, isClosing } = work.lifecycle;
  let result: ServedResponse | undefined;
  let problem: string | undefined;
  try {
    result = stopping.aborted
      ? unavailable(options.refuse, "shutting_down", "The service is shutting down")
      : await responseTo(request, context, connection, options, work);
  } catch (error) {
    const failure = errorResponse(error, options.refuse);
    if (failure.isDefect) options.defect(error);
    ({ problem } = failure);
    if (failure.response === undefined) {
      request.socket.destroy();
      options.unknownOutcome();
    } else result = failure.response;
  }
  if (result === undefined) return undefined;
  const { latency, drop } = result.appliedFault?.fault ?? {};
  if (latency !== undefined) await delayResponse(latency, response, stopping);
  const isGone = response.destroyed;
  // Client disconnects are not logged unless an injected fault may have caused them.
  if (isGone && result.appliedFault === undefined) return undefined;
  if (!isGone) {
    const isCloseRequested = result.headers?.["Connection"] === "close";
    const isLast =
      stopping.aborted ||
      // A response that closes the connection would lose the requests behind it.
      (isClosing() && connection.pending <= 1) ||
      isCloseRequested ||
      drop !== undefined ||
      !request.complete ||
      !response.shouldKeepAlive;
    connection.isEnding = isLast;
    if (drop === undefined) write(response, context.method, result, isLast, work.unread);
    else {
      const { text } = result;
      const head: ServedResponse = result;
      dropConnection(request, response, drop, text, () => writeHead(response, head, true));
    }
  }
  return {
    status: isGone || (drop !== undefined && drop !== "during") ? null : result.status,
    operation: result.operation,
    fault: result.appliedFault?.text,
    problem,
    cause: result.cause,
  };
}

interface RequestContext {
  readonly method: string;
  readonly target: string;
  readonly key: string | undefined;
  /** Id of the key, once verified. */
  caller: string | undefined;
}

/** Returns the response to a request; undefined if the client has disconnected. */
async function responseTo(
  request: IncomingMessage,
  context: RequestContext,
  connection: Connection,
  options: ServerOptions,
  work: Work,
): Promise<ServedResponse | undefined> {
  const { method, target } = context;
  const { refuse } = options;
  const [pathname] = splitTarget(target);
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
  if (body === "too much at once") return busy(refuse);
  return withinLimit(work, options, () => serviceResponse(request, context, body, options));
}

/** Rejects requests beyond the limit immediately, so that the queues of the database stay short. */
async function withinLimit(
  work: Work,
  { maxConcurrentRequests, refuse }: ServerOptions,
  action: () => Promise<ServedResponse>,
): Promise<ServedResponse> {
  if (work.inFlight >= maxConcurrentRequests) return busy(refuse);
  work.inFlight += 1;
  try {
    return await action();
  } finally {
    work.inFlight -= 1;
  }
}

async function serviceResponse(
  request: IncomingMessage,
  context: RequestContext,
  body: Uint8Array,
  options: ServerOptions,
): Promise<ServedResponse> {
  const { method, target, key } = context;
  const { refuse } = options;
  const contentType = headerOf(request, "content-type");
  const caller = key === undefined ? undefined : await options.callerOf(key);
  if (caller === undefined)
    return unauthorized(refuse, key === undefined ? "no_key" : "unknown_key");
  context.caller = caller.id;
  const wait = options.rateLimit?.(caller.id);
  if (wait !== undefined) {
    return refusal(refuse, 429, "Too many requests", { "Retry-After": String(wait) });
  }
  const sent = { method, target, contentType, body };
  return options.faults === undefined
    ? dispatch(caller.service, sent, refuse)
    : dispatchWithFaults(options.faults, caller.service, sent, refuse);
}

function busy(refuse: Refuse): ServedResponse {
  return unavailable(refuse, "overloaded", "The service is overloaded");
}

function unavailable(refuse: Refuse, cause: UnavailableCause, message: string): ServedResponse {
  return { ...refusal(refuse, 503, message, { "Retry-After": "1" }), cause };
}
