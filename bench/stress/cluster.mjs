import { rmSync } from "node:fs";
import { startNginx } from "../../test/support/nginx.mjs";
import { startPostgres } from "../../test/support/postgres-server.mjs";
import { createUser, end, startServing } from "./clients.mjs";
import { createHttpClient } from "./http-client.mjs";

/** Starts two servers over one PostgreSQL behind nginx, with docs/deploy/nginx.conf, and a client. */
export async function startCluster(folder, connections, ...options) {
  const postgres = await startPostgres({ isDurable: true });
  const url = postgres.url("sendctl");
  const start = (port = 0) =>
    startServing(createUser(folder, url), "--port", String(port), ...options);
  const servers = [await start(), await start()];
  const [{ key }] = servers;
  const nginx = await startNginx(
    folder,
    servers.map(({ port }) => port),
  );
  const { send, close } = createHttpClient(nginx.port, key, connections);
  return {
    postgres,
    url,
    servers,
    /** Starts a server again, on its port. */
    startAgain: async (index) => {
      servers[index] = await start(servers[index].port);
    },
    port: nginx.port,
    send,
    stop: async () => {
      close();
      await nginx.stop();
      await Promise.all(servers.map(({ child }) => end(child, "SIGTERM")));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
