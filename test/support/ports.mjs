/** Ports for servers of tests. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that operating systems give to whoever asks for any: nobody else takes one by chance. */
const [lowest, highest] = [16_000, 32_000];

/**
 * Takes a port, so that no other process can use it.
 *
 * @returns {Promise<{ port: number, close: () => Promise<void> }>}
 */
export async function takePort() {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if (error.code === "EADDRINUSE") continue;
      throw error;
    }
    const close = async () => {
      server.close();
      await once(server, "close");
    };
    return { port, close };
  }
}

/** Returns a port that is free, and that only another call could take. */
export async function freePort() {
  const { port, close } = await takePort();
  await close();
  return port;
}
