import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { refusal } from "./dispatch.ts";
import { enqueueRequest, newConnection, type Backlog, type Connection } from "./connection.ts";
import { handle, type Work } from "./handle.ts";
import { createHeldBytes, maxBodies, maxUnread } from "./held-bytes.ts";
import { closed, refuseUnreadable, write } from "./respond.ts";
import type { ServerOptions } from "./server-options.ts";

export interface RunningServer {
  readonly port: number;
  /** Answers what has begun, refuses what comes later, and is fulfilled when all is done. */
  readonly stop: () => Promise<void>;
}

/** Milliseconds, unless said otherwise. */
const limits = {
  headerBytes: 16 * 1024,
  /** An idle one costs about 10 KiB. */
  connections: 4000,
  headers: 10_000,
  request: 20_000,
  keepAlive: 5_000,
  check: 1_000,
  /** For what has begun when the server is stopped. */
  stop: 10_000,
} as const;

/**
 * Services behind HTTP.
 *
 * @throws the error of the system when the address can't be taken
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const connections = new Map<Socket, Connection>();
  const stopper = new AbortController();
  const work: Work = {
    stopping: stopper.signal,
    underWay: 0,
    bodies: createHeldBytes(maxBodies),
    unread: createHeldBytes(maxUnread),
  };
  const backlog: Backlog = { waiting: 0 };
  /** A connection with too much waiting is closed, and nothing more of it is carried out. */
  const enqueue = (socket: Socket, action: (connection: Connection) => Promise<void>): void => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (enqueueRequest(connection, backlog, () => action(connection))) return;
    connection.isEnding = true;
    socket.destroy();
  };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.check,
      // Node would answer in words of its own.
      requireHostHeader: false,
      // NODE_OPTIONS could allow requests that a proxy and this server divide differently.
      insecureHTTPParser: false,
    },
    (request, response) => {
      enqueue(request.socket, (connection) => handle(request, response, connection, options, work));
    },
  );
  server.maxConnections = limits.connections;
  // Their bytes are limited. Beyond 2000 headers Node would drop the rest, be it the length of the body.
  server.maxHeadersCount = 0;
  server.on("connection", (socket) => {
    connections.set(socket, newConnection());
    socket.once("close", () => connections.delete(socket));
  });
  server.on(
    "checkExpectation",
    ({ method = "", socket }: IncomingMessage, response: ServerResponse) => {
      enqueue(socket, async (connection) => {
        connection.isEnding = true;
        write(response, method, refusal(417, "The expectation is not known"), true, work.unread);
        await closed(response);
      });
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket as Socket);
    if (connection !== undefined) connection.isBroken = true;
    if (connection === undefined) socket.destroy();
    // The rest of a body that can't be read is waited for in vain.
    else if (connection.reading?.complete === false) refuseUnreadable(error, socket);
    else enqueue(socket as Socket, async () => refuseUnreadable(error, socket));
  });
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      stopper.abort();
      return new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), limits.stop);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
        // Node does not count those as idle on which nothing has come yet.
        for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
      });
    },
  };
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}
