import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { test as base } from "../support/home.ts";
import { answering, envelope, group } from "./sample-responses.ts";
import { startService, type ScriptedService } from "./scripted-service.ts";

export interface Proxy {
  readonly port: number;
  /** "CONNECT service.test:443" or "GET http://service.test/v1/group". */
  readonly requests: readonly string[];
  /** Returns every byte received from clients, as latin1. */
  readonly seen: () => string;
  readonly close: () => Promise<void>;
}

/**
 * Starts a proxy on localhost that resolves every name to localhost.
 *
 * @param refusal sent in response to CONNECT instead of connecting; "" to hang up
 */
export async function startProxy(refusal?: string): Promise<Proxy> {
  const requests: string[] = [];
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    keep(socket);
    let head = "";
    let onward: Socket | undefined;
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (onward !== undefined) {
        onward.write(chunk);
        return;
      }
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      const [method = "", target = ""] = head.split(" ", 2);
      requests.push(`${method} ${target}`);
      if (method === "CONNECT" && refusal !== undefined) socket.end(refusal);
      else keep((onward = leadOn(socket, method, target, head)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    seen: () => Buffer.concat(chunks).toString("latin1"),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Connects to the requested port and, unless it is a tunnel, forwards the head of the request. */
function leadOn(socket: Socket, method: string, target: string, head: string): Socket {
  const isTunnel = method === "CONNECT";
  const { port, pathname, search } = new URL(isTunnel ? `http://${target}` : target);
  const onward = connect(Number(port), "127.0.0.1");
  if (isTunnel) socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  else onward.write(Buffer.from(head.replace(target, `${pathname}${search}`), "latin1"));
  onward.pipe(socket);
  return onward;
}

/** Gives a test a service, and the only proxy that resolves its name. */
export const test = base.extend<{ service: ScriptedService; proxy: Proxy }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads dependencies from the pattern
  service: async ({}, use) => {
    const service = await startService(answering(200, envelope(group)));
    await use(service);
    await service.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- the same
  proxy: async ({}, use) => {
    const proxy = await startProxy();
    await use(proxy);
    await proxy.close();
  },
});
