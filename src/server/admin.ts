import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createBufferedBytes, maxUnread } from "./limits.ts";
import { createRequestIds, framingProblem } from "./request.ts";
import { errorResponse, refuseUnreadable, write } from "./respond.ts";
import { refusal, splitTarget, type ServedResponse } from "./dispatch.ts";
import { listen } from "./server.ts";
import { dispatchPublic, healthEndpoints, type PublicEndpoints } from "./public-endpoints.ts";

interface AdminOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly endpoints: PublicEndpoints;
  /** Whether the main server drains. */
  readonly isDraining: () => boolean;
  readonly metrics: { readonly contentType: string; readonly text: () => string };
  /** Reports a bug, whose details are hidden from the client. */
  readonly defect: (error: unknown) => void;
}

interface AdminServer {
  readonly port: number;
  /** Closes all connections at once. */
  readonly stop: () => Promise<void>;
}

/** Limits for the few clients of this listener; times are in milliseconds. */
const limits = { headerBytes: 8 * 1024, connections: 50, request: 5_000, check: 1_000 } as const;

/**
 * Starts the listener for operators: health checks and metrics. It reads no bodies, and serves one request on a
 * connection; what follows it is neither read nor answered.
 *
 * @throws the system's error if the address cannot be used
 */
export async function startAdminServer(options: AdminOptions): Promise<AdminServer> {
  const { endpoints, isDraining, metrics, defect } = options;
  const { refuse } = endpoints;
  const unread = createBufferedBytes(maxUnread);
  const requestIds = createRequestIds();
  /** Connections that have sent a request. */
  const used = new WeakSet<Socket>();
  const served: typeof healthEndpoints = {
    ...healthEndpoints,
    "/metrics": () => ({
      status: 200,
      text: metrics.text(),
      headers: { "Content-Type": metrics.contentType },
    }),
  };

  async function respond(request: IncomingMessage): Promise<ServedResponse | undefined> {
    const { method = "", url = "" } = request;
    const problem = framingProblem(request);
    if (problem !== undefined) return refusal(refuse, 400, problem);
    try {
      return await dispatchPublic(method, splitTarget(url)[0], endpoints, isDraining(), served);
    } catch (error) {
      const { response, failure } = errorResponse(error, refuse);
      if (failure?.cause === "defect") defect(error);
      return response;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method = "" } = request;
    // Pipelined requests would wait in memory for the first response, after which the connection is closed.
    if (used.has(socket)) return void socket.pause();
    used.add(socket);
    const result = await respond(request);
    const head = { requestId: requestIds.of(request), close: true };
    if (result === undefined) socket.destroy();
    else if (!response.destroyed) write(response, method, result, head, unread);
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.request,
      requestTimeout: limits.request,
      connectionsCheckingInterval: limits.check,
      requireHostHeader: false,
      insecureHTTPParser: false,
    },
    (request, response) => void handle(request, response),
  );
  server.maxConnections = limits.connections;
  server.on("clientError", (error, socket) =>
    refuseUnreadable(refuse, requestIds.create(), error, socket),
  );
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
