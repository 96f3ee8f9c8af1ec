import type { Agent } from "node:http";
import { isIP, type Socket } from "node:net";

/** Milliseconds after which a connection that no request has used counts as idle. */
const maxAge = 1000;

/**
 * Lets connections of an agent be opened ahead, so that a write need not wait for its own. A connection that is not used
 * within a second is closed, because a service might do the same.
 *
 * @param agent of node:http or node:https, without keep-alive
 * @returns a function that opens a connection for the next request
 */
export function openingAhead(agent: Agent, { protocol, hostname, port }: URL): () => void {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const options =
    protocol === "https:"
      ? {
          host,
          port: port || 443,
          servername: isIP(host) === 0 ? host : "",
          rejectUnauthorized: true,
        }
      : { host, port: port || 80 };
  const open = agent.createConnection.bind(agent);
  const unused = new Set<Socket>();
  agent.createConnection = (...args) => {
    for (const socket of unused) {
      unused.delete(socket);
      if (socket.writable && !socket.readableEnded) return socket.ref();
    }
    return open(...args);
  };
  return () => {
    const socket = open(options) as Socket;
    unused.add(socket);
    // A request that uses it reports its errors.
    socket.on("error", () => unused.delete(socket));
    socket.unref();
    setTimeout(() => {
      if (unused.delete(socket)) socket.destroy();
    }, maxAge).unref();
  };
}
