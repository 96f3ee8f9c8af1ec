import type { IncomingMessage, ServerResponse } from "node:http";
import { SendctlError } from "../core/error.ts";
import { cut } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { Answer, ReceivedRequest } from "./control/recording.ts";
import {
  bodyTooLong,
  dispatch,
  dispatchPublic,
  errorResponse,
  isPublicPath,
  isServicePath,
  refusal,
  unauthorized,
  type ServedRequest,
  type ServedResponse,
} from "./dispatch.ts";
import {
  bodyWithoutKey,
  closeGently,
  loggedPath,
  readBody,
  readHead,
  writeBody,
  writeHead,
  type BodySource,
  type Keys,
} from "./http.ts";
import {
  dispatchWithFaults,
  firstHalf,
  pause,
  sendSlowly,
  type createFaults,
} from "./inject-faults.ts";
import type { Failure, RequestLogEntry } from "./request-log.ts";

/** What a server reports. */
export interface Reports {
  /** A key that its owner has chosen: it may lack the form by which others are kept out of logs. */
  readonly givenKey?: string | undefined;
  /** Called after each response. @param problem why the database failed, in words */
  readonly served: (served: RequestLogEntry, problem?: string) => void;
  /** Whether log entries have the bodies (default: false). */
  readonly logsBodies?: boolean | undefined;
  /**
   * Called for each request but those for public endpoints, when it is complete or refused. What it
   * returns receives the response as soon as that is on its way.
   */
  readonly record?: ((request: ReceivedRequest) => (answer: Answer) => void) | undefined;
  /** Whether every read shows the last write: a standby may be behind (default: false). */
  readonly isCurrent?: boolean | undefined;
}

/** A running server: what it serves, and what it uses of its process. */
export interface ServerState extends Reports {
  readonly engine: Embedded;
  /** Whether creates may be tried first: see `createAtOnce`. */
  readonly canRemember: boolean;
  /** Approves new sender IDs before their responses are sent; undefined if they wait. */
  readonly approve: (() => Promise<void>) | undefined;
  /** Returns whether the rate limit allows another request of a key. */
  readonly allows: (key: string) => boolean;
  readonly faults: ReturnType<typeof createFaults>;
  /** Reports a bug, whose details are hidden from the client. */
  readonly defect: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Aborted when the server stops: connections are closed after their last response. */
  readonly stopping: AbortSignal;
  /** Resolves when a stopping server accepts no more connections. Responses wait for that. */
  readonly portClosed: Promise<unknown>;
  readonly createId: () => string;
}

/** A connection, on which requests may be pipelined. */
export interface Connection extends BodySource {
  /** Address of the client; undefined if it has disconnected already. */
  readonly address: string | undefined;
  /** Requests without a response so far. */
  pending: number;
  /** Whether no further request is queued. */
  isFull: boolean;
  /** Requests that came after it was full. */
  excess: number;
  /** Resolves when the last pending request is done. */
  last: Promise<void>;
  /** Whether further requests are ignored. */
  isEnding: boolean;
}

/**
 * Responds to one request and logs it:
 *
 * 1. server.ts has queued it behind the requests before it on its connection.
 * 2. `readHead` reads its key, its id and its framing, and `readBody` its body: http.ts.
 * 3. The key selects the service of an integration: src/engine/embedded.ts. Its rate limit and
 *    injected faults apply. On PostgreSQL, a create is tried before that: `createAtOnce`.
 * 4. `dispatch` finds the operation, parses the query and the body, and calls the service:
 *    dispatch.ts. The service validates them (src/engine/rules/) and calls the store:
 *    src/engine/engine.ts. On PostgreSQL, that is src/engine/postgres/records.ts.
 * 5. `send` sends the response. When it is sent, the request is logged: request-log.ts.
 */
