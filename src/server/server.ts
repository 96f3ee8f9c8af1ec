import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Service } from "../contract/service.ts";
import { answer, refusal, splitTarget, type ServedAnswer } from "./answer.ts";
import { bearerKey, readBody } from "./read-request.ts";

/** Whoever a key belongs to. */
export interface Caller {
  /** Of the key, not the key. */
  readonly id: string;
  readonly service: Service;
}

/** One request that was answered. */
export interface Served {
  readonly method: string;
  /** Without its query, and without any key in it. */
  readonly path: string;
  readonly status: number;
  /** From the first byte of the request to the last of the answer. */
  readonly milliseconds: number;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Undefined for a key that nobody has: specification, part 5. Asked for every request. */
  readonly callerOf: (key: string) => Promise<Caller | undefined>;
  /** Rejected when the database can't be used. */
  readonly checkHealth: () => Promise<void>;
  /** In how many seconds a caller may come again; undefined for now. */
  readonly rateLimit: ((caller: string) => number | undefined) | undefined;
  readonly openApi: () => Promise<string>;
  readonly served: (served: Served) => void;
  /** A defect: the client learns nothing of it. */
  readonly defect: (error: unknown) => void;
  /** True for what a locked or unusable database throws. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Milliseconds, rising. */
  readonly now: () => number;
}

export interface RunningServer {
  readonly port: number;
  /** Answers what has begun, refuses what comes later, and is fulfilled when all is done. */
  readonly stop: () => Promise<void>;
}

/** Milliseconds, unless said otherwise. */
const limits = {
  headerBytes: 16 * 1024,
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
  let isStopping = false;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.check,
    },
    (request, response) => {
      void handle(request, response, options, () => isStopping);
    },
  );
  server.on("clientError", refuseUnreadable);
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      isStopping = true;
      return new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), limits.stop);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
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

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServerOptions,
  isStopping: () => boolean,
): Promise<void> {
  const begun = options.now();
  const method = request.method ?? "";
  const target = request.url ?? "";
  const key = bearerKey(request.headers.authorization);
  let answered: ServedAnswer;
  try {
    answered = isStopping()
      ? refusal(503, "The service is shutting down", { "Retry-After": "1" })
      : await answerRequest(request, { method, target, key }, options);
  } catch (error) {
    answered = explain(error, options);
  }
  if (request.destroyed && !request.complete) return;
  write(response, method, answered, isStopping() || !request.complete);
  response.once("close", () => {
    const [pathname] = splitTarget(target);
    options.served({
      method,
      path: key === undefined ? pathname : pathname.replaceAll(key, "…"),
      status: answered.status,
      milliseconds: options.now() - begun,
    });
  });
}

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly key: string | undefined;
}

async function answerRequest(
  request: IncomingMessage,
  { method, target, key }: Asked,
  options: ServerOptions,
): Promise<ServedAnswer> {
  const [pathname] = splitTarget(target);
  if (!pathname.startsWith("/v1/")) return answerOutside(method, pathname, options);
  const body = await readBody(request);
  if (body === "too long") return refusal(413, "The body is longer than 64 KiB");
  const contentType = request.headers["content-type"];
  const caller = key === undefined ? undefined : await options.callerOf(key);
  if (caller === undefined) {
    const message = key === undefined ? "A key is missing" : "The key is not known";
    return refusal(401, message, { "WWW-Authenticate": "Bearer" });
  }
  const wait = options.rateLimit?.(caller.id);
  if (wait !== undefined) return refusal(429, "Too many requests", { "Retry-After": String(wait) });
  return answer(caller.service, { method, target, contentType, body });
}

/** What needs no key: ruling 26. */
async function answerOutside(
  method: string,
  pathname: string,
  options: ServerOptions,
): Promise<ServedAnswer> {
  const known = ["/healthz", "/openapi.json"].includes(pathname);
  if (!known) return refusal(404, "There is no such path");
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method !== "GET" && method !== "HEAD") {
    return refusal(405, `The path does not take ${method}`, headers);
  }
  if (pathname === "/openapi.json") return { status: 200, text: await options.openApi() };
  await options.checkHealth();
  return { status: 200, text: JSON.stringify({ status: true, message: "Healthy", data: null }) };
}

function explain(error: unknown, options: ServerOptions): ServedAnswer {
  if (options.isUnavailable(error)) {
    return refusal(503, "The database can't be used just now", { "Retry-After": "1" });
  }
  options.defect(error);
  return refusal(500, "Something went wrong in the service");
}

/** @param close whether the connection ends with this answer */
function write(
  response: ServerResponse,
  method: string,
  { status, text, headers }: ServedAnswer,
  close: boolean,
): void {
  const hasBody = status !== 204;
  response.writeHead(status, {
    ...headers,
    ...(hasBody ? { "Content-Type": "application/json" } : {}),
    ...(hasBody ? { "Content-Length": Buffer.byteLength(text) } : {}),
    ...(close ? { Connection: "close" } : {}),
  });
  response.end(method === "HEAD" ? undefined : text);
}

/** What can't be read as HTTP, is too long, or comes too slowly. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const statuses: Readonly<Record<string, number>> = {
    HPE_HEADER_OVERFLOW: 431,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  };
  const status = statuses[error.code ?? ""] ?? 400;
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { text } = refusal(status, STATUS_CODES[status] ?? "Bad Request");
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}
