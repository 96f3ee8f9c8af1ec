import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** How far a server is from its end. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/** Milliseconds for which an idle connection is kept. */
export const keepAlive = 5_000;

/** Milliseconds for requests in progress when the server stops. */
const maxStop = 10_000;

/** Creates the lifecycle of a server. @param sockets the open connections */
export function createLifecycle(server: Server, sockets: () => Iterable<Socket>) {
  const stopper = new AbortController();
  const aborter = new AbortController();

  const destroyAll = (): void => {
    for (const socket of sockets()) socket.destroy();
  };

  return {
    /** Aborted when the server stops: requests that have not begun are refused. */
    stopping: stopper.signal,
    /** Completes requests in progress and refuses later ones. Resolves when all connections are closed. */
    stop: (): Promise<void> => {
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
    /** Closes all connections at once, and ends `stop`. */
    abort: (): void => {
      aborter.abort();
      destroyAll();
    },
  };
}
