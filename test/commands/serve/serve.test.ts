import { connect } from "node:net";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe } from "vitest";
import { dataOf } from "../../support/home.ts";
import { freePort, takePort } from "../../support/ports.mjs";
import { groupsOf, logLines, test } from "../../support/serving.ts";

const key = /^sk_[A-Za-z0-9_-]{43}$/;

async function statusOf(baseUrl: string, path: string, secret?: string): Promise<number> {
  const headers = secret === undefined ? {} : { Authorization: `Bearer ${secret}` };
  const response = await fetch(`${baseUrl}${path}`, { headers });
  await response.text();
  return response.status;
}

describe.concurrent("serve prints", () => {
  test("lines for a shell, and the first key once", async ({ home, serve, expect }) => {
    const first = await serve();
    expect(first.stdout()).toBe(
      `export SENDCTL_BASE_URL=http://127.0.0.1:${first.port}\n` +
        `export SENDCTL_SECRET_KEY=${first.key}\n`,
    );
    expect(first.port).toBeGreaterThan(0);
    expect(first.key).toMatch(key);
    await first.said("Listening");
    const { exitCode, stderr } = await first.stop();
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 0,
      stderr:
        "Created the first key; it is not shown again\n" +
        `Listening on ${first.baseUrl} · database ${home.database}\n` +
        "SIGTERM: stopping after the requests in progress\n",
    });

    const second = await serve();
    expect(second.stdout()).toBe(`export SENDCTL_BASE_URL=${second.baseUrl}\n`);
    expect(await statusOf(second.baseUrl, "/v1/group", first.key)).toBe(200);
    expect((await second.stop()).stderr).toContain("sendctl local key create\n");
  });

  test("lines that a shell can evaluate", async ({ home, expect }) => {
    const script = `
      coproc SERVE { exec "$NODE" "$LAUNCHER" serve --port 0 -q; }
      pid=$SERVE_PID
      IFS= read -r one <&"\${SERVE[0]}"; eval "$one"
      IFS= read -r two <&"\${SERVE[0]}"; eval "$two"
      sendctl group create Friends -q --json; code=$?
      kill "$pid"; wait "$pid"; exit "$code$?"`;
    const { exitCode, stdout, stderr } = await home.shell(script);
    expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ status: true, data: { name: "Friends" } });
    expect((await groupsOf(home)).map(({ name }) => name)).toStrictEqual(["Friends"]);
  });

  test("an envelope under --json", async ({ home, serve, expect }) => {
    const first = await serve(["--port", "0", "--json"]);
    expect(JSON.parse(first.stdout())).toStrictEqual({
      status: true,
      message: expect.any(String),
      data: {
        base_url: first.baseUrl,
        secret_key: expect.stringMatching(key),
        database: home.database,
      },
    });
    await first.stop();
    const second = await serve(["--port=0", "-o", "json"]);
    expect(JSON.parse(second.stdout())).toMatchObject({ data: { base_url: second.baseUrl } });
    expect(second.key).toBeUndefined();
  });

  test("nothing on stderr under --quiet", async ({ serve, expect }) => {
    const { baseUrl, stop, stdout, key: secret } = await serve(["--port", "0", "--quiet"]);
    expect(await statusOf(baseUrl, "/v1/group", secret)).toBe(200);
    expect(stdout().split("\n")).toHaveLength(3);
    expect(await stop()).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("a warning if other machines can connect", async ({ serve, expect }) => {
    const open = await serve(["--port", "0", "--host", "0.0.0.0"]);
    await open.said("Listening");
    expect(open.stderr()).toMatch(/^Warning: 0\.0\.0\.0 accepts connections from other machines/m);
    expect(open.baseUrl).toBe(`http://127.0.0.1:${open.port}`);
    expect(await statusOf(open.baseUrl, "/healthz")).toBe(200);
    for (const host of ["127.0.0.1", "localhost", "127.0.0.2"]) {
      const own = await serve(["--port", "0", "--host", host]);
      await own.said("Listening");
      expect(own.stderr()).not.toContain("Warning");
      expect(await statusOf(own.baseUrl, "/healthz")).toBe(200);
    }
  });

  test("to a closed pipe, and keeps serving", async ({ home, expect }) => {
    const port = await freePort();
    const script = `
      exec 3> >(:); wait $!
      "$NODE" "$LAUNCHER" serve --port ${port} >&3 2>err & pid=$!
      for _ in {1..500}; do curl -s http://127.0.0.1:${port}/healthz && break; sleep 0.05; done
      kill "$pid"; wait "$pid"; code=$?; cat err >&2; exit "$code"`;
    const { exitCode, stdout, stderr } = await home.shell(script);
    expect(JSON.parse(stdout)).toMatchObject({ status: true, message: "Healthy" });
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/EPIPE|defect/i);
  });
});

