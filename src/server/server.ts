import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { OperationName } from "../contract/operations.ts";
import type { Service } from "../contract/service.ts";
import {
  answer,
  answerOutside,
  isOfService,
  refusal,
  refuseLongBody,
  splitTarget,
  type Outside,
  type ServedAnswer,
} from "./answer.ts";
import { answerWithFaults, dropConnection, holdBack, type Faults } from "./fault.ts";
import { bearerKey, headerOf, readBody, withoutKeys } from "./read-request.ts";

/** Whoever a key belongs to. */
interface Caller {
  /** Of the key, not the key. */
  readonly id: string;
  readonly service: Service;
}

/** One request that was answered, or was left without an answer on purpose. */
export interface Served {
  readonly method: string;
  /** Without its query, and without any key in it. */
  readonly path: string;
  /** What follows the `?`, without any key in it; empty where there is nothing. */
  readonly query: string;
  /** Null where no answer left. */
  readonly status: number | null;
  /** From the first byte of the request to the last of the answer. */
  readonly milliseconds: number;
  /** Undefined where the request led to none. */
  readonly operation: OperationName | undefined;
  /** Id of the key; undefined where none was known. */
  readonly caller: string | undefined;
  /** What went wrong with it on purpose. */
  readonly fault: string | undefined;
}

