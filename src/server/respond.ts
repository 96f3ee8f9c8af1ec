import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Refuse } from "../engine/rules/replies.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";
import { requestIdHeader } from "./request.ts";
import type { BufferedBytes } from "./limits.ts";
import { SendctlError } from "../core/error.ts";
import type { Failure } from "./request-log.ts";

/** Resolves when the response is sent, or the client has disconnected. */
export function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

/** What the head of a response has besides the response itself. */
interface Head {
  readonly requestId: string;
  /** Whether to close the connection after the response. */
  readonly close: boolean;
}

/** Length from which a text is converted to bytes, in characters. Shorter texts are faster to send as strings. */
const longText = 16 * 1024;

/** Time for a client to read a response, in milliseconds. */
const readTimeout = 20_000;

/**
 * Sends a response. The client is disconnected if it does not read it in time, or if too much is unread over all
 * connections.
 */
export function write(
  response: ServerResponse,
  method: string,
  served: ServedResponse,
  head: Head,
  buffered: BufferedBytes,
): void {
  writeHead(response, served, head);
  if (method === "HEAD") response.end();
  // A Buffer is not copied while it is sent; a long string would be.
  else response.end(served.text.length > longText ? Buffer.from(served.text) : served.text);
  // Usually 0, because the system has accepted everything.
  const unread = response.socket?.writableLength ?? 0;
  if (unread > 0) limitUnread(response, unread, buffered);
}

function limitUnread(response: ServerResponse, unread: number, buffered: BufferedBytes): void {
  if (!buffered.take(unread)) return void response.socket?.destroy();
  const timer = setTimeout(() => response.socket?.destroy(), readTimeout);
  response.once("close", () => {
    clearTimeout(timer);
    buffered.release(unread);
  });
}

export function writeHead(
  response: ServerResponse,
  { status, text, headers }: ServedResponse,
  { requestId, close }: Head,
): void {
  const all: Record<string, string | number> =
    status === 204
      ? { [requestIdHeader]: requestId }
      : {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(text),
          [requestIdHeader]: requestId,
        };
  // Faster than a spread, which is noticeable in a list.
  if (headers !== undefined) Object.assign(all, headers);
  if (close) all["Connection"] = "close";
  response.writeHead(status, all);
}

/** Rejects a request that is malformed, has too long headers or arrives too slowly. */
export function refuseUnreadable(
  refuse: Refuse,
  requestId: string,
  error: NodeJS.ErrnoException,
  socket: Duplex,
): void {
  const statuses: Readonly<Record<string, number>> = {
    HPE_HEADER_OVERFLOW: 431,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  };
  const status = statuses[error.code ?? ""] ?? 400;
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { text, headers } = refusal(refuse, status, STATUS_CODES[status] ?? "Bad Request");
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${headers?.["Content-Type"] ?? "application/json"}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `${requestIdHeader}: ${requestId}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

/** Returns the response to a request without a valid key. A 401 names the scheme: RFC 9110, part 11.6.1. */
export function unauthorized(refuse: Refuse, message: string): ServedResponse {
  const response = refusal(refuse, 401, message);
  if (response.status !== 401) return response;
  return { ...response, headers: { ...response.headers, "WWW-Authenticate": "Bearer" } };
}

/** Returns the response to an error, by its kind. An error of any other kind is a bug. */
export function errorResponse(error: unknown, refuse: Refuse): ServedResponse {
  const known = error instanceof SendctlError ? error : undefined;
  const { message = "", details = {} } = known ?? {};
  const { attempts = 1, database = "database" } = details;
  const code = codeOf(known?.cause);
  switch (known?.kind) {
    case "auth":
      return unauthorized(refuse, "Invalid key");
    case "database": {
      const text = "The database is temporarily unavailable";
      const response = refusal(refuse, 503, text, { "Retry-After": "1" });
      return { ...response, failure: { cause: database, code, attempts, problem: message } };
    }
    case "outcome_unknown": {
      const failure: Failure = { cause: "outcome_unknown", code, attempts };
      return { ...refusal(refuse, 500, "The outcome is unknown"), failure };
    }
    default: {
      const failure: Failure = { cause: "defect", code: codeOf(error) };
      return { ...refusal(refuse, 500, "Internal server error"), failure };
    }
  }
}

/** Returns the SQLSTATE, the result code of SQLite or the code of the network or file system error. */
function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^\w{1,64}$/.test(code) ? code : undefined;
}

/**
 * Lets Node close a connection without a reset after the last response: what the client is still sending is read and
 * ignored until it closes the connection, too, or the time is over.
 *
 * @param timeout in milliseconds
 */
export function closeGently(socket: Socket, timeout: number): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), timeout).unref();
  };
}
