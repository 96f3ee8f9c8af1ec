import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SendctlError } from "../../contract/error.ts";
import { plainBody } from "./content-encoding.ts";
import type { Route } from "./proxy.ts";

/** One answer over HTTP. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** No whole answer came. */
export interface LostResponse {
  readonly error: NodeJS.ErrnoException;
  /** True where the service can't have seen the request: there never was a connection. */
  readonly unsent: boolean;
}

export interface OutgoingRequest {
  readonly method: string;
  /** Host and port. */
  readonly url: URL;
  /** As it is to be sent: URL would take a name such as `%2e` for something else. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface AttemptOptions {
  /** From the connection to the last byte, in milliseconds. */
  readonly timeout: number;
  /** Ends the attempt at once. */
  readonly signal: AbortSignal;
  readonly route: Route;
}

/** Bodies beyond it, in bytes, are cut off. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Thrown into a request that takes too long. */
const timedOut = "ETIMEDOUT";

/**
 * Sends a request once, following nothing.
 *
 * @throws SendctlError "usage" for a path that leads to another host, "unexpected_response" for a body over 64 MiB
 */
export function attempt(
  outgoing: OutgoingRequest,
  options: AttemptOptions,
): Promise<HttpResponse | LostResponse> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const { method, url, path, headers, body } = outgoing;
    refuseOtherHost(url, path);
    const request = options.route.request(url, {
      method,
      path,
      agent: options.route.agent,
      signal: options.signal,
      // Even if NODE_TLS_REJECT_UNAUTHORIZED is 0: an impostor must not get the key.
      rejectUnauthorized: true,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) }),
      },
    });
    const lose = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      resolve({ error, unsent: !connected });
    };
    const timer = setTimeout(() => {
      const seconds = options.timeout / 1000;
      const error = new Error(`no response within ${seconds} s`);
      const late = Object.assign(error, { code: timedOut });
      request.destroy(late);
      lose(late);
    }, options.timeout);
    request.once("socket", (socket: Socket) => {
      whenConnected(socket, url, request.reusedSocket, () => (connected = true));
    });
    request.on("error", lose);
    request.once("upgrade", (_, socket) => {
      socket.destroy();
      lose(Object.assign(new Error("it switches to another protocol"), { code: "HPE_UPGRADE" }));
    });
    // The agent would pass the proxy's own answer on as if it were the service's.
    request.once("proxyConnect", ({ statusCode }: { readonly statusCode: number }) => {
      if (statusCode === 200 || url.protocol === "http:") return;
      const refused = new Error(`the proxy refused the connection (${statusCode})`);
      request.destroy(Object.assign(refused, { code: "EPROXY" }));
    });
    request.once("response", (response) => {
      connected = true;
      collect(response)
        .then((text) => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
          return undefined;
        })
        .catch((error: unknown) => {
          request.destroy();
          clearTimeout(timer);
          if (error instanceof SendctlError) reject(error);
          else lose(error as NodeJS.ErrnoException);
        });
    });
    request.end(body);
  });
}

/** A proxy reads the host from the path of a request, and a path such as `//host` names one. */
function refuseOtherHost(url: URL, path: string): void {
  const isSameHost = URL.canParse(path, url.origin) && new URL(path, url.origin).host === url.host;
  if (isSameHost && !/^[/\\]{2}/.test(path)) return;
  throw new SendctlError("usage", `the path "${path}" leads to a host other than ${url.host}`, {
    hint: "begin it with a single /",
  });
}

/** Nothing is sent before this: through TLS, before the other side has shown who it is. */
function whenConnected(socket: Socket, url: URL, reused: boolean, connected: () => void): void {
  if (reused) connected();
  else if (url.protocol === "https:") socket.once("secureConnect", connected);
  else if (socket.connecting) socket.once("connect", connected);
  else connected();
}

/** @throws SendctlError "unexpected_response" when there is too much of it, the socket's error when it breaks off */
async function collect(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // What is packed may become far larger, so it is measured unpacked.
  for await (const chunk of await plainBody(response)) {
    size += chunk.length;
    if (size > maxBodyBytes) {
      throw new SendctlError(
        "unexpected_response",
        "the response is longer than 64 MiB, so it is not the service's",
      );
    }
    chunks.push(chunk);
  }
  if (!response.complete)
    throw Object.assign(new Error("the response broke off"), { code: "ECONNRESET" });
  // A byte order mark may stand before JSON, and be ignored: RFC 8259, part 8.1.
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\uFEFF/, "");
}
