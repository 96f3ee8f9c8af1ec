import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createBufferedBytes, maxUnread } from "../limits.ts";
import { errorResponse, refuseUnreadable, write } from "../respond.ts";
import { refusal, type ServedResponse } from "../dispatch.ts";
import { createIds, readHead, type RequestHead } from "../request.ts";
import { listen } from "../server.ts";
import { dispatchPublic, healthEndpoints, type PublicEndpoints } from "../public-endpoints.ts";

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

export interface AdminServer {
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
  const createId = createIds();
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

  async function respond(head: RequestHead): Promise<ServedResponse> {
    const { method, pathname, problem } = head;
    if (problem !== undefined) return refusal(refuse, 400, problem);
    try {
      return await dispatchPublic(method, pathname, endpoints, isDraining(), served);
    } catch (error) {
      const response = errorResponse(error, refuse);
      if (response.failure?.cause === "defect") defect(error);
      return response;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    // Pipelined requests would wait in memory for the first response, after which the connection is closed.
    if (used.has(socket)) return void socket.pause();
    used.add(socket);
    const head = readHead(request);
    const result = await respond(head);
    const { method, sentId: requestId = createId() } = head;
    if (!response.destroyed) write(response, method, result, { requestId, close: true }, unread);
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
  server.on("clientError", (error, socket) => refuseUnreadable(refuse, createId(), error, socket));
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
