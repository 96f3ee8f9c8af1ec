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
    /** Returns the status and the cause. */
    const readiness = async (): Promise<string> => {
      const response = await fetch(`${serve.baseUrl}/readyz`);
      const { data } = (await response.json()) as { data: { cause: string } | null };
      return `${response.status} ${data?.cause ?? ""}`.trim();
    };
    const isUp = async (path: string) => (await fetch(`${serve.baseUrl}${path}`)).ok;
    return { home, env, serve, create, readiness, isUp };
  }

  test("/readyz notices an outage, which /livez survives", async () => {
    const { home, env, serve, create, readiness, isUp } = await start("outage");
    expect(await create()).toMatchObject({ status: 201 });
    expect(await isUp("/healthz")).toBe(true);
    expect(await readiness()).toBe("200");
    await server().crash();
    await until("/readyz is 503", async () => (await readiness()) === "503 database");
    expect(await isUp("/livez")).toBe(true);
    expect(await create()).toEqual({ status: 503, retryAfter: "1" });
    expect(await isUp("/healthz")).toBe(false);
    await server().start();
    await until("/readyz is 200", async () => (await readiness()) === "200");
    expect(await isUp("/healthz")).toBe(true);
    expect(await create()).toMatchObject({ status: 201 });
    const log = await home.run(["local", "log", "-o", "jsonl"], env);
    expect(log.stdout).toContain('"status":503');
    const { exitCode, stdout, stderr } = await serve.stop();
    expect(exitCode).toBe(0);
    expect(stdout + stderr + log.stdout).not.toContain("p4ss");
  });

  test("/readyz reports that writes are blocked", async () => {
    const { create, readiness, isUp } = await start("held");
    expect(await create()).toMatchObject({ status: 201 });
    const client = await connectTo(server());
    onTestFinished(() => client.end());
    await client.query("BEGIN; SELECT newest FROM held.clock FOR UPDATE");
    await until("/readyz is 503", async () => (await readiness()) === "503 writes blocked");
    expect(await isUp("/livez")).toBe(true);
    await client.query("COMMIT");
    await until("/readyz is 200", async () => (await readiness()) === "200");
  });
});