export async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  server: ServerState,
): Promise<void> {
  const exchange = createExchange(request, response, connection, server);
  const { head, requestId, keys } = exchange;
  const end = response.destroyed
    ? undefined
    : new Promise<void>((resolve) => response.once("close", resolve));
  const sent = await respond(exchange);
  if (sent === undefined) return;
  await end;
  const { status, problem, ...rest } = sent;
  const entry: RequestLogEntry = {
    time: new Date().toISOString(),
    method: head.method,
    path: loggedPath(head.pathname, head.query, keys),
    status,
    ms: Math.round((server.elapsed() - exchange.startedAt) * 10) / 10,
    request_id: requestId,
    client: connection.address,
    operation: exchange.operation,
    key_id: exchange.caller === undefined ? undefined : Number(exchange.caller),
    ...rest,
  };
  server.served(entry, problem);
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
  const keys: Keys = [head.key, server.givenKey];
  return {
    request,
    response,
    connection,
    server,
    head,
    keys,
    /** Undefined if it matches none. */
    operation: "name" in head.routed ? head.routed.name : undefined,
    requestId: head.sentId ?? server.createId(),
    startedAt,
    /** Id of the key, once verified. */
    caller: undefined as string | undefined,
    /** Undefined until it has been read. */
    body: undefined as Uint8Array | undefined,
    /** Records the response, once the request is recorded. */
    recordAnswer: undefined as ((answer: Answer) => void) | undefined,
  };
}

/** The part of the log entry that is known once the response is sent. */
type Sent = Pick<RequestLogEntry, "status" | "fault" | "body" | "response"> &
  Partial<Failure> &
  Pick<ServedResponse, "problem">;

/**
 * Starts sending the response. Does not retain its text, because a client may read slowly.
 *
 * @returns undefined if nothing is sent, so that nothing is logged
 */
async function respond(exchange: Exchange): Promise<Sent | undefined> {
  const { response, server, keys } = exchange;
  let result: ServedResponse | undefined;
  try {
    result = await responseTo(exchange);
  } catch (error) {
    result = errorResponse(error, server.engine.refuse);
    if (result.failure?.cause === "defect") server.defect(error);
  }
  if (result === undefined) return undefined;
  recordRequest(exchange);
  const { appliedFault, failure, problem } = result;
  const fault = appliedFault?.text;
  const latency = appliedFault?.fault.latency;
  if (latency !== undefined) await pause(latency, response, server.stopping);
  if (server.stopping.aborted) await server.portClosed;
  // Disconnects are not logged unless an injected fault may be the cause, or a request failed.
  if (response.destroyed && appliedFault === undefined && failure === undefined) return undefined;
  const isSent = !response.destroyed && send(exchange, result);
  const status = isSent ? result.status : null;
  const text = isSent ? result.text : undefined;
  const milliseconds = server.elapsed() - exchange.startedAt;
  exchange.recordAnswer?.({ status, response: text, fault, milliseconds });
  const logged: Sent = { status, ...failure, fault, problem };
  if (server.logsBodies !== true) return logged;
  const body = Buffer.from(exchange.body ?? "").toString("utf8");
  return { ...logged, body: loggedBody(body, keys), response: loggedBody(text ?? "", keys) };
}

/** Maximum length of a body in a log entry, in characters. */
const maxLoggedBody = 8 * 1024;

/** Returns the text of a body as the log has it; undefined for an empty one. */
function loggedBody(text: string, keys: Keys): string | undefined {
  const body = bodyWithoutKey(text, keys);
  if (body === null) return undefined;
  return cut(typeof body === "string" ? body : JSON.stringify(body), maxLoggedBody);
}

/** Records a request, once. @param integration name of the one that its key selects */
function recordRequest(exchange: Exchange, integration?: string): void {
  const { server, head, request, keys, body, operation, requestId } = exchange;
  if (server.record === undefined || isPublicPath(head.pathname)) return;
  const { headers } = request;
  const time = Date.now();
  const received = { head, headers, body, keys, integration, operation, requestId, time };
  exchange.recordAnswer ??= server.record(received);
}

