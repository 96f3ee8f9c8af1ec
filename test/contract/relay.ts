import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An answer that passed through. */
export interface Passed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Passes requests on, as they are, and their answers back. */
export interface Relay {
  readonly baseUrl: string;
  /** What answered, in its order. */
  readonly passed: Passed[];
  /** The base URL to pass requests on to. */
  target: string;
  /** What becomes of the text of an answer on its way back. */
  edit: (text: string) => string;
  readonly close: () => Promise<void>;
}

export async function openRelay(): Promise<Relay> {
  const server = createServer((incoming, outgoing) => {
    passOn(incoming, relay.target)
      .then((passed) => {
        relay.passed.push(passed);
        const edited = relay.edit(passed.text);
        const { "content-type": type = "", connection: _, ...rest } = passed.headers;
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return relay;
}

/** The path goes as it came: it is what is being judged. */
async function passOn(incoming: IncomingMessage, target: string): Promise<Passed> {
  const { hostname, port } = new URL(target);
  const { method, url, headers } = incoming;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // Without an agent: a connection that is kept would outlive the server it leads to.
    const passed = request({ hostname, port, method, path: url, headers, agent: false }, resolve);
    passed.once("error", reject);
    incoming.pipe(passed);
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response),
  };
}
