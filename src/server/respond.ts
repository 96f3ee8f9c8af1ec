import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Refuse } from "../contract/refusal.ts";
import { refusal, type ServedResponse } from "./dispatch.ts";
import { requestIdHeader } from "./identity.ts";
import type { BufferedBytes } from "./limits.ts";

/** Resolves when the response is sent, or the client has disconnected. */
export function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

const closing = { Connection: "close" };

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
  if (status === 204) {
    const further = { ...headers, ...(close ? closing : {}) };
    response.writeHead(status, { [requestIdHeader]: requestId, ...further });
  } else {
    const all = {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      [requestIdHeader]: requestId,
    };
    // Faster than a spread, which is noticeable in a list.
    if (headers !== undefined) Object.assign(all, headers);
    if (close) Object.assign(all, closing);
    response.writeHead(status, all);
  }
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
