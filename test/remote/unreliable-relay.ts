import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** What happens to one request. */
export type Mishap =
  /** It never reaches the service. */
  | "dropped"
  /** It reaches the service, but its response is lost. */
  | "lost"
  /** It gets a gateway's page after the service carried it out. */
  | "gateway page"
  /** Nothing, but `reached` is called when it arrives. */
  | "before"
  /** Nothing, but `reached` is called when its response is ready. */
  | "after"
  /** `reached` is called when its response is ready, which is then lost. */
  | "after, lost";

export interface UnreliableRelay {
  readonly baseUrl: string;
  /** Returns the number of requests. */
  readonly count: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Opens a relay that forwards requests and responses, except one.
 *
 * @param nth number of the request with the mishap, from 1; 0 for none
 */
export async function openUnreliableRelay(
  target: string,
  nth: number,
  mishap: Mishap,
  reached: () => void = () => {},
): Promise<UnreliableRelay> {
  let count = 0;
  async function relay(
    incoming: IncomingMessage,
    outgoing: Parameters<Parameters<typeof createServer>[1] & object>[1],
  ): Promise<void> {
    const happens = (count += 1) === nth ? mishap : undefined;
    if (happens === "before") reached();
    if (happens === "dropped") return void incoming.socket.destroy();
    const { head, body } = await forward(incoming, target);
    if (happens?.startsWith("after") === true) reached();
    if (happens === "lost" || happens === "after, lost") return void incoming.socket.destroy();
    if (happens === "gateway page") {
      outgoing.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502</h1>");
      return;
    }
    const { connection: _, "transfer-encoding": __, ...headers } = head.headers;
    const length = head.statusCode === 204 ? {} : { "content-length": String(body.length) };
    outgoing.writeHead(head.statusCode ?? 502, { ...headers, ...length }).end(body);
  }
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(incoming: IncomingMessage, target: string) {
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(target);
  const sent = await buffer(incoming);
  const head = await new Promise<IncomingMessage>((resolve, reject) => {
    // Without an agent, because a kept-alive connection would outlive the service.
    const passed = request({ hostname, port, method, path: url, headers, agent: false }, resolve);
    passed.once("error", reject);
    passed.end(sent);
  });
  return { head, body: await buffer(head) };
}
