import { connect } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe } from "vitest";
import { send } from "../../server/running-server.ts";
import { postGroup } from "../../server/raw-http.ts";
import { test } from "../../support/serving.ts";
import { until } from "../../support/waiting.ts";

describe.concurrent("a signal to serve", () => {
  test("ends after the requests in progress", async ({ serve, expect }) => {
    const { port, key, stop } = await serve();
    const running = { port, key: key! };
    const partial = connect(port, "127.0.0.1");
    const request = postGroup(running.key, '{"name":"Friends"}');
    partial.write(request.slice(0, -5));
    await once(partial, "connect");
    expect((await send(running, "GET", "/v1/group")).status).toBe(200);
    const ended = stop();
    const isRefused = (): Promise<boolean> =>
      send(running, "GET", "/healthz").then(
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
    expect((await send({ port, key: key! }, "GET", "/healthz")).status).toBe(200);
    const ended = stop();
    await said("SIGTERM: stopping");
    await stop();
    expect((await ended).exitCode).toBe(0);
    expect(await response).toBe("");
  });
});
