import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Refuse } from "../engine/rules/replies.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";
import { requestIdHeader } from "./request.ts";
import { SendctlError } from "../core/error.ts";

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

/** Sends a response. A client that does not read it in time is disconnected. */
export function write(
  response: ServerResponse,
  method: string,
  served: ServedResponse,
  head: Head,
): void {
  const { text } = served;
  writeHead(response, served, head);
  if (method === "HEAD") response.end();
  // A Buffer is not copied while it is sent; a long string would be.
  else response.end(text.length > longText ? Buffer.from(text) : text);
  // Usually 0, because the system has accepted everything.
  if (!response.socket?.writableLength) return;
  const timer = setTimeout(() => response.socket?.destroy(), readTimeout);
  response.once("close", () => clearTimeout(timer));
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
  socket: Socket,
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
  const { attempts = 1, database: cause = "database" } = known?.details ?? {};
  const code = codeOf(known?.cause);
  switch (known?.kind) {
    case "auth":
      return unauthorized(refuse, "Invalid key");
    case "database":
      return {
        ...refusal(refuse, 503, "The database is temporarily unavailable", { "Retry-After": "1" }),
        failure: { cause, code, attempts, problem: known.message },
      };
    case "outcome_unknown":
      return {
        ...refusal(refuse, 500, "The outcome is unknown"),
        failure: { cause: "outcome_unknown", code, attempts },
      };
    default:
      return {
        ...refusal(refuse, 500, "Internal server error"),
        failure: { cause: "defect", code: codeOf(error) },
      };
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
