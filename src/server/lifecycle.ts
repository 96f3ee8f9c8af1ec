import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** How far a server is from its end. */
export interface Lifecycle {
  /** Aborted when the server stops: requests that have not begun are refused. */
  readonly stopping: AbortSignal;
  /** Completes requests in progress and refuses later ones. Resolves when all connections are closed. */
  readonly stop: () => Promise<void>;
  /** Closes all connections at once, and ends `stop`. */
  readonly abort: () => void;
}

/** Milliseconds for which an idle connection is kept. */
export const keepAlive = 5_000;

/** Milliseconds for requests in progress when the server stops. */
const maxStop = 10_000;

/** Creates the lifecycle of a server. @param sockets the open connections */
export function createLifecycle(server: Server, sockets: () => Iterable<Socket>): Lifecycle {
  const stopper = new AbortController();
  const aborter = new AbortController();

  const destroyAll = (): void => {
    for (const socket of sockets()) socket.destroy();
  };

  return {
    stopping: stopper.signal,
    stop: () => {
      stopper.abort();
      return new Promise((resolve) => {
        const { signal } = aborter;
        const waited = setTimeout(maxStop, undefined, { signal, ref: false }).catch(() => {});
        void waited.then(() => server.closeAllConnections());
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
