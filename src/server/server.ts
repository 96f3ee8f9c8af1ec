import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { Server as NetServer, type AddressInfo, type Socket } from "node:net";
import { refusal } from "./dispatch.ts";
import {
  createBufferedBytes,
  createQueues,
  maxBodies,
  maxUnread,
  newConnection,
  type Connection,
} from "./limits.ts";
import type { ListenOptions, ServerOptions, ServerState } from "./exchange.ts";
import { handle } from "./handle.ts";
import { createIds, isTooLong, plainAddress, readHead } from "./request.ts";
import { closed, closeGently, refuseUnreadable, write } from "./respond.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { SendctlError } from "../core/error.ts";
import { inNextTurn } from "../core/time.ts";

/** Limits; times are in milliseconds. */
const limits = {
  headerBytes: 16 * 1024,
  /** An idle connection costs about 10 KiB. */
  connections: 4000,
  headers: 10_000,
  request: 20_000,
  check: 1_000,
  /** For an idle connection: more than the 60 s after which common load balancers close one, so that they do it first. */
  keepAlive: 65_000,
  /** The same when more than half of all connections are open. */
  keepAliveCrowded: 5_000,
  /**
   * For clients that are connecting when the server stops. Those that wait for a response until the port is closed cannot
   * begin another connection, which the system would reset if it was not accepted by then.
   */
  settle: 50,
  /** For requests that arrive on open connections when the server stops. */
  grace: 1_000,
  /** For requests in progress when the server stops. */
  stop: 10_000,
} as const;

/** Milliseconds for a client to close a connection whose last response it has. */
const closeTimeout = 500;

/** Queues an action of a connection, unless that is closed or closing. */
type Enqueue = (socket: Socket, action: (connection: Connection) => Promise<void>) => void;

/** The open connections, and what a stop has done with them. */
interface Connections {
  readonly open: Map<Socket, Connection>;
  /** Whether a stop no longer waits for further requests. */
  isGraceOver: boolean;
  isAborted: boolean;
}

/**
 * Starts an HTTP server.
 *
 * @throws SendctlError "usage" if the address cannot be used
 */
export async function startServer(options: ServerOptions) {
  const connections: Connections = { open: new Map(), isGraceOver: false, isAborted: false };
  const enqueue = createEnqueue(connections);
  const stopper = new AbortController();
  const portClosing = new AbortController();
  const state: ServerState = {
    ...options,
    stopping: stopper.signal,
    portClosed: once(portClosing.signal, "abort"),
    inFlight: 0,
    bodies: createBufferedBytes(maxBodies),
    unread: createBufferedBytes(maxUnread),
    createId: createIds(),
  };
  const listener: RequestListener = (request, response) => {
    enqueue(request.socket, (connection) => handle(request, response, connection, state));
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(httpOptions, listener)
      : (await import("node:https")).createServer({ ...httpOptions, ...secure, ...tls }, listener);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (!isTooLong(request)) response.writeContinue();
    listener(request, response);
  });
  server.maxConnections = limits.connections;
  // Their size is limited instead. Node would drop headers beyond 2000, even Content-Length.
  server.maxHeadersCount = 0;
  noteConnections(server, connections.open, tls !== undefined);
  refuseUnusual(server, connections.open, enqueue, state);
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    /**
     * Accepts no more connections, and carries out the requests in progress and those that arrive on open connections
     * within a second. Resolves when all connections are closed.
     */
    stop: async (): Promise<void> => {
      stopper.abort();
      await stop(server, connections, () => portClosing.abort());
    },
    /** Closes all connections at once, and ends `stop`. */
    abort: (): void => {
      connections.isAborted = true;
      destroyAll(connections.open);
    },
  };
}

const secure = { minVersion: "TLSv1.2", handshakeTimeout: limits.headers } as const;

const httpOptions = {
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.headers,
  requestTimeout: limits.request,
  keepAliveTimeout: limits.keepAlive,
  connectionsCheckingInterval: limits.check,
  // Node's own response has no envelope.
  requireHostHeader: false,
  // NODE_OPTIONS could allow malformed requests that a proxy and this server delimit differently.
  insecureHTTPParser: false,
};

/** Returns what queues actions. A connection with too many queued is closed, and its remaining requests are ignored. */
function createEnqueue(connections: Connections): Enqueue {
  const queue = createQueues();
  return (socket, action) => {
    const connection = connections.open.get(socket);
    if (connection === undefined) return;
    // The last response is one to a request that is queued already.
    if (connections.isGraceOver && connection.pending > 0) return;
    if (queue(connection, () => action(connection))) return;
    connection.isEnding = true;
    socket.destroy();
  };
}

