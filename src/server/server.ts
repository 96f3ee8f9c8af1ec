import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tls } from "../core/certificate.ts";
import { SendctlError } from "../core/error.ts";
import { inNextTurn } from "../core/time.ts";
import { handle, type Connection, type ServerState } from "./handle.ts";
import { closeGently, createIds, lengthOf, maxBodyBytes, refuseUnreadable } from "./http.ts";

/** Limits; times are in milliseconds. */
const limits = {
  /** An idle connection costs about 10 KiB. */
  connections: 4000,
  /** Requests pending on one connection. The response to the next one closes it. */
  pending: 100,
  /** Requests after that one, none of which is carried out. A client that sends more is cut off. */
  excess: 1000,
  headers: 10_000,
  /**
   * For clients connecting when the server stops. Those that wait for a response until the port is
   * closed cannot begin another connection, which the system would reset if it was not accepted.
   */
  settle: 50,
  /** For requests that arrive on open connections when the server stops. */
  grace: 1_000,
  /** For requests in progress when the server stops. */
  stop: 10_000,
  /** For a client to close a connection whose last response it has. */
  close: 500,
} as const;

const httpOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: limits.headers,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1_000,
  // More than the 60 s of common load balancers, so that they close an idle connection first.
  keepAliveTimeout: 65_000,
  // Node's own response has no envelope.
  requireHostHeader: false,
  // NODE_OPTIONS could allow malformed requests that a proxy and this server delimit differently.
  insecureHTTPParser: false,
};

const tlsOptions = {
  ...httpOptions,
  minVersion: "TLSv1.2",
  handshakeTimeout: limits.headers,
} as const;

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The certificate for HTTPS (default: HTTP). */
  readonly tls?: Tls | undefined;
}

type Action = (connection: Connection) => Promise<void>;

async function run(connection: Connection, action: Action): Promise<void> {
  if (!connection.isEnding) await action(connection);
  connection.pending -= 1;
}

/** The open connections of a server. The requests of one are handled one by one, in order. */
type Connections = ReturnType<typeof createConnections>;

function createConnections() {
  const open = new Map<Socket, Connection>();
  const connections = {
    open,
    /** Number of connections so far. */
    accepted: 0,
    /** Whether a stop no longer waits for further requests. */
    isGraceOver: false,
    isAborted: false,
    /**
     * Queues an action of a connection, unless that is closed or closing. node:http goes on reading
     * requests while earlier ones are being handled.
     */
    enqueue: (socket: Socket, action: Action): void => {
      const connection = open.get(socket);
      if (connection === undefined) return;
      // The last response is one to a request that is queued already.
      if (connections.isGraceOver && connection.pending > 0) return;
      if (connection.isFull) {
        connection.excess += 1;
        if (connection.excess <= limits.excess) return;
        connection.isEnding = true;
        return void socket.destroy();
      }
      const isFirst = connection.pending === 0;
      connection.pending += 1;
      connection.isFull = connection.pending > limits.pending;
      connection.last = isFirst
        ? run(connection, action)
        : connection.last.then(() => run(connection, action));
    },
    destroyAll: (): void => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
  return connections;
}

/**
 * Starts an HTTP server.
 *
 * @throws SendctlError "usage" if the address cannot be used
 */
export async function startServer(
  served: Omit<ServerState, "stopping" | "portClosed" | "createId">,
  options: ListenOptions,
) {
  const connections = createConnections();
  const stopper = new AbortController();
  const portClosing = new AbortController();
  const state: ServerState = {
    ...served,
    stopping: stopper.signal,
    portClosed: once(portClosing.signal, "abort"),
    createId: createIds(),
  };
  const server = await createHttpServer(connections, state, options.tls);
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    /**
     * Accepts no more connections, and carries out the requests in progress and those that arrive
     * on open connections within a second. Resolves when all connections are closed.
     */
    stop: async (): Promise<void> => {
      stopper.abort();
      await stop(server, connections, () => portClosing.abort());
    },
    /** Closes all connections at once, and ends `stop`. */
    abort: (): void => {
      connections.isAborted = true;
      connections.destroyAll();
    },
  };
}

