import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { createHold } from "./hold.ts";

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
} as const;

/** Creates the lifecycle of a server. @param sockets the open connections */
export function createLifecycle(server: Server, sockets: () => Iterable<Socket>): Lifecycle {
  const stopper = new AbortController();
  const aborter = new AbortController();
  let isDraining = false;
  let isClosing = false;
  const hold = createHold();

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
    isClosing: () => isClosing,
    held: hold.held,
    drain: async (milliseconds) => {
      isDraining = true;
      if (milliseconds === 0) return;
      await wait(milliseconds);
      const release = await hold.start(server);
      // The method of node:http would also close connections on which a request may be about to arrive.
      const closed = wait(limits.lastRequests, (done) =>
        NetServer.prototype.close.call(server, done),
      );
      isClosing = true;
      release();
      await closed;
    },
    stop: () => {
      isDraining = isClosing = true;
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
