import type { IncomingMessage, ServerResponse } from "node:http";
import type { OperationName } from "../contract/operations.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import {
  bodyTooLong,
  dispatch,
  dispatchPublic,
  isPublicPath,
  isServicePath,
  refusal,
  routeOf,
  type ServedRequest,
  type ServedResponse,
} from "./dispatch.ts";
import { delayResponse, dispatchWithFaults, dropConnection, sendSlowly } from "./inject-faults.ts";
import type { Connection } from "./limits.ts";
import {
  bodyWithoutKey,
  loggedQuery,
  readBody,
  readHead,
  requestSecrets,
  type Keys,
  type RequestHead,
} from "./request.ts";
import type { RequestLogEntry } from "./request-log.ts";
import { closed, closeGently, errorResponse, unauthorized, write, writeHead } from "./respond.ts";
import type { Answer } from "./control/recording.ts";
import type { ServerState } from "./exchange.ts";
import { SendctlError } from "../core/error.ts";
import { cut } from "../core/text.ts";

/**
 * Responds to one request and logs it:
 *
 * 1. server.ts has queued it behind the requests before it on its connection: limits.ts.
 * 2. `readHead` reads its key, its id and its framing, and `readBody` its body: request.ts. Requests beyond the limit of
 *    the server are refused here.
 * 3. The key selects the service of an integration: src/engine/embedded.ts. Its rate limit and injected faults apply.
 *    On PostgreSQL, a create is tried before that: `createAtOnce`.
 * 4. `dispatch` finds the operation, parses the query and the body, and calls the service: dispatch.ts. The service
 *    validates them (src/engine/rules/) and calls the store: src/engine/engine.ts. On PostgreSQL, that is
 *    src/engine/postgres/records.ts.
 * 5. `write` sends the response: respond.ts. When it is sent, the request is logged: request-log.ts.
 */
export async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  server: ServerState,
): Promise<void> {
  const exchange = createExchange(request, response, connection, server);
  const { head, requestId, startedAt } = exchange;
  const end = response.destroyed ? undefined : closed(response);
  const sent = await respond(exchange);
  if (sent === undefined) return;
  await end;
  const { method, pathname, query } = head;
  const { hide } = requestSecrets([head.key, server.givenKey], pathname, query);
  server.served({
    requestId,
    client: connection.address,
    method,
    path: hide(pathname),
    query: loggedQuery(query, hide),
    milliseconds: server.elapsed() - startedAt,
    caller: exchange.caller,
    ...sent,
  });
}

/** A request that is being handled. */
type Exchange = ReturnType<typeof createExchange>;

function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  server: ServerState,
) {
  const startedAt = server.elapsed();
  const head = readHead(request);
  const requestId = head.sentId ?? server.createId();
  return {
    request,
    response,
    connection,
    server,
    head,
    requestId,
    startedAt,
    /** Id of the key, once verified. */
    caller: undefined as string | undefined,
    /** Undefined until it has been read. */
    body: undefined as Uint8Array | undefined,
    /** When the request was complete: from then on it can wait for the database. */
    completeAt: startedAt,
    /** Records the response, once the request is recorded. */
    recordAnswer: undefined as ((answer: Answer) => void) | undefined,
  };
}

/** The part of the log entry that is known once the response is sent. */
type Sent = Pick<
  RequestLogEntry,
  "status" | "operation" | "fault" | "failure" | "body" | "response"
>;

/** Maximum length of a body in a log entry, in characters. */
const maxLoggedBody = 8 * 1024;

/** Returns the text of a body as the log has it; undefined for an empty one. */
function loggedBody(text: string, keys: Keys): string | undefined {
  const body = bodyWithoutKey(text, keys);
  if (body === null) return undefined;
  return cut(typeof body === "string" ? body : JSON.stringify(body), maxLoggedBody);
}

/**
 * Starts sending the response. Does not retain its text, because a client may read slowly.
 *
 * @returns undefined if nothing is sent, so that nothing is logged
 */
