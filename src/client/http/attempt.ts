import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { isRead } from "../../contract/request.ts";
import { SendctlError } from "../../core/error.ts";
import { readUpTo } from "../../core/files.ts";
import type { Route } from "./route.ts";

/** A complete HTTP response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The address in Location. */
  readonly location?: URL | undefined;
}

/** The failure of a request without a complete response. */
export interface LostResponse {
  readonly error: NodeJS.ErrnoException;
  /** True if the service cannot have seen the request, because no connection was established. */
  readonly unsent: boolean;
  /** True if the service closed an idle connection on which the request was sent. */
  readonly wasIdle?: boolean;
}

interface OutgoingRequest {
  readonly method: string;
  /** Host and port. */
  readonly url: URL;
  /** Sent unchanged: URL would normalise a segment such as `%2e`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Milliseconds, from connecting to the last byte. */
  readonly timeout: number;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  readonly route: Route;
  /** Whether a write follows, whose connection is opened meanwhile. */
  readonly isBeforeWrite?: boolean | undefined;
}

/** Longer bodies are rejected. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Gateways add policies and cookies: Node's own limit is 16 KiB. */
const maxHeaderBytes = 256 * 1024;

/** Codes of connections that the other side has closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/** Error code of plain HTTP on a port for TLS. */
export const tlsAlert = "ETLSALERT";

/** Error code of a response whose text is not valid in its charset. */
export const invalidText = "HPE_TEXT";

/** Error code of a response whose body cannot be decoded. */
export const invalidCoding = "HPE_CODING";

/** Error code of a body over 64 MiB. */
export const tooLong = "HPE_TOO_LONG";

/** Error code of a request that exceeds its timeout. */
const timedOut = "ETIMEDOUT";

/**
 * Sends a request once, without following redirects.
 *
 * @throws SendctlError "usage" for a path to another host
 */
export function attempt(outgoing: OutgoingRequest): Promise<HttpResponse | LostResponse> {
  return new Promise((resolve) => {
    let connected = false;
    let hasResponded = false;
    const { url, path, body, timeout, signal, route } = outgoing;
    refuseOtherHost(url, path);
    const request = route.request(url, optionsOf(outgoing));
    // Node's own `signal` option loads more of its streams: a millisecond.
    const abort = (): void => {
      request.destroy(Object.assign(new Error("aborted"), { code: "ABORT_ERR" }));
    };
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const lose = (error: NodeJS.ErrnoException): void => {
      settle();
      resolve({
        error,
        unsent: !connected,
        wasIdle: request.reusedSocket && closedCodes.has(error.code) && !hasResponded,
      });
    };
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    const timer = setTimeout(() => {
      const error = new Error(`no response within ${timeout / 1000} s`);
      const late = Object.assign(error, { code: timedOut });
      request.destroy(late);
      lose(late);
    }, timeout);
    request.once("socket", (socket: Socket) => {
      whenConnected(socket, url, request.reusedSocket, () => (connected = true));
    });
    request.on("error", (error: ParseError) => {
      // The other side has understood nothing.
      if (isTlsAlert(error))
        resolve({ error: Object.assign(error, { code: tlsAlert }), unsent: true });
      lose(error);
    });
    request.once("upgrade", (_, socket) => {
      socket.destroy();
      lose(Object.assign(new Error("it switched to another protocol"), { code: "HPE_UPGRADE" }));
    });
    // The agent would pass on the proxy's own response as if it were the service's.
    request.once("proxyConnect", ({ statusCode }: { readonly statusCode: number }) => {
      if (statusCode === 200 || url.protocol === "http:") return;
      const refused = new Error(`the proxy refused the connection (${statusCode})`);
      request.destroy(Object.assign(refused, { code: "EPROXY" }));
    });
    request.once("response", (response) => {
      [connected, hasResponded] = [true, true];
      textOf(response)
        .then((text) => {
          settle();
          const { statusCode: status = 0, headers: sent } = response;
          resolve({ status, headers: sent, text, location: locationOf(sent.location, url, path) });
          return undefined;
        })
        .catch((error: unknown) => {
          request.destroy();
          lose(error as NodeJS.ErrnoException);
        });
    });
    request.end(body);
    if (outgoing.isBeforeWrite === true) route.openAhead?.();
  });
}