/** Notes each connection until it is closed. */
function noteConnections(server: Server, open: Map<Socket, Connection>, isSecure: boolean): void {
  const { keepAliveTimeout } = server;
  // Requests come on the encrypted connection. It is the only one to be noted: the handshake has a timeout.
  const event = isSecure ? "secureConnection" : "connection";
  server.on(event, (socket: Socket) => {
    open.set(socket, newConnection(plainAddress(socket.remoteAddress)));
    socket.once("close", () => open.delete(socket));
    // Node reads it after each response.
    const isCrowded = open.size > limits.connections / 2;
    server.keepAliveTimeout = isCrowded ? limits.keepAliveCrowded : keepAliveTimeout;
  });
}

/** Refuses requests with an Expect header, and what is not HTTP. */
function refuseUnusual(
  server: Server,
  open: ReadonlyMap<Socket, Connection>,
  enqueue: Enqueue,
  state: ServerState,
): void {
  const { refuse } = state;
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    enqueue(request.socket, async (connection) => {
      connection.isEnding = true;
      const { method, sentId: requestId = state.createId() } = readHead(request);
      const refused = { ...refusal(refuse, 417, "Unsupported Expect header"), status: 417 };
      write(response, method, refused, { requestId, close: true }, state.unread);
      await closed(response);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const connection = open.get(socket);
    const respond = (): void => refuseUnreadable(refuse, state.createId(), error, socket);
    if (connection !== undefined) connection.isBroken = true;
    if (connection === undefined) socket.destroy();
    // The rest of the body will never arrive, so the request being read cannot finish.
    else if (connection.reading?.complete === false) respond();
    else enqueue(socket, async () => respond());
  });
}

/** Closes a server: see `stop` of `startServer`. @param portClosed called once no more connections are accepted */
async function stop(
  server: Server,
  connections: Connections,
  portClosed: () => void,
): Promise<void> {
  const { open } = connections;
  const timer = setTimeout(() => destroyAll(open), limits.stop);
  if (open.size > 0 && !connections.isAborted) await sleep(limits.settle);
  await untilNoneAccepted(server);
  for (const socket of open.keys()) closeGently(socket, closeTimeout);
  const ended = closeListener(server);
  portClosed();
  const grace = setTimeout(() => {
    connections.isGraceOver = true;
    server.closeIdleConnections();
    // Node does not treat connections without any request as idle.
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }, limits.grace);
  if (connections.isAborted) destroyAll(open);
  await ended;
  clearTimeout(timer);
  clearTimeout(grace);
}

function destroyAll(open: ReadonlyMap<Socket, Connection>): void {
  for (const socket of open.keys()) socket.destroy();
}

/** Turns of the event loop to wait for one without a new connection, of which others may always open some. */
const maxTurns = 1000;

/** Resolves at the end of a turn of the event loop in which no connection was accepted. */
async function untilNoneAccepted(server: Server): Promise<void> {
  let hasAccepted = true;
  const accepted = (): void => void (hasAccepted = true);
  server.on("connection", accepted);
  for (let turns = 0; hasAccepted && turns < maxTurns; turns += 1) {
    hasAccepted = false;
    await new Promise<void>(inNextTurn);
  }
  server.removeListener("connection", accepted);
}

/**
 * Closes the port, and resolves when all connections are closed. `server.close` would begin with the idle ones, on which a
 * request may be on its way.
 */
function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      server.close(() => {});
      resolve();
    });
  });
}

/**
 * Listens on an address.
 *
 * @throws SendctlError "usage" if it cannot be used
 */
export function listen(server: Server, address: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(portFailure(error, address));
    server.once("error", fail);
    server.listen(address.port, address.host, () => {
      server.removeListener("error", fail);
      resolve();
    });
  });
}

type Address = Pick<ListenOptions, "host" | "port">;

/**
 * Converts the system's error for an address that cannot be used to a SendctlError "usage", or "unavailable" for a port
 * that another program has.
 */
function portFailure(error: NodeJS.ErrnoException, { host, port }: Address): Error {
  const otherHost = ["pass another host with --host", "--host"];
  const noAddress = [`could not resolve host ${host}`, ...otherHost];
  const free = "pass another port with --port, or 0 for any free port";
  const unprivileged = "pass a port above 1023 with --port";
  const meanings: Readonly<Record<string, readonly string[]>> = {
    EADDRINUSE: [`port ${port} of ${host} is in use`, free, "--port"],
    EACCES: [`permission denied for port ${port}`, unprivileged, "--port"],
    EADDRNOTAVAIL: [`${host} is not an address of this machine`, ...otherHost],
    EAI_AGAIN: noAddress,
    EINVAL: noAddress,
    ENOTFOUND: noAddress,
  };
  const [message, hint, field] = meanings[error.code ?? ""] ?? [];
  if (message === undefined) return error;
  const kind = error.code === "EADDRINUSE" ? "unavailable" : "usage";
  return new SendctlError(kind, message, { hint, field, cause: error });
}
