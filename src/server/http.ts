import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { currentHeader } from "../contract/request.ts";
import { createSecrets, type Secrets } from "../core/secrets.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import { refusal, routeOf, type ServedRequest, type ServedResponse } from "./dispatch.ts";

/** What the server reads from the start line and the headers of a request. */
export interface RequestHead extends Omit<ServedRequest, "body"> {
  /** The path, percent-encoded. */
  readonly pathname: string;
  /** The key in `Authorization: Bearer …`. */
  readonly key: string | undefined;
  /** The id that the client sent for its request, if it is safe to print. */
  readonly sentId: string | undefined;
  /** Why the request is ambiguous. */
  readonly problem: string | undefined;
}

/** Reads the head of a request. */
export function readHead(request: IncomingMessage): RequestHead {
  const { method = "", url = "" } = request;
  const [pathname, query] = splitTarget(url);
  const key = /^bearer +(\S+) *$/i.exec(headersOf(request, "authorization")[0] ?? "")?.[1];
  return {
    method,
    pathname,
    routed: routeOf(method, pathname),
    query,
    contentType: headersOf(request, "content-type")[0],
    encoding: encodingOf(request),
    key,
    sentId: idIn(request, key),
    problem: framingProblem(request),
  };
}

/** Splits a target into path and query. A proxy's client sends a whole URL: RFC 9112, 3.2.2. */
export function splitTarget(target: string): [pathname: string, query: string] {
  const origin = target.startsWith("/") ? "" : (/^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "");
  const mark = target.indexOf("?");
  const pathname = target.slice(origin.length, mark < 0 ? undefined : mark);
  return [pathname === "" ? "/" : pathname, mark < 0 ? "" : target.slice(mark + 1)];
}

/**
 * Returns all headers with a name, in order. Faster than `request.headers`, which builds an object.
 *
 * @param name in lower case
 */
export function headersOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    values.push(rawHeaders[index + 1]!);
  }
  return values;
}

/**
 * Returns why a request is ambiguous, so that a proxy could interpret it differently, although Node
 * accepts it: RFC 9112, parts 3.2 and 6.1.
 */
function framingProblem(request: IncomingMessage): string | undefined {
  const { httpVersion } = request;
  const hosts = headersOf(request, "host").length;
  if (hosts > 1) return "Multiple Host headers";
  if (headersOf(request, "authorization").length > 1) return "Multiple Authorization headers";
  if (httpVersion === "1.1") return hosts === 0 ? "Missing Host header" : undefined;
  const isChunked = headersOf(request, "transfer-encoding").length > 0;
  return isChunked ? "Transfer-Encoding is not allowed in HTTP/1.0" : undefined;
}

/** Returns the encoding of a body that would have to be decoded; undefined for none. */
function encodingOf(request: IncomingMessage): string | undefined {
  return ["content-encoding", "transfer-encoding"]
    .flatMap((name) => headersOf(request, name).flatMap((value) => value.split(",")))
    .map((name) => name.trim().toLowerCase())
    .find((name) => !["", "identity", "chunked"].includes(name));
}

/** Longer bodies are refused: ruling 3. */
export const maxBodyBytes = 64 * 1024;

/** Returns the length of a body that its header has, in bytes; 0 without one. */
export function lengthOf(request: IncomingMessage): number {
  return Number(headersOf(request, "content-length")[0] ?? 0);
}

const nothing = new Uint8Array();

/** A connection, as far as bodies are concerned. */
export interface BodySource {
  /** Whether the input was malformed or cut short, so that no more of it follows. */
  isBroken: boolean;
  /** Ends the reading of a body that will never be complete. */
  abandonBody?: (() => unknown) | undefined;
}

/**
 * Reads the body. Stops reading if it exceeds its limit, or when the connection abandons it.
 *
 * @returns "disconnected" also if the rest of the body is malformed or late
 */
export async function readBody(
  request: IncomingMessage,
  source: BodySource,
): Promise<Uint8Array | "too long" | "disconnected"> {
  if ((source.isBroken || request.destroyed) && !request.complete) return "disconnected";
  const length = lengthOf(request);
  if (length > maxBodyBytes) return "too long";
  if (length === 0 && headersOf(request, "transfer-encoding").length === 0) return nothing;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const disconnected = (): void => resolve("disconnected");
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBodyBytes) return;
      request.off("data", take).pause();
      resolve("too long");
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", disconnected);
    request.once("close", disconnected);
    source.abandonBody = () => request.complete || disconnected();
  });
}

/** The header of a request and its response that names the request in the log. */
const requestIdHeader = "X-Request-Id";

