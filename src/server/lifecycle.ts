import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** How far a server is from its end. */
export interface Lifecycle {
  /** Aborted when the server stops: requests that have not begun are refused. */
  readonly stopping: AbortSignal;
  /** Whether clients are asked to leave. Their requests are still served. */
  readonly isDraining: () => boolean;
  /**
   * Asks clients to leave: each response closes its connection. Then accepts no more connections, and resolves when
   * those that are open are gone, or a second later.
   *
   * @param milliseconds how long connections are still accepted; 0 to wait for nothing
   */
  readonly drain: (milliseconds: number) => Promise<void>;
  /** Completes requests in progress and refuses later ones. Resolves when all connections are closed. */
  readonly stop: () => Promise<void>;
  /** Closes all connections at once, and ends `drain` and `stop`. */
  readonly abort: () => void;
}

/** Times in milliseconds. */
const limits = {
  /** For requests on connections that were open when the server stopped to accept others. */
  lastRequests: 1_000,
  /** For requests in progress when the server stops. */
  stop: 10_000,
} as const;

/** Maximum turns of the event loop to wait for one without a connection. */
const maxTurns = 1000;

/**
 * Resolves after a turn of the event loop that accepted no connection, because the system resets those that are
 * queued when a server closes.
 */
async function quietTurn(server: Server): Promise<void> {
  let accepted = 0;
  const count = (): void => void (accepted += 1);
  server.on("connection", count);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    accepted = 0;
    await new Promise((resolve) => setImmediate(resolve));
    if (accepted === 0) break;
  }
  server.removeListener("connection", count);
}

/** Creates the lifecycle of a server. @param sockets the open connections */
export function createLifecycle(server: Server, sockets: () => Iterable<Socket>): Lifecycle {
  const stopper = new AbortController();
  const aborter = new AbortController();
  let isDraining = false;

  const destroyAll = (): void => {
    for (const socket of sockets()) socket.destroy();
  };

  /** Waits until the action calls back, at most for some time. */
  function wait(milliseconds: number, action?: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        aborter.signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      aborter.signal.addEventListener("abort", done);
      if (aborter.signal.aborted) done();
      action?.(done);
    });
  }

  return {
    stopping: stopper.signal,
    isDraining: () => isDraining,
    drain: async (milliseconds) => {
      isDraining = true;
      if (milliseconds === 0) return;
      await wait(milliseconds);
      await quietTurn(server);
      // The method of node:http would also close connections on which a request may be about to arrive.
      await wait(limits.lastRequests, (done) => NetServer.prototype.close.call(server, done));
    },
    stop: () => {
      isDraining = true;
      stopper.abort();
      return new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), limits.stop);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
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
