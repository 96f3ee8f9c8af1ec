import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { makeHome } from "../../support/home.ts";
import { startServe } from "../../support/serving.ts";
import { until } from "../../support/waiting.ts";
import { connectTo, describeOnPostgres, runSql } from "./postgres-database.ts";

describeOnPostgres((server) => {
  async function start(schema: string) {
    const home = await makeHome();
    onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
    // A password that the server does not ask for.
    const env = { SENDCTL_DATABASE: server().url(schema).replace("@", ":p4ssw0rd@") };
    const { serve, kill } = await startServe(home, ["--port", "0"], env);
    onTestFinished(async () => void (await kill()));
    await serve.said("database postgres://");
    const create = async () => {
      const response = await fetch(`${serve.baseUrl}/v1/group`, {
        method: "POST",
        headers: { Authorization: `Bearer ${serve.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: "Friends" }),
      });
      await response.text();
      return { status: response.status, retryAfter: response.headers.get("retry-after") };
    };
    const health = async (): Promise<number> => (await fetch(`${serve.baseUrl}/healthz`)).status;
    return { home, env, serve, create, health };
  }

  test("/healthz notices an outage, which the server survives", async () => {
    const { home, env, serve, create, health } = await start("outage");
    expect(await create()).toMatchObject({ status: 201 });
    expect(await health()).toBe(200);
    await server().crash();
    await until("/healthz is 503", async () => (await health()) === 503);
    expect(await create()).toEqual({ status: 503, retryAfter: "1" });
    await server().start();
    await until("/healthz is 200", async () => (await health()) === 200);
    expect(await create()).toMatchObject({ status: 201 });
    const log = await home.run(["local", "log", "-o", "jsonl"], env);
    expect(log.stdout).toContain('"status":503');
    const { exitCode, stdout, stderr } = await serve.stop();
    expect(exitCode).toBe(0);
    expect(stdout + stderr + log.stdout).not.toContain("p4ss");
  });

  test("/healthz reports that writes are blocked", async () => {
    const { create, health } = await start("held");
    expect(await create()).toMatchObject({ status: 201 });
    expect(await health()).toBe(200);
    const client = await connectTo(server());
    onTestFinished(() => client.end());
    await client.query("BEGIN; LOCK TABLE held.integration IN EXCLUSIVE MODE");
    await until("/healthz is 503", async () => (await health()) === 503);
    await client.query("COMMIT");
    await until("/healthz is 200", async () => (await health()) === 200);
  });

  test("a standby serves reads and refuses writes", async () => {
    const { home, serve, create } = await start("standby");
    expect(await create()).toMatchObject({ status: 201 });
    await runSql(
      server(),
      "standby",
      "CREATE ROLE standby LOGIN",
      "GRANT USAGE ON SCHEMA standby TO standby",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA standby TO standby",
      "ALTER ROLE standby SET default_transaction_read_only = on",
    );
    const address = new URL(server().url("standby"));
    address.username = "standby";
    const standby = await startServe(home, ["--port", "0"], { SENDCTL_DATABASE: address.href });
    onTestFinished(async () => void (await standby.kill()));
    const send = (method: string, body?: string) =>
      fetch(`${standby.serve.baseUrl}/v1/group`, {
        method,
        headers: { Authorization: `Bearer ${serve.key}`, "Content-Type": "application/json" },
        ...(body !== undefined && { body }),
      });
    const list = (await (await send("GET")).json()) as { data: { data: object[] } };
    expect(list).toMatchObject({ status: true });
    expect((await send("POST", '{"name":"Family"}')).status).toBe(503);
  });

  test("while an integration is locked, others are written, and its lists are read", async () => {
    const { home, env, serve, create } = await start("locked");
    await home.run(["local", "integration", "create", "busy"], env);
    const made = await home.run("local key create --integration busy --json".split(" "), env);
    const { secret_key: key } = (JSON.parse(made.stdout) as { data: { secret_key: string } }).data;
    const send = (method: string) =>
      fetch(`${serve.baseUrl}/v1/group`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(method === "POST" && { body: '{"name":"Friends"}' }),
      });
    const client = await connectTo(server());
    onTestFinished(() => client.end());
    await client.query("BEGIN; UPDATE locked.integration SET newest = newest WHERE name = 'busy'");
    // Fewer than there are connections, each of which can take one.
    const waiting = Array.from({ length: 6 }, () => send("POST"));
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    const count = async () => (await runSql(server(), "locked", waits)).length;
    await until("they wait", async () => (await count()) >= 1);
    await sleep(200);
    for (let count = 0; count < 5; count += 1)
      expect(await create()).toMatchObject({ status: 201 });
    expect((await send("GET")).status).toBe(200);
    await client.query("COMMIT");
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(201);
  });
});
