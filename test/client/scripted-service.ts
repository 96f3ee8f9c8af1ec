import { createServer, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** A request as received. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Request line and headers. */
  readonly head: string;
  readonly body: string;
}

/** A script's controls over one request. */
export interface Conversation {
  /** Number of earlier requests. */
  readonly index: number;
  /** Sends a well-formed response; a body that is not text is sent as JSON. */
  readonly respond: (
    status: number,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => void;
  /** Sends raw bytes and keeps the connection open. */
  readonly raw: (bytes: string | Uint8Array) => void;
  /** Sends raw bytes and ends the connection. */
  readonly end: (bytes: string | Uint8Array) => void;
  readonly hangUp: () => void;
  readonly socket: Socket;
}

export type Script = (received: Received, conversation: Conversation) => void;

export interface ScriptedService {
  readonly port: number;
  readonly baseUrl: string;
  readonly received: readonly Received[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Starts a service on localhost that responds byte for byte as scripted, and records its requests. Node's HTTP
 * server is too well-behaved for most scripts.
 *
 * @param greet handles a new connection before anything is read; returns true if nothing should be read from it
 * @param tls the certificate of an HTTPS service
 */
export async function startService(
  script: Script,
  greet: (socket: Socket) => boolean = () => false,
  tls?: TlsOptions,
): Promise<ScriptedService> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const connected = (socket: Socket): void => {
    connections += 1;
    // The client may hang up at any time.
    socket.on("error", () => {});
    if (greet(socket)) return;
    readRequests(socket, (request) => {
      const index = received.push(request) - 1;
      script(request, conversationOn(socket, index, request.method));
    });
  };
  const server = tls === undefined ? createServer(connected) : createTlsServer(tls, connected);
  // Includes connections whose TLS handshake has not ended.
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Reads the requests of one connection in order, with bodies by Content-Length. */
function readRequests(socket: Socket, onRequest: (request: Received) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const headEnd = bytes.indexOf("\r\n\r\n");
      if (headEnd < 0) return;
      const head = bytes.subarray(0, headEnd).toString("latin1");
      const request = readHead(head);
      const bodyEnd = headEnd + 4 + Number(request.headers["content-length"] ?? 0);
      if (bytes.length < bodyEnd) return;
      const body = bytes.subarray(headEnd + 4, bodyEnd).toString("utf8");
      bytes = bytes.subarray(bodyEnd);
      onRequest({ ...request, body });
    }
  });
}

function readHead(head: string): Omit<Received, "body"> {
  const [requestLine = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = requestLine.split(" ");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { method, target, headers, head };
}

function conversationOn(socket: Socket, index: number, method: string): Conversation {
  return {
    index,
    socket,
    respond: (status, body = "", headers = {}) => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const hasBody = status !== 204 && method !== "HEAD";
      const lines = [
        `HTTP/1.1 ${status} Scripted`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        ...(hasBody ? [`Content-Length: ${Buffer.byteLength(text)}`] : []),
      ];
      const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
      // One write, because a second one would wait until the first is acknowledged.
      socket.write(Buffer.concat([head, Buffer.from(hasBody ? text : "")]));
    },
    raw: (bytes) => void socket.write(bytes),
    end: (bytes) => void socket.end(bytes),
    hangUp: () => void socket.destroy(),
  };
}
