import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../../src/engine/sqlite/connection/connect.ts";
import { beforeAll, describe } from "vitest";
import { migrations } from "../../../src/engine/sqlite/connection/migrations.ts";
import {
  startPostgres,
  whyNoPostgres,
  type PostgresServer,
} from "../../support/postgres-server.mjs";
import type { Home } from "../../support/home.ts";
import { freePort } from "../../support/ports.mjs";
import { test } from "../../support/serving.ts";
import { inTime } from "../../support/waiting.ts";

const serveArgs = ["serve", "--port", "0", "--json"];

/** Starts `serve` without waiting until it listens. */
function starting(home: Home, ...args: string[]) {
  const child = home.start([...serveArgs, ...args]);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const said = async (text: string): Promise<void> => {
    while (!stderr.includes(text)) await sleep(20);
  };
  return { child, said: (text: string) => inTime(`serve prints ${text}`, said(text)) };
}

interface Started {
  readonly data: { readonly secret_key?: string };
}

test("five servers on an empty database create one first key", async ({ home, serve, expect }) => {
  const servers = await Promise.all(Array.from({ length: 5 }, () => serve()));
  expect(servers.filter(({ key }) => key !== undefined)).toHaveLength(1);
  const { stdout } = await home.run(["local", "key", "list", "-o", "id"]);
  expect(stdout).toBe("1\n");
});

test("--no-first-key creates no key", async ({ home, serve, expect }) => {
  const { key, stop, said } = await serve(["--port", "0", "--no-first-key"]);
  expect(key).toBeUndefined();
  await said("sendctl local key create");
  expect(await stop()).toMatchObject({ exitCode: 0 });
  const { stdout } = await home.run(["local", "key", "list", "-o", "id"]);
  expect(stdout).toBe("");
  const both = await home.run([...serveArgs, "--no-first-key", "--write-env", "service.env"]);
  expect(both.exitCode).toBe(2);
});

test("--no-migrate creates and changes no schema", async ({ home, serve, expect }) => {
  const options = ["--no-migrate", "--database", "own.db"];
  const file = join(home.folder, "own.db");
  const failure = async (): Promise<unknown> => {
    const { exitCode, stdout } = await home.run([...serveArgs, ...options]);
    const { error } = JSON.parse(stdout) as { error: { kind: string; hint: string } };
    return { exitCode, kind: error.kind, hint: error.hint };
  };
  const hint = `sendctl local migrate --database ${file}`;
  const refused = { exitCode: 11, kind: "database", hint };
  expect(await failure()).toEqual(refused);
  expect(existsSync(file)).toBe(false);
  const older = connect(file);
  older.exec(migrations[0]!);
  older.exec("PRAGMA application_id = 0x5343544c; PRAGMA user_version = 1");
  expect(await failure()).toEqual(refused);
  expect(older.pragma("user_version", { simple: true })).toBe(1);
  older.close();
  expect((await home.run(hint.split(" ").slice(1))).exitCode).toBe(0);
  const { stop } = await serve(["--port", "0", ...options]);
  expect(await stop()).toMatchObject({ exitCode: 0 });
});

test("--wait-for-database gives up after that time", async ({ home, expect }) => {
  const database = `postgres://anna@127.0.0.1:${await freePort()}/main`;
  const args = ["--database", database, "--wait-for-database"];
  expect((await home.run([...serveArgs, ...args, "1s"])).exitCode).toBe(11);
  expect((await home.run([...serveArgs, ...args, "soon"])).exitCode).toBe(2);
});

test("SIGTERM ends the wait for the database", async ({ home, expect }) => {
  const database = `postgres://anna@127.0.0.1:${await freePort()}/main`;
  const { child, said } = starting(home, "--database", database, "--wait-for-database", "1h");
  await said("waiting up to 1h");
  child.kill("SIGTERM");
  expect((await inTime("serve exits", child)).exitCode).toBe(0);
});

describe.skipIf(whyNoPostgres !== undefined)("on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    return () => server.stop();
  });

  test("serve waits until the server runs, and one of five creates a key", async ({
    home,
    expect,
    onTestFinished,
  }) => {
    await server.crash();
    const args = ["--database", server.url("waited"), "--wait-for-database", "2m"];
    const servers = Array.from({ length: 5 }, () => starting(home, ...args));
    onTestFinished(() => {
      for (const { child } of servers) child.kill("SIGKILL");
    });
    for (const { said } of servers) await said("; waiting up to ");
    await server.start();
    for (const { said } of servers) await said("Listening on");
    for (const { child } of servers) child.kill("SIGTERM");
    const outcomes = await Promise.all(servers.map(({ child }) => child));
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
    const keys = outcomes.flatMap(({ stdout }) => {
      const { data } = JSON.parse(stdout) as Started;
      return data.secret_key ?? [];
    });
    expect(keys).toHaveLength(1);
  });

  test("a wrong password or database ends the wait", async ({ home, expect }) => {
    const { port, user } = server;
    const refused = (database: string) =>
      home.run([...serveArgs, "--database", database, "--wait-for-database", "1h"]);
    const absent = await refused(`postgres://${user}@127.0.0.1:${port}/absent`);
    expect(absent).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining("absent at 127.0.0.1"),
    });
    await server.admit(["host all all all scram-sha-256"]);
    await server.crash();
    await server.start();
    const wrong = await refused(`postgres://${user}:wrong@127.0.0.1:${port}/postgres`);
    expect(wrong).toMatchObject({ exitCode: 11, stderr: expect.stringContaining("password") });
  });
});