/** Returns the options of Node for a request. */
function optionsOf({ method, path, headers, body, route }: OutgoingRequest) {
  const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
  return {
    method,
    path,
    agent: isRead(method) ? route.agent : route.writeAgent,
    // Even if NODE_TLS_REJECT_UNAUTHORIZED is 0, an impostor must not get the key.
    rejectUnauthorized: true,
    maxHeaderSize: maxHeaderBytes,
    headers: { ...headers, ...length },
  };
}

/** An error of the parser of HTTP responses, with the bytes that it could not parse. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Returns whether a response is an alert of TLS: RFC 8446, part 5.1. */
function isTlsAlert({ rawPacket }: ParseError): boolean {
  return rawPacket?.[0] === 21 && rawPacket[1] === 3;
}

/** Rejects paths such as `//host`, which a proxy could treat as the address of another host. */
function refuseOtherHost(url: URL, path: string): void {
  // Most paths. Parsing an address takes longer.
  if (/^\/\w/.test(path)) return;
  const isSameHost = URL.canParse(path, url.origin) && new URL(path, url.origin).host === url.host;
  if (isSameHost && !/^[/\\]{2}/.test(path)) return;
  throw new SendctlError("usage", `the path "${path}" leads to a host other than ${url.host}`, {
    hint: "start it with a single /",
  });
}

/** Calls `connected` just before the first byte is sent; in TLS, with a verified certificate. */
function whenConnected(socket: Socket, url: URL, reused: boolean, connected: () => void): void {
  if (reused || (socket as TLSSocket).authorized) connected();
  else if (url.protocol === "https:") socket.once("secureConnect", connected);
  else if (socket.connecting) socket.once("connect", connected);
  else connected();
}

/** Resolves the address in Location, which may be relative: RFC 9110, part 10.2.2. */
function locationOf(location: string | undefined, url: URL, path: string): URL | undefined {
  const { href } = new URL(path, url);
  if (location === undefined || !URL.canParse(location, href)) return undefined;
  const address = new URL(location, href);
  // A password is not repeated.
  [address.username, address.password] = ["", ""];
  return address;
}

/**
 * Returns the text of a response.
 *
 * @throws the error of the socket if it is cut short, or that for an undecodable body
 */
async function textOf(response: IncomingMessage): Promise<string> {
  const { headers, statusCode: status = 0 } = response;
  const received = await readUpTo(response, maxBodyBytes);
  if (received.length > maxBodyBytes) throw overLimit();
  const body = await unpacked(received, headers["content-encoding"]);
  const [, charset = "utf-8"] =
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers["content-type"] ?? "") ?? [];
  try {
    // Also removes a byte order mark, which may be ignored before JSON: RFC 8259, part 8.1.
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch (error) {
    // The status of a refusal, or of a gateway's page, says what happened, whatever its text.
    if (status < 200 || status >= 300) return new TextDecoder().decode(body);
    const isUnknown = (error as NodeJS.ErrnoException).code === "ERR_ENCODING_NOT_SUPPORTED";
    const reason = isUnknown
      ? `in the unknown charset ${charset}`
      : `that is not valid in ${charset}`;
    throw undecodable(reason, invalidText);
  }
}

function overLimit(): Error {
  return undecodable("that exceeds 64 MiB", tooLong);
}

/** Returns the error for an undecodable body. Its code, of malformed HTTP, prevents retries. */
function undecodable(reason: string, code: string): Error {
  return Object.assign(new Error(`a body ${reason}`), { code });
}

/**
 * Decodes a body. Without Accept-Encoding, a request accepts every coding: RFC 9110, part 12.5.3.
 *
 * @throws the error for an undecodable body
 */
async function unpacked(body: Buffer, header = "identity"): Promise<Buffer> {
  const coding = header.trim().toLowerCase();
  if (body.length === 0 || coding === "" || coding === "identity") return body;
  const zlib = await import("node:zlib");
  const decoders = new Map([
    ["gzip", zlib.gunzipSync],
    // Another name of gzip: RFC 9110, part 8.4.1.3.
    ["x-gzip", zlib.gunzipSync],
    ["deflate", zlib.inflateSync],
    ["br", zlib.brotliDecompressSync],
  ]);
  const decode = decoders.get(coding);
  if (decode === undefined) {
    const kind = coding.includes(",")
      ? "more than one content coding:"
      : "the unknown content coding";
    throw undecodable(`with ${kind} ${coding}`, invalidCoding);
  }
  try {
    return decode(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw overLimit();
    throw undecodable(`that is not valid ${coding}: ${message}`, invalidCoding);
  }
}
