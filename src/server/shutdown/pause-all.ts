import type { Server, Socket } from "node:net";

/** Maximum turns of the event loop to wait for a quiet one. */
const maxTurns = 2000;

/** Milliseconds that a quiet turn takes at most. */
const quiet = 0.2;

/**
 * Stops reading from all connections, and resolves after a turn of the event loop that accepted none. When a server
 * closes, the system resets the connections that it has not accepted yet, and what their clients have sent is lost.
 * Reading nothing keeps the time between the last accepted connection and the close short.
 *
 * @param sockets returns the open connections
 * @returns a function that continues to read
 */
export async function pauseAll(
  server: Server,
  sockets: () => Iterable<Socket>,
): Promise<() => void> {
  let accepted = 0;
  const paused = new Set<Socket>();
  const pause = (socket: Socket): void => {
    accepted += 1;
    paused.add(socket.pause());
  };
  for (const socket of sockets()) pause(socket);
  server.on("connection", pause);
  for (let turn = 0; turn < maxTurns; turn += 1) {
    accepted = 0;
    const begunAt = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (accepted === 0 && performance.now() - begunAt < quiet) break;
  }
  return () => {
    server.removeListener("connection", pause);
    for (const socket of paused) socket.resume();
  };
}
