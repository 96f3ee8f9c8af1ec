import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
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

describe.concurrent("serve in a terminal", () => {
  test("that is closed leaves neither its database nor its file", async ({ home, expect }) => {
    const temporary = join(home.folder, "temporary");
    await mkdir(temporary);
    const words = ["serve", "--temporary", "--port", "0", "--write-env", "service.env"];
    const serving = home.start(words, { TMPDIR: temporary });
    await until("it listens", () => existsSync(join(home.folder, "service.env")));
    // A debugger would be open to every user of this machine.
    serving.kill("SIGUSR1");
    await until("its database exists", async () => (await readdir(temporary)).length > 0);
    serving.kill("SIGHUP");
    const { exitCode, stderr } = await serving;
    expect(exitCode).toBe(0);
    expect(stderr).toContain("SIGHUP: stopping");
    expect(stderr).not.toContain("Debugger");
    expect(await readdir(temporary)).toEqual([]);
    expect(existsSync(join(home.folder, "service.env"))).toBe(false);
  });
});
