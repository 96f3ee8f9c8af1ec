import { rm } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { makeHome } from "../../support/home.ts";
import { metricValue, parseMetrics } from "../../support/prometheus-text.ts";
import { startServe } from "../../support/serving.ts";
import { until } from "../../support/waiting.ts";
import { connectTo, describeOnPostgres } from "./postgres-database.ts";

describeOnPostgres((server) => {
  async function start(schema: string) {
    const home = await makeHome();
    onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
    const env = { SENDCTL_DATABASE: server().url(schema) };
    const { serve, kill } = await startServe(home, ["--port", "0", "--admin-port", "0"], env);
    onTestFinished(async () => void (await kill()));
    await serve.said("/metrics");
    const [metrics = ""] = /http:\S+\/metrics/.exec(serve.stderr()) ?? [];
    const create = async (): Promise<number> => {
      const response = await fetch(`${serve.baseUrl}/v1/group`, {
        method: "POST",
        headers: { Authorization: `Bearer ${serve.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: "Friends" }),
      });
      await response.text();
      return response.status;
    };
    /** Returns the status and the cause, on both listeners. */
    const readiness = async (): Promise<string> => {
      const bases = [serve.baseUrl, metrics.replace("/metrics", "")];
      const texts = await Promise.all(
        bases.map(async (base) => {
          const response = await fetch(`${base}/readyz`);
          const { data } = (await response.json()) as { data: { cause: string } | null };
          return `${response.status} ${data?.cause ?? ""}`.trim();
        }),
      );
      return [...new Set(texts)].join(", ");
    };
    const isAlive = async (): Promise<boolean> => (await fetch(`${serve.baseUrl}/livez`)).ok;
    const scrape = async () => parseMetrics(await (await fetch(metrics)).text());
    return { create, readiness, isAlive, scrape };
  }

  test("/readyz and metrics notice an outage, which /livez survives", async () => {
    const { create, readiness, isAlive, scrape } = await start("outage");
    expect(await create()).toBe(201);
    expect(await readiness()).toBe("200");
    const state = "sendctl_database_connections";
    const open = await scrape();
    const connections =
      metricValue(open, state, { state: "idle" }) + metricValue(open, state, { state: "in_use" });
    expect(connections).toBeGreaterThan(0);
    expect(metricValue(open, "sendctl_database_waiting")).toBeGreaterThanOrEqual(0);
    await server().crash();
    await until("/readyz is 503", async () => (await readiness()) === "503 database");
    expect(await isAlive()).toBe(true);
    expect(await create()).toBe(503);
    const away = await scrape();
    const unavailable = metricValue(away, "sendctl_unavailable_total", { cause: "database" });
    expect(unavailable).toBe(1);
    await server().start();
    await until("/readyz is 200", async () => (await readiness()) === "200");
  });

  test("/readyz reports that writes are blocked", async () => {
    const { create, readiness, isAlive } = await start("held");
    expect(await create()).toBe(201);
    const client = await connectTo(server());
    onTestFinished(() => client.end());
    await client.query("BEGIN; SELECT newest FROM held.clock FOR UPDATE");
    await until("/readyz is 503", async () => (await readiness()) === "503 writes blocked");
    expect(await isAlive()).toBe(true);
    await client.query("COMMIT");
    await until("/readyz is 200", async () => (await readiness()) === "200");
  });
});
