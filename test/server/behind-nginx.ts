import { onTestFinished } from "vitest";
import type { Home } from "../support/home.ts";
import { startNginx } from "../support/nginx.mjs";
import { startServe } from "../support/serving.ts";

type Server = Awaited<ReturnType<typeof startServe>>;

export interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: unknown;
}

/** Two servers over one database, behind nginx with the configuration of docs/deploy.md. */
interface Site {
  readonly servers: readonly [Server, Server];
  /** The environment of a client. */
  readonly client: Readonly<Record<string, string>>;
  /** Sends a request. Returns "closed" if the connection was closed without a response. */
  readonly send: (method: string, path: string, body?: object) => Promise<Response | "closed">;
}

/**
 * Starts both servers and nginx, until the end of the test.
 *
 * @param faults to inject into the first and the second server
 */
export async function startSite(home: Home, faults: readonly [string[], string[]]): Promise<Site> {
  const start = async (own: readonly string[]): Promise<Server> => {
    const options = own.flatMap((fault) => ["--fault", fault]);
    const server = await startServe(home, ["--port", "0", ...options], {});
    onTestFinished(async () => void (await server.kill()));
    return server;
  };
  const servers = [await start(faults[0]), await start(faults[1])] as const;
  const nginx = await startNginx(home.folder, [servers[0].serve.port, servers[1].serve.port]);
  onTestFinished(nginx.stop);
  const baseUrl = `http://127.0.0.1:${nginx.port}`;
  const key = servers[0].serve.key!;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return {
    servers,
    client: { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key },
    send: async (method, path, body) => {
      const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${baseUrl}${path}`, request).catch(() => undefined);
      if (response === undefined) return "closed";
      const { status } = response;
      const retryAfter = response.headers.get("retry-after");
      return { status, retryAfter, body: JSON.parse(await response.text()) as unknown };
    },
  };
}
