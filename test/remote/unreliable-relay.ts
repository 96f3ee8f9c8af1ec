import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { forward } from "../contract/relay.ts";

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
    const { status, headers: sent, text } = await forward(incoming, target);
    if (happens?.startsWith("after") === true) reached();
    if (happens === "lost" || happens === "after, lost") return void incoming.socket.destroy();
    if (happens === "gateway page") {
      outgoing.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502</h1>");
      return;
    }
    const { connection: _, "transfer-encoding": __, ...headers } = sent;
    const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(text)) };
    outgoing.writeHead(status, { ...headers, ...length }).end(text);
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
