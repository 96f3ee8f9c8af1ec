import { Agent } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe } from "vitest";
import { send } from "../../server/running-server.ts";
import { postGroup } from "../../server/raw-http.ts";
import { test } from "../../support/serving.ts";
import { inTime, until } from "../../support/waiting.ts";

describe.concurrent("serve --drain", () => {
  test("serves all requests until its end", async ({ serve, expect }) => {
    // Long enough that only the second signal ends it.
    const { port, key, stop, said } = await serve(["--port", "0", "--drain", "1h"]);
    const running = { port, key: key! };
    let isStopping = false;
    /** Sends requests on connections that it reuses, until it has sent 20 of them while the server drains. */
    const client = async (index: number): Promise<number[]> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const statuses = [];
      for (let left = 20; left > 0; left -= isStopping ? 1 : 0) {
        const body = { name: `Client ${index}` };
        const created = await send(running, "POST", "/v1/group", { agent, body });
        const listed = await send(running, "GET", "/v1/group?perPage=1", { agent });
        statuses.push(created.status, listed.status);
      }
      agent.destroy();
      return statuses;
    };
    const statusOf = async (path: string) =>
      (await send(running, "GET", path, { key: null })).status;
    expect(await statusOf("/readyz")).toBe(200);
    const clients = Promise.all([0, 1, 2].map(client));
    const ended = stop("SIGTERM");
    await until("/readyz is 503", async () => (await statusOf("/readyz")) === 503);
    isStopping = true;
    const statuses = await inTime("the clients", clients);
    expect(new Set(statuses.flat())).toEqual(new Set([200, 201]));
    const ready = await send(running, "GET", "/readyz", { key: null });
    expect(JSON.parse(ready.text)).toMatchObject({ status: false, data: { cause: "draining" } });
    expect([await statusOf("/livez"), await statusOf("/healthz")]).toEqual([200, 200]);

    await said("SIGTERM: draining for 1h");
    const [first, second] = await Promise.all([ended, stop("SIGINT")]);
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    await expect(send(running, "GET", "/livez")).rejects.toThrow("ECONNREFUSED");
  });

  test("resets no connection when it stops to accept them", async ({ serve, expect }) => {
    const { port, key, stop } = await serve(["--port", "0", "--drain", "50ms"]);
    const running = { port, key: key! };
    /** Sends each request on a connection of its own, until the server refuses one. */
    const client = async (): Promise<string> => {
      for (;;) {
        const problem = await send(running, "GET", "/v1/group").then(
          ({ status }) => (status === 200 ? undefined : `${status}`),
          (error: unknown) => (error as NodeJS.ErrnoException).code,
        );
        if (problem !== undefined) return problem;
      }
    };
    const clients = Array.from({ length: 10 }, client);
    expect((await stop()).exitCode).toBe(0);
    expect(new Set(await Promise.all(clients))).toEqual(new Set(["ECONNREFUSED"]));
  });

  test("ends on its own, after the requests in progress", async ({ serve, expect }) => {
    const { port, key, stop } = await serve(["--port", "0", "--drain", "50ms"]);
    const running = { port, key: key! };
    const partial = connect(port, "127.0.0.1");
    const request = postGroup(running.key, '{"name":"Friends"}');
    partial.write(request.slice(0, -5));
    await once(partial, "connect");
    expect((await send(running, "GET", "/v1/group")).status).toBe(200);
    const ended = stop();
    const isRefused = (): Promise<boolean> =>
      send(running, "GET", "/livez").then(
        () => false,
        () => true,
      );
    await until("connections are refused", isRefused);
    partial.write(request.slice(-5));
    expect(await text(partial)).toMatch(/^HTTP\/1\.1 201 /);
    expect((await ended).exitCode).toBe(0);
  });
});

describe.concurrent("a second signal to serve", () => {
  test("ends it at once, whatever is in progress", async ({ serve, expect }) => {
    const { port, key, stop, said } = await serve();
    const partial = connect(port, "127.0.0.1");
    partial.write(postGroup(key!, '{"name":"Friends"}').slice(0, -5));
    await once(partial, "connect");
    // The connection is closed or reset.
    const response = text(partial).catch(() => "");
    expect((await send({ port, key: key! }, "GET", "/livez")).status).toBe(200);
    const ended = stop();
    await said("SIGTERM: stopping");
    await stop();
    expect((await ended).exitCode).toBe(0);
    expect(await response).toBe("");
  });
});
