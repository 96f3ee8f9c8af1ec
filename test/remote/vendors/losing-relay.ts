import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface LosingRelay {
  readonly baseUrl: string;
  /** Returns the number of forwarded requests. */
  readonly passed: () => number;
  readonly close: () => Promise<void>;
}

/**
 * Opens a relay that forwards requests and responses, except one response: that request reaches the service, but the
 * connection to the client is closed instead of responding.
 *
 * @param nth number of the lost response, from 1; 0 for none
 */
export async function openLosingRelay(target: string, nth: number): Promise<LosingRelay> {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const number = (count += 1);
    passOn(incoming, target)
      .then(({ head, body }) => {
        if (number === nth) return incoming.socket.destroy();
        const { connection: _, "transfer-encoding": __, ...headers } = head.headers;
        const length = { "content-length": String(body.length) };
        const hasBody = head.statusCode !== 204;
        return outgoing
          .writeHead(head.statusCode ?? 502, { ...headers, ...(hasBody ? length : {}) })
          .end(body);
      })
      .catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function passOn(incoming: IncomingMessage, target: string) {
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
