import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { refusal, type ServedResponse } from "./dispatch.ts";
import type { HeldBytes } from "./held-bytes.ts";

/** Fulfilled when all is sent, or nobody is there any more. */
export function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

const closing = { Connection: "close" };

/** In characters: shorter texts are sent sooner as they are. */
const longText = 16 * 1024;

/** How long a client may take to read a response, in milliseconds. */
const readTimeout = 20_000;

/**
 * Sends a response. A client that does not read it in time, while others do not either, is cut off.
 *
 * @param close whether the connection ends with this response
 */
export function write(
  response: ServerResponse,
  method: string,
  served: ServedResponse,
  close: boolean,
  held: HeldBytes,
): void {
  writeHead(response, served, close);
  if (method === "HEAD") response.end();
  // As bytes, a long text is not kept beside what is sent of it.
  else response.end(served.text.length > longText ? Buffer.from(served.text) : served.text);
  // A client that reads has it already: the system took all of it.
  const unread = response.socket?.writableLength ?? 0;
  if (unread > 0) limitUnread(response, unread, held);
}

function limitUnread(response: ServerResponse, unread: number, held: HeldBytes): void {
  if (!held.take(unread)) return void response.socket?.destroy();
  const timer = setTimeout(() => response.socket?.destroy(), readTimeout);
  response.once("close", () => {
    clearTimeout(timer);
    held.release(unread);
  });
}

export function writeHead(
  response: ServerResponse,
  { status, text, headers }: ServedResponse,
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
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
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