describe.concurrent("serve rejects", () => {
  test("a port in use", async ({ home, serve, expect }) => {
    const other = await takePort();
    const { exitCode, stdout, stderr } = await home.run(["serve", "--port", String(other.port)]);
    await other.close();
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 8, stdout: "" });
    expect(stderr).toMatch(/^hint: .*--port/m);
    expect(stderr).toContain(`port ${other.port} of 127.0.0.1 is in use`);
    // No key was created, because it would never have been shown.
    expect((await serve()).key).toMatch(key);
  });

  test("no SENDCTL_BASE_URL, and serves the embedded database", async ({ serve, expect }) => {
    const env = { SENDCTL_BASE_URL: "https://example.com" };
    const { baseUrl, key: secret } = await serve(["--port", "0"], env);
    expect(await statusOf(baseUrl, "/v1/group", secret)).toBe(200);
  });
});

describe.concurrent("the request log of serve", () => {
  test("does not report a disconnected client as a defect", async ({ serve, expect }) => {
    const { port, baseUrl, stop } = await serve();
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /v1/group HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
    await once(socket, "connect");
    expect(await statusOf(baseUrl, "/healthz")).toBe(200);
    socket.destroy();
    await once(socket, "close");
    expect(await statusOf(baseUrl, "/healthz")).toBe(200);
    const { exitCode, stderr } = await stop();
    expect(exitCode).toBe(0);
    expect(stderr).not.toMatch(/defect/i);
  });
});

describe.concurrent("a signal to serve", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`${signal} finishes requests in progress, exits with 0, and allows a restart`, async ({
      home,
      serve,
      expect,
    }) => {
      const first = await serve();
      const body = '{"name":"Friends"}';
      const socket = connect(first.port, "127.0.0.1");
      socket.write(
        `POST /v1/group HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
      );
      await once(socket, "connect");
      expect(await statusOf(first.baseUrl, "/healthz")).toBe(200);
      const ended = first.stop(signal);
      await first.said(`${signal}: stopping`);
      socket.write(body.slice(1));
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
      const { exitCode, stderr } = await ended;
      expect(exitCode).toBe(0);
      expect(logLines(stderr).map(({ status }) => status)).toStrictEqual([200, 201]);

      const second = await serve(["--port", String(first.port)]);
      expect(await statusOf(second.baseUrl, "/v1/group/1", first.key)).toBe(200);
      expect((await second.stop(signal)).exitCode).toBe(0);
      expect((await groupsOf(home)).map(({ name }) => name)).toStrictEqual(["Friends"]);
    });
  }
});

describe.concurrent("a served database", () => {
  test("accepts concurrent writes from a server and ten processes", async ({
    home,
    serve,
    expect,
  }) => {
    const { client, stop } = await serve();
    const indices = Array.from({ length: 10 }, (_, index) => index);
    const outcomes = await Promise.all(
      indices.flatMap((index) => [
        home.spawn(["group", "create", `Here ${index}`, "--json"]),
        home.run(["group", "create", `There ${index}`, "--json"], client),
      ]),
    );
    expect(outcomes.map(({ exitCode }) => exitCode)).toStrictEqual(outcomes.map(() => 0));
    const created = outcomes.map((outcome) => dataOf(outcome) as { id: number; name: string });
    const here = await groupsOf(home);
    expect(here.map(({ id, name }) => ({ id, name }))).toStrictEqual(
      created.toSorted((a, b) => b.id - a.id).map(({ id, name }) => ({ id, name })),
    );
    expect(await groupsOf(home, client)).toStrictEqual(here);
    expect((await stop()).exitCode).toBe(0);
  });

  test("rejects a revoked key at the next request", async ({ home, serve, expect }) => {
    const { client, baseUrl, key: secret } = await serve();
    const other = dataOf(await home.run(["local", "key", "create", "--json"]));
    const { secret_key: second } = other as { secret_key: string };
    // The server has seen both keys before.
    for (const key of [secret, second]) {
      expect(await statusOf(baseUrl, "/v1/group", key)).toBe(200);
    }
    expect((await home.run(["local", "key", "revoke", "1", "--yes"])).exitCode).toBe(0);
    expect(await statusOf(baseUrl, "/v1/group", secret)).toBe(401);
    const refused = await home.run(["group", "list"], client);
    expect(refused).toMatchObject({ exitCode: 3, stdout: "" });
    expect(await statusOf(baseUrl, "/v1/group", second)).toBe(200);
  });
});
