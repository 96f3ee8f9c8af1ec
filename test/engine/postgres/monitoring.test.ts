import { rm } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { makeHome } from "../../support/home.ts";
import { startServe } from "../../support/serving.ts";
import { until } from "../../support/waiting.ts";
import { connectTo, describeOnPostgres } from "./postgres-database.ts";

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
    await client.query("BEGIN; SELECT newest FROM held.clock FOR UPDATE");
    await until("/healthz is 503", async () => (await health()) === 503);
    await client.query("COMMIT");
    await until("/healthz is 200", async () => (await health()) === 200);
  });
});
