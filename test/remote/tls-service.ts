import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { envelope, group } from "./sample-responses.ts";

function fixture(name: string): string {
  return join(import.meta.dirname, "fixtures", name);
}

/** The value of NODE_EXTRA_CA_CERTS with which the test certificates are trusted. */
export const authority = fixture("authority.pem");

export type Certificate = "service" | "other-name" | "expired" | "self-signed";

export interface TlsService {
  readonly port: number;
  /** Decrypted requests, as "GET /v1/group/12". */
  readonly requests: readonly string[];
  /** The Authorization header of each request. */
  readonly keys: readonly (string | undefined)[];
  readonly close: () => Promise<void>;
}

/** Starts an HTTPS service. @param withAuthority whether to send the authority's certificate, too */
export async function startTlsService(
  certificate: Certificate,
  withAuthority = false,
): Promise<TlsService> {
  const requests: string[] = [];
  const keys: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const chain = [`${certificate}.pem`, ...(withAuthority ? ["authority.pem"] : [])];
  const server = createServer(
    {
      key: readFileSync(fixture("service.key")),
      cert: chain.map((name) => readFileSync(fixture(name), "utf8")).join("\n"),
    },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      keys.push(request.headers.authorization);
      response.end(JSON.stringify(envelope(group)));
    },
  );
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  // A client that does not trust the certificate hangs up during the handshake.
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    keys,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
