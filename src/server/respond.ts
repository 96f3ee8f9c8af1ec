import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { refusal, type ServedAnswer } from "./answer.ts";

/** Fulfilled when all is sent, or nobody is there any more. */
export function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once("close", resolve));
}

const closing = { Connection: "close" };

/** @param close whether the connection ends with this answer */
export function write(
  response: ServerResponse,
  method: string,
  answered: ServedAnswer,
  close: boolean,
): void {
  writeHead(response, answered, close);
  response.end(method === "HEAD" ? undefined : answered.text);
}

export function writeHead(
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
