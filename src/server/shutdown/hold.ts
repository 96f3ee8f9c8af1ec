import type { Server } from "node:net";

/** Times in milliseconds. */
const limits = {
  /** Without a new connection. */
  quiet: 50,
  /** For such a time. */
  wait: 500,
} as const;

/** Holds requests back while a server closes. */
export interface Hold {
  /** Fulfilled when requests may begin; undefined if they may begin now. */
  readonly held: () => Promise<void> | undefined;
  /**
   * Holds requests back, and resolves when no connection has arrived for some time. When a server closes, the system
   * resets the connections that it has not accepted yet, and what their clients have sent is lost. A client that waits
   * for a response opens no other connection, and a balancer that counts requests in progress prefers other servers.
   *
   * @returns a function that lets the requests begin
   */
  readonly start: (server: Server) => Promise<() => void>;
}

export function createHold(): Hold {
  let held: Promise<void> | undefined;
  return {
    held: () => held,
    start: async (server) => {
      const released = new AbortController();
      held = new Promise((resolve) => {
        released.signal.addEventListener("abort", () => resolve());
      });
      let connectedAt = performance.now();
      const giveUpAt = connectedAt + limits.wait;
      const note = (): void => void (connectedAt = performance.now());
      server.on("connection", note);
      for (let now = connectedAt; now < giveUpAt; now = performance.now()) {
        const left = connectedAt + limits.quiet - now;
        if (left <= 0) break;
        await new Promise((resolve) => setTimeout(resolve, left));
      }
      server.removeListener("connection", note);
      return () => {
        held = undefined;
        released.abort();
      };
    },
  };
}