async function respond(exchange: Exchange): Promise<Sent | undefined> {
  const { response, server } = exchange;
  let result: ServedResponse | undefined;
  try {
    result = await responseTo(exchange);
  } catch (error) {
    result = failedResponse(exchange, error);
  }
  if (result === undefined) return undefined;
  recordRequest(exchange);
  const { operation, appliedFault, failure } = result;
  const latency = appliedFault?.fault.latency;
  if (latency !== undefined) await delayResponse(latency, response, server.stopping);
  if (server.stopping.aborted) await server.portClosed;
  // Client disconnects are not logged unless an injected fault may have caused them, or the request failed.
  if (response.destroyed && appliedFault === undefined && failure === undefined) return undefined;
  const isSent = !response.destroyed && send(exchange, result);
  const status = isSent ? result.status : null;
  const keys = [exchange.head.key, server.givenKey];
  exchange.recordAnswer?.({
    status,
    response: isSent ? result.text : undefined,
    fault: appliedFault?.text,
    milliseconds: server.elapsed() - exchange.startedAt,
  });
  const logged = { status, operation, fault: appliedFault?.text, failure };
  if (server.logsBodies !== true) return logged;
  const body = loggedBody(Buffer.from(exchange.body ?? "").toString("utf8"), keys);
  return { ...logged, body, response: isSent ? loggedBody(result.text, keys) : undefined };
}

/** Records a request, once. @param integration name of the one that its key selects */
function recordRequest(exchange: Exchange, integration?: string): void {
  const { server, head, request } = exchange;
  if (server.record === undefined || isPublicPath(head.pathname)) return;
  exchange.recordAnswer ??= server.record({
    method: head.method,
    path: head.pathname,
    query: head.query,
    body: exchange.body,
    keys: [head.key, server.givenKey],
    integration,
    operation: operationOf(head),
    requestId: exchange.requestId,
    headers: request.headers,
    time: Date.now(),
  });
}

/** Returns the operation of a request; undefined if it matches none. */
function operationOf({ method, pathname }: RequestHead): OperationName | undefined {
  const routed = routeOf(method, pathname);
  return "name" in routed ? routed.name : undefined;
}

/** Returns the response to a request that failed. */
function failedResponse({ server, head, completeAt }: Exchange, error: unknown): ServedResponse {
  const response = errorResponse(error, server.refuse);
  const { failure } = response;
  if (failure?.cause === "defect") server.defect(error);
  return {
    ...response,
    operation: operationOf(head),
    failure: failure && { ...failure, waited: server.elapsed() - completeAt },
  };
}

/** Returns the response of the service or of a public endpoint; undefined if the client has disconnected. */
async function responseTo(exchange: Exchange): Promise<ServedResponse | undefined> {
  const { request, connection, server, head } = exchange;
  const { refuse } = server;
  const { method, pathname, problem } = head;
  if (problem !== undefined) return refusal(refuse, 400, problem, { Connection: "close" });
  if (!isServicePath(pathname)) {
    return pathname === "/healthz" && server.stopping.aborted
      ? unavailable(refuse, "The service is shutting down", "stopping")
      : dispatchPublic(method, pathname, server);
  }
  // The rest of the body will never arrive; the queued error response follows.
  if (connection.isBroken && !request.complete) return undefined;
  connection.reading = request;
  const body = await readBody(request, server.bodies);
  connection.reading = undefined;
  if (body === "disconnected") return undefined;
  if (body === "too long") return bodyTooLong(refuse);
  // Requests beyond the limit are rejected immediately, so that the queues of the database stay short.
  if (body === "too much at once" || server.inFlight >= server.maxConcurrentRequests) {
    return unavailable(refuse, "The service is overloaded", "overloaded");
  }
  exchange.body = body;
  exchange.completeAt = server.elapsed();
  server.inFlight += 1;
  try {
    return await serviceResponse(exchange, body);
  } finally {
    server.inFlight -= 1;
  }
}

