import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A response that passed through, and the request that it answers. */
export interface Passed {
  readonly request: {
    readonly method: string;
    /** Path and query, as they were sent. */
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  };
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Forwards requests unchanged, and their responses back. */
export interface Relay {
  readonly baseUrl: string;
  /** Responses in order, before `edit`. */
  readonly passed: Passed[];
  /** Base URL that requests are forwarded to. */
  target: string;
  /** Changes the text of a response on its way back. */
  edit: (text: string) => string;
  /** Returns the path to forward a request to, or the status to refuse it with. */
  route: (method: string, path: string) => string | number;
  readonly close: () => Promise<void>;
}

export async function openRelay(): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const path = relay.route(method, url);
    if (typeof path === "number") {
      incoming.resume();
      outgoing.writeHead(path).end('{"message":"Refused"}');
      return;
    }
    forward(incoming, relay.target, path)
      .then((passed) => {
        relay.passed.push(passed);
        const edited = relay.edit(passed.text);
        const { "content-type": type = "", ...rest } = passed.headers;
        delete rest.connection;
        delete rest["transfer-encoding"];
        const headers = { "content-type": type, "content-length": Buffer.byteLength(edited) };
        return outgoing.writeHead(passed.status, { ...rest, ...headers }).end(edited);
      })
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const relay: Relay = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    target: "",
    edit: (text) => text,
    route: (_, path) => path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return relay;
}

/** Forwards a request to a base URL. The path stays unchanged by default, because the tests check it. */
async function forward(
  incoming: IncomingMessage,
  target: string,
  path = incoming.url,
): Promise<Passed> {
  const { hostname, port } = new URL(target);
  const { method = "", url = "", headers } = incoming;
  const sent = await text(incoming);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Without an agent, because a kept-alive connection would outlive its server.
    const passed = request({ hostname, port, method, path, headers, agent: false }, resolve);
    passed.once("error", reject);
    passed.end(sent);
  });
  return {
    request: { method, url, headers, text: sent },
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response),
  };
}