/** Ids that are accepted: they need no escaping in a header or in JSON. */
const idForm = /^[A-Za-z0-9._~:+/=-]{1,128}$/;

/** The beginning of a key, which no id needs. */
const keyStart = /sk_/i;

/** Returns the id that a client sent. Ignores two ids, an unsafe one, or one with a key in it. */
function idIn(request: IncomingMessage, key: string | undefined): string | undefined {
  const [id, ...others] = headersOf(request, "x-request-id");
  if (id === undefined || others.length > 0 || !idForm.test(id)) return undefined;
  return keyStart.test(id) || createSecrets([key]).isIn(id) ? undefined : id;
}

/** Creates ids from a random text for this server and a counter: random bytes would cost more. */
export function createIds(): () => string {
  const server = Math.floor(Math.random() * 2 ** 48).toString(36);
  let count = 0;
  return () => `${server}-${(count += 1)}`;
}

/** The format of keys created by `local key create`. */
const keyForm = /sk_[\w-]{43}/g;

/** The key of a request and the one that the service was given, if any. */
export type Keys = readonly (string | undefined)[];

/** Creates a function that hides the keys of a request, and those of the usual form. */
export function requestSecrets(keys: Keys, ...texts: readonly string[]): Secrets {
  return createSecrets([...keys, ...texts.flatMap((text) => text.match(keyForm) ?? [])]);
}

/** Parses a body: JSON, other text, or null for an empty one. Keys in it are hidden. */
export function bodyWithoutKey(text: string, keys: Keys): unknown {
  if (text === "") return null;
  const { hide, hideValue } = requestSecrets(keys, text);
  try {
    return hideValue(JSON.parse(text) as unknown);
  } catch {
    return hide(text);
  }
}

/** Returns a path and query for the log: parameters except `page` and `perPage` may be secret. */
export function loggedPath(pathname: string, query: string, keys: Keys): string {
  if (query === "") return requestSecrets(keys, pathname).hide(pathname);
  const shown = query.split("&").map((pair) => {
    const [name = "", value] = pair.split("=", 2);
    if (value === undefined) return pair === "" ? "" : "…";
    return name === "page" || name === "perPage" ? pair : `${name}=…`;
  });
  const path = `${pathname}?${shown.join("&")}`;
  return requestSecrets(keys, path).hide(path);
}

/** Length in characters from which texts are sent as bytes. Shorter ones are faster as strings. */
const longText = 16 * 1024;

/** Time for a client to read a response, in milliseconds. */
const readTimeout = 20_000;

/** Sends and ends the body of a response. Disconnects a client that does not read it in time. */
export function writeBody(response: ServerResponse, method: string, text: string): void {
  if (method === "HEAD") response.end();
  // A Buffer is not copied while it is sent; a long string would be.
  else response.end(text.length > longText ? Buffer.from(text) : text);
  // Usually 0, because the system has accepted everything.
  if (!response.socket?.writableLength) return;
  const timer = setTimeout(() => response.socket?.destroy(), readTimeout);
  response.once("close", () => clearTimeout(timer));
}

/**
 * Writes the head of a response.
 *
 * @param close whether the connection is closed after it
 * @param isCurrent whether what is not found does not exist
 */
export function writeHead(
  response: ServerResponse,
  { status, text, headers }: ServedResponse,
  requestId: string,
  close: boolean,
  isCurrent = false,
): void {
  const all: Record<string, string | number> = {};
  if (status !== 204) {
    all["Content-Type"] = "application/json";
    all["Content-Length"] = Buffer.byteLength(text);
  }
  all[requestIdHeader] = requestId;
  // Faster than a spread, which is noticeable in a list.
  if (headers !== undefined) Object.assign(all, headers);
  if (close) all["Connection"] = "close";
  if (status === 404 && isCurrent) all[currentHeader] = "yes";
  response.writeHead(status, all);
}

/** Rejects a request that is malformed, has too long headers or arrives too slowly. */
export function refuseUnreadable(
  refuse: Refuse,
  requestId: string,
  { code }: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const isLate = code === "ERR_HTTP_REQUEST_TIMEOUT";
  const status = code === "HPE_HEADER_OVERFLOW" ? 431 : isLate ? 408 : 400;
  const reason = STATUS_CODES[status]!;
  const { text, headers } = refusal(refuse, status, reason);
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    `Content-Type: ${headers?.["Content-Type"] ?? "application/json"}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `${requestIdHeader}: ${requestId}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}

/**
 * Lets Node close a connection without a reset after the last response: what the client is still
 * sending is read and ignored until it closes the connection, too, or the time is over.
 *
 * @param timeout in milliseconds
 */
export function closeGently(socket: Socket, timeout: number): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), timeout).unref();
  };
}