/** Returns the response of the service or a public endpoint; undefined on a disconnect. */
async function responseTo(exchange: Exchange): Promise<ServedResponse | undefined> {
  const { request, connection, server, head } = exchange;
  const { refuse } = server.engine;
  const { method, pathname, problem } = head;
  if (problem !== undefined) return refusal(refuse, 400, problem, { Connection: "close" });
  if (pathname === "/healthz" && server.stopping.aborted) {
    const refused = refusal(refuse, 503, "The service is shutting down", { "Retry-After": "1" });
    return { ...refused, failure: { cause: "stopping" } };
  }
  if (!isServicePath(pathname)) return dispatchPublic(method, pathname, server.engine);
  const body = await readBody(request, connection);
  if (body === "disconnected") return undefined;
  if (body === "too long") return bodyTooLong(refuse);
  exchange.body = body;
  const response = await serviceResponse(exchange, body);
  if (exchange.operation === "sender-id.create" && response.status < 300) await server.approve?.();
  return response;
}

/** Returns the response of the service to a complete request. */
async function serviceResponse(exchange: Exchange, body: Uint8Array): Promise<ServedResponse> {
  const { server, head } = exchange;
  const { refuse, callerOf } = server.engine;
  const { key, method, routed, query, contentType, encoding } = head;
  if (key === undefined) {
    return unauthorized(refuse, "Missing key: send Authorization: Bearer KEY");
  }
  const request = { method, routed, query, contentType, encoding, body };
  const created = await createAtOnce(exchange, key, request);
  if (created !== undefined) return created;
  const caller = await callerOf(key);
  exchange.caller = caller?.id;
  if (caller === undefined) return unauthorized(refuse, "Invalid key");
  recordRequest(exchange, caller.integration);
  if (!server.allows(caller.id)) {
    return refusal(refuse, 429, "Too many requests", { "Retry-After": "1" });
  }
  const faults = server.faults.of(caller.integration);
  return faults === undefined
    ? dispatch(caller.service, request, refuse)
    : dispatchWithFaults(faults, caller.service, request, refuse);
}

/** Handles a create by the remembered look-up, or returns undefined (see `rememberedCaller`). */
async function createAtOnce(
  exchange: Exchange,
  key: string,
  request: ServedRequest,
): Promise<ServedResponse | undefined> {
  const { operation, server } = exchange;
  const { engine, faults } = server;
  if (!server.canRemember) return undefined;
  if (operation !== "group.create" && operation !== "sender-id.create") return undefined;
  const caller = engine.rememberedCaller(key);
  if (caller === undefined || faults.of(caller.integration) !== undefined) return undefined;
  exchange.caller = caller.id;
  try {
    const response = await dispatch(caller.service, request, engine.refuse);
    return response.status < 300 ? response : undefined;
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "auth") return undefined;
    throw error;
  }
}

/** Milliseconds in which the rest of a body that was refused is read and ignored. */
const lingerTimeout = 5000;

/** Starts sending a response, unless its connection drops. @returns whether its status is sent */
function send(exchange: Exchange, result: ServedResponse): boolean {
  const { request, response, connection, server, head, requestId } = exchange;
  const { socket } = request;
  const fault = result.appliedFault?.fault;
  // Any response to an unknown outcome would claim that the request was carried out, or not.
  const drop = result.failure?.cause === "outcome_unknown" ? "after" : fault?.drop;
  const { stopping, isCurrent } = server;
  const close =
    // A client that pipelines gets the responses to all requests that it has sent.
    ((stopping.aborted || connection.isFull) && connection.pending === 1) ||
    result.headers?.["Connection"] === "close" ||
    drop !== undefined ||
    !request.complete ||
    !response.shouldKeepAlive;
  connection.isEnding = close;
  if (drop !== undefined && drop !== "during") {
    if (drop === "reset") socket.resetAndDestroy();
    else socket.destroy();
    return false;
  }
  writeHead(response, result, requestId, close, isCurrent);
  if (drop === "during") {
    response.write(firstHalf(result.text), () => socket.destroy());
    return true;
  }
  if (!request.complete) {
    // A client that sends its whole body first would otherwise get a reset instead.
    closeGently(socket, lingerTimeout);
    request.resume();
  }
  const isSlow = fault?.slow !== undefined && head.method !== "HEAD";
  if (isSlow) void sendSlowly(response, result.text, fault.slow, stopping);
  else writeBody(response, head.method, result.text);
  return true;
}