async function createHttpServer(
  connections: Connections,
  state: ServerState,
  tls: Tls | undefined,
): Promise<Server> {
  const { open, enqueue } = connections;
  const listener: RequestListener = (request, response) => {
    enqueue(request.socket, (connection) => handle(request, response, connection, state));
  };
  const server =
    tls === undefined
      ? createServer(httpOptions, listener)
      : (await import("node:https")).createServer({ ...tlsOptions, ...tls }, listener);
  server.maxConnections = limits.connections;
  // Their size is limited instead. Node would drop headers beyond 2000, even Content-Length.
  server.maxHeadersCount = 0;
  // A client that closes its sending side gets the responses to all that it has sent.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", () => void (connections.accepted += 1));
  // Requests come on the encrypted connection. Only that is noted: the handshake has a timeout.
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    open.set(socket, {
      address: socket.remoteAddress,
      pending: 0,
      isFull: false,
      excess: 0,
      last: Promise.resolve(),
      isBroken: false,
      isEnding: false,
      abandonBody: undefined,
    });
    socket.once("close", () => open.delete(socket));
    socket.allowHalfOpen = true;
  });
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (lengthOf(request) <= maxBodyBytes) response.writeContinue();
    listener(request, response);
  });
  server.on("checkExpectation", listener);
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const connection = open.get(socket);
    if (connection !== undefined) {
      connection.isBroken = true;
      connection.abandonBody?.();
    }
    enqueue(socket, async () =>
      refuseUnreadable(state.engine.refuse, state.createId(), error, socket),
    );
    // Its handshake has failed.
    if (connection === undefined) socket.destroy();
  });
  return server;
}

/** Closes a server: `stop` of `startServer`. @param portClosed called when it accepts no more */
async function stop(
  server: Server,
  connections: Connections,
  portClosed: () => void,
): Promise<void> {
  const { open, destroyAll } = connections;
  const timer = setTimeout(destroyAll, limits.stop);
  if (open.size > 0 && !connections.isAborted) await sleep(limits.settle);
  // The system resets connected clients that were not accepted: each turn accepts one.
  for (let turns = 0, before = -1; before !== connections.accepted && turns < 1000; turns += 1) {
    before = connections.accepted;
    await new Promise<void>(inNextTurn);
  }
  for (const socket of open.keys()) closeGently(socket, limits.close);
  const endIdle = server.closeIdleConnections.bind(server);
  // `close` would begin with the idle connections, on which a request may be on its way.
  server.closeIdleConnections = () => {};
  const ended = new Promise<void>((resolve) => void server.close(() => resolve()));
  portClosed();
  const grace = setTimeout(() => {
    connections.isGraceOver = true;
    endIdle();
    // Node does not treat connections without any request as idle.
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }, limits.grace);
  if (connections.isAborted) destroyAll();
  await ended;
  clearTimeout(timer);
  clearTimeout(grace);
}

/**
 * Listens on an address.
 *
 * @throws SendctlError "usage" if it is unusable; "unavailable" for a port of another program
 */
export async function listen(server: Server, { host, port }: ListenOptions): Promise<void> {
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    const unknown = `could not resolve host ${host}`;
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is in use`,
      EACCES: `permission denied for port ${port}`,
      EADDRNOTAVAIL: `${host} is not an address of this machine`,
      EAI_AGAIN: unknown,
      EINVAL: unknown,
      ENOTFOUND: unknown,
    };
    const { code = "" } = error as NodeJS.ErrnoException;
    const message = messages[code];
    if (message === undefined) throw error;
    const isInUse = code === "EADDRINUSE";
    const field = isInUse || code === "EACCES" ? "--port" : "--host";
    const other = isInUse
      ? "port with --port, or 0 for any free port"
      : "port above 1023 with --port";
    const hint = `pass another ${field === "--port" ? other : "host with --host"}`;
    throw new SendctlError(isInUse ? "unavailable" : "usage", message, {
      hint,
      field,
      cause: error,
    });
  }
}