export interface ServerOptions extends Outside {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Undefined for a key that nobody has: specification, part 5. Asked for every request. */
  readonly callerOf: (key: string) => Promise<Caller | undefined>;
  /** In how many seconds a caller may come again; undefined for now. */
  readonly rateLimit: ((caller: string) => number | undefined) | undefined;
  /** What goes wrong on purpose; undefined for nothing. */
  readonly faults: Faults | undefined;
  readonly served: (served: Served) => void;
  /** A defect: the client learns nothing of it. */
  readonly defect: (error: unknown) => void;
  /** What an error means, where it is no defect: a database that can't be used, or a key that is gone. */
  readonly meaningOf: (error: unknown) => "unavailable" | "unknown key" | undefined;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
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
  const connections = new Map<Socket, Connection>();
  const stopper = new AbortController();
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.check,
      // Node would answer in words of its own.
      requireHostHeader: false,
    },
    (request, response) => {
      const connection = connections.get(request.socket);
      if (connection === undefined) return;
      inTurn(connection, () => handle(request, response, connection, options, stopper.signal));
    },
  );
  server.on("connection", (socket) => {
    connections.set(socket, {
      pending: 0,
      last: Promise.resolve(),
      reading: undefined,
      isEnding: false,
    });
    socket.once("close", () => connections.delete(socket));
  });
  server.on(
    "checkExpectation",
    ({ method = "", socket }: IncomingMessage, response: ServerResponse) => {
      const connection = connections.get(socket);
      if (connection === undefined) return;
      inTurn(connection, async () => {
        connection.isEnding = true;
        write(response, method, refusal(417, "The expectation is not known"), true);
        await closed(response);
      });
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket as Socket);
    if (connection === undefined) socket.destroy();
    // The rest of a body that can't be read is waited for in vain.
    else if (connection.reading?.complete === false) refuseUnreadable(error, socket);
    else inTurn(connection, async () => refuseUnreadable(error, socket));
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

/** One connection, on which requests may come before the earlier ones are answered. */
interface Connection {
  /** Requests that are not answered yet. */
  pending: number;
  /** Fulfilled when the last of them is. */
  last: Promise<void>;
  /** The one whose body is waited for. */
  reading: IncomingMessage | undefined;
  /** Nothing that comes after is carried out. */
  isEnding: boolean;
}

/** Requests of one connection are carried out one after the other, as they came. */
function inTurn(connection: Connection, action: () => Promise<void>): void {
  connection.pending += 1;
  const run = async (): Promise<void> => {
    try {
      if (!connection.isEnding) await action();
    } finally {
      connection.pending -= 1;
    }
  };
  connection.last = connection.pending === 1 ? run() : connection.last.then(run);
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
  connection: Connection,
  options: ServerOptions,
  stopping: AbortSignal,
): Promise<void> {
  const begun = options.elapsed();
  const method = request.method ?? "";
  const target = request.url ?? "";
  const key = bearerKey(headerOf(request, "authorization"));
  const asked: Asked = { method, target, key, caller: undefined };
  let answered: ServedAnswer | undefined;
  try {
    answered = stopping.aborted
      ? refusal(503, "The service is shutting down", { "Retry-After": "1" })
      : await answerRequest(request, asked, connection, options);
  } catch (error) {
    answered = explain(error, options);
  }
  if (answered === undefined) return;
  const { latency, drop } = answered.met?.fault ?? {};
  if (latency !== undefined) await holdBack(latency, response, stopping);
  const isGone = response.destroyed;
  // Who went away saw nothing of it, unless a fault drove them to it.
  if (isGone && answered.met === undefined) return;
  if (!isGone) {
    const isAsked = answered.headers?.["Connection"] === "close";
    const isLast =
      stopping.aborted ||
      isAsked ||
      drop !== undefined ||
      !request.complete ||
      !response.shouldKeepAlive;
    connection.isEnding = isLast;
    if (drop === undefined) write(response, method, answered, isLast);
    else {
      const sendHead = (): void => writeHead(response, answered, true);
      dropConnection(request, response, drop, answered.text, sendHead);
    }
    await closed(response);
  }
  const [pathname, query] = splitTarget(target);
  options.served({
    method,
    path: withoutKeys(pathname, key),
    query: query === "" ? "" : withoutKeys(query, key),
    status: isGone || (drop !== undefined && drop !== "during") ? null : answered.status,
    milliseconds: options.elapsed() - begun,
    operation: answered.operation,
    caller: asked.caller,
    fault: answered.met?.text,
  });
}

/** Fulfilled when all is sent, or nobody is there any more. */
function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

interface Asked {
  readonly method: string;
  readonly target: string;
  readonly key: string | undefined;
  /** Id of the key, once it is known. */
  caller: string | undefined;
}

/** Undefined where there is nobody left to answer. */
async function answerRequest(
  request: IncomingMessage,
  asked: Asked,
  connection: Connection,
  options: ServerOptions,
): Promise<ServedAnswer | undefined> {
  const { method, target, key } = asked;
  const [pathname] = splitTarget(target);
  if (request.httpVersion === "1.1" && headerOf(request, "host") === undefined) {
    return refusal(400, "The Host header is missing", { Connection: "close" });
  }
  if (!isOfService(pathname)) return answerOutside(method, pathname, options);
  connection.reading = request;
  const body = await readBody(request);
  connection.reading = undefined;
  if (body === "gone") return undefined;
  if (body === "too long") return refuseLongBody();
  const contentType = headerOf(request, "content-type");
  const caller = key === undefined ? undefined : await options.callerOf(key);
  if (caller === undefined)
    return unauthorized(key === undefined ? "A key is missing" : unknownKey);
  asked.caller = caller.id;
  const wait = options.rateLimit?.(caller.id);
  if (wait !== undefined) return refusal(429, "Too many requests", { "Retry-After": String(wait) });
  const sent = { method, target, contentType, body };
  return options.faults === undefined
    ? answer(caller.service, sent)
    : answerWithFaults(options.faults, caller.service, sent);
}

const unknownKey = "The key is not known";

function unauthorized(message: string): ServedAnswer {
  return refusal(401, message, { "WWW-Authenticate": "Bearer" });
}

function explain(error: unknown, options: ServerOptions): ServedAnswer {
  const meaning = options.meaningOf(error);
  if (meaning === "unknown key") return unauthorized(unknownKey);
  if (meaning === "unavailable") {
    return refusal(503, "The database can't be used just now", { "Retry-After": "1" });
  }
  options.defect(error);
  return refusal(500, "Something went wrong in the service");
}

/** @param close whether the connection ends with this answer */
function write(
  response: ServerResponse,
  method: string,
  answered: ServedAnswer,
  close: boolean,
): void {
  writeHead(response, answered, close);
  response.end(method === "HEAD" ? undefined : answered.text);
}

const closing = { Connection: "close" };

function writeHead(
  response: ServerResponse,
  { status, text, headers }: ServedAnswer,
  close: boolean,
): void {
  if (status === 204) response.writeHead(status, { ...headers, ...(close ? closing : {}) });
  else {
    const own = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    const isPlain = headers === undefined && !close;
    response.writeHead(status, isPlain ? own : { ...own, ...headers, ...(close ? closing : {}) });
  }
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
