import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";

/** How far a server is from its end. */
export interface Lifecycle {
  /** Aborted when the server stops: requests that have not begun are refused. */
  readonly stopping: AbortSignal;
  /** Whether load balancers are asked to choose other servers. All requests are still served. */
  readonly isDraining: () => boolean;
  /** Whether each response closes its connection. */
  readonly isClosing: () => boolean;
  /** Fulfilled when requests may begin; undefined if they may begin now. */
  readonly held: () => Promise<void> | undefined;
  /**
   * Asks load balancers to choose other servers. Then accepts no more connections, and closes each that is open after
   * its next response. A response that closed its connection earlier would make its client open another, which is
   * reset if it arrives as the server closes. Resolves when all connections are gone, or after their idle time.
   *
   * @param milliseconds how long connections are still accepted; 0 to wait for nothing
   */
  readonly drain: (milliseconds: number) => Promise<void>;
  /** Completes requests in progress and refuses later ones. Resolves when all connections are closed. */
  readonly stop: () => Promise<void>;
  /** Closes all connections at once, and ends `drain` and `stop`. */
  readonly abort: () => void;
}

/** Milliseconds for which an idle connection is kept. */
export const keepAlive = 5_000;

/** Times in milliseconds. */
const limits = {
  /** For requests on open connections: as long as an idle one is kept. */
  lastRequests: keepAlive,
  /** For requests in progress when the server stops. */
  stop: 10_000,
  /** For a time without a new connection, which is `quiet` long, before requests begin again. */
  hold: 500,
  quiet: 50,
} as const;

/** Creates the lifecycle of a server. @param sockets the open connections */
export function createLifecycle(server: Server, sockets: () => Iterable<Socket>): Lifecycle {
  const stopper = new AbortController();
  const aborter = new AbortController();
  let isDraining = false;
  let isClosing = false;
  let held: Promise<void> | undefined;

  const destroyAll = (): void => {
    for (const socket of sockets()) socket.destroy();
  };

  /** Waits some time, or until the server is aborted. */
  const wait = (milliseconds: number): Promise<void> =>
    setTimeout(milliseconds, undefined, { signal: aborter.signal, ref: false }).catch(() => {});

  return {
    stopping: stopper.signal,
    isDraining: () => isDraining,
    isClosing: () => isClosing,
    held: () => held,
    drain: async (milliseconds) => {
      isDraining = true;
      if (milliseconds === 0) return;
      await wait(milliseconds);
      // Awaited here first, so the server is closing when the requests that are held back begin.
      held = noMoreConnections(server);
      await held;
      // The method of node:http would also close connections on which a request may be about to arrive.
      const closed = new Promise<void>((resolve) => {
        NetServer.prototype.close.call(server, () => resolve());
      });
      isClosing = true;
      held = undefined;
      await Promise.race([closed, wait(limits.lastRequests)]);
    },
    stop: () => {
      isDraining = isClosing = true;
      stopper.abort();
      return new Promise((resolve) => {
        void wait(limits.stop).then(() => server.closeAllConnections());
        server.close(() => resolve());
        server.closeIdleConnections();
        // Node does not treat connections without any request as idle.
        for (const socket of sockets()) if (socket.bytesRead === 0) socket.destroy();
        if (aborter.signal.aborted) destroyAll();
      });
    },
    abort: () => {
      aborter.abort();
      destroyAll();
    },
  };
}

/**
 * Waits until no connection has arrived for some time. When a server closes, the system resets the connections that it
 * has not accepted yet, and what their clients have sent is lost. While requests are held back, a client that waits for
 * a response opens no other connection, and a balancer that counts requests in progress prefers other servers.
 */
async function noMoreConnections(server: Server): Promise<void> {
  let connectedAt = performance.now();
  const giveUpAt = connectedAt + limits.hold;
  const onConnection = (): void => void (connectedAt = performance.now());
  server.on("connection", onConnection);
  for (let now = connectedAt; now < giveUpAt; now = performance.now()) {
    const latest = connectedAt;
    const remaining = latest + limits.quiet - now;
    if (remaining > 0) await setTimeout(remaining);
    else {
      // After a stall of this process, connections may have arrived that it has not accepted yet.
      await setImmediate();
      if (connectedAt === latest) break;
    }
  }
  server.removeListener("connection", onConnection);
}