/** Returns the response of the service to a complete request. */
async function serviceResponse(exchange: Exchange, body: Uint8Array): Promise<ServedResponse> {
  const { server, head } = exchange;
  const { refuse, rules } = server;
  const { key, method, pathname, query, contentType, encoding } = head;
  if (key === undefined) {
    return unauthorized(refuse, "Missing key: send Authorization: Bearer KEY");
  }
  const request = { method, pathname, query, contentType, encoding, body };
  const created = await createAtOnce(exchange, key, request);
  if (created !== undefined) return created;
  const caller = await server.callerOf(key);
  exchange.caller = caller?.id;
  if (caller === undefined) return unauthorized(refuse, "Invalid key");
  recordRequest(exchange, caller.integration);
  if (rules.rateLimit?.(caller.id) === false) {
    return refusal(refuse, 429, "Too many requests", { "Retry-After": "1" });
  }
  const faults = rules.faultsOf(caller.integration);
  return faults === undefined
    ? dispatch(caller.service, request, refuse)
    : dispatchWithFaults(faults, caller.service, request, refuse);
}

/**
 * Handles a create with the remembered look-up of its key. Returns undefined unless that succeeds: `rememberedCaller`. Rate
 * limits, injected faults and records of requests need a key that was looked up.
 */
async function createAtOnce(
  exchange: Exchange,
  key: string,
  request: ServedRequest,
): Promise<ServedResponse | undefined> {
  const { rules, record, refuse, rememberedCaller } = exchange.server;
  const operation = operationOf(exchange.head);
  const isCreate = operation === "group.create" || operation === "sender-id.create";
  if (!isCreate || rules.rateLimit !== undefined || record !== undefined) return undefined;
  const caller = rememberedCaller?.(key);
  if (caller === undefined || rules.faultsOf(caller.integration) !== undefined) return undefined;
  exchange.caller = caller.id;
  try {
    const response = await dispatch(caller.service, request, refuse);
    return response.status < 300 ? response : undefined;
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "auth") return undefined;
    throw error;
  }
}

function unavailable(
  refuse: Refuse,
  message: string,
  cause: "overloaded" | "stopping",
): ServedResponse {
  return { ...refusal(refuse, 503, message, { "Retry-After": "1" }), failure: { cause } };
}

/** Milliseconds in which the rest of a body that was refused is read and ignored. */
const lingerTimeout = 5000;

/** Starts sending a response, unless its connection is to be dropped. @returns whether its status is sent */
function send(exchange: Exchange, result: ServedResponse): boolean {
  const { request, response, connection, server, head, requestId } = exchange;
  // Any response would claim that the request was carried out, or that it was not.
  if (result.failure?.cause === "outcome_unknown") {
    request.socket.destroy();
    return false;
  }
  const drop = result.appliedFault?.fault.drop;
  const { stopping } = server;
  const close =
    // A client that pipelines gets the responses to all requests that it has sent.
    (stopping.aborted && connection.pending === 1) ||
    result.headers?.["Connection"] === "close" ||
    drop !== undefined ||
    !request.complete ||
    !response.shouldKeepAlive;
  connection.isEnding = close;
  if (!request.complete && drop === undefined) {
    // A client that sends its whole body first would otherwise get a reset in place of the response.
    closeGently(request.socket, lingerTimeout);
    request.resume();
  }
  const slow = result.appliedFault?.fault.slow;
  if (slow !== undefined && head.method !== "HEAD") {
    writeHead(response, result, { requestId, close });
    void sendSlowly(response, result.text, slow, stopping);
    return true;
  }
  if (drop === undefined) {
    write(response, head.method, result, { requestId, close }, server.unread);
    return true;
  }
  const sendHead = (): void => writeHead(response, result, { requestId, close });
  dropConnection(request, response, drop, result.text, sendHead);
  return drop === "during";
}
