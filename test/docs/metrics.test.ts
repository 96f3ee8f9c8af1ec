import { rm } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { send, startRunning } from "../server/running-server.ts";
import { parseMetrics } from "../support/prometheus-text.ts";
import { startServe } from "../support/serving.ts";
import { makeHome } from "../support/home.ts";
import { describeOnPostgres } from "../engine/postgres/postgres-database.ts";
import { textOf } from "./markdown.ts";

const page = textOf("docs/deploy.md");

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

/** The type and the labels of metrics, by name. */
type Metrics = ReadonlyMap<string, { readonly type: string; readonly labels: readonly string[] }>;

/** The metrics of the page. */
const documented: Metrics = new Map(
  page
    .slice(page.indexOf("### Metrics"), page.indexOf("Panels for Grafana"))
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => {
      const [, names = "", type = "", labels = ""] = line.split("|").map((cell) => cell.trim());
      return codes(names).map((name) => [name, { type, labels: codes(labels).toSorted() }]);
    }),
);

/** Returns the metrics of a scrape. Those without a value so far get the labels of the page. */
function foundIn(text: string): Metrics {
  return new Map(
    parseMetrics(text).map(({ name, type, samples }) => {
      const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
      labels.delete("le");
      const own = samples.length === 0 ? documented.get(name)?.labels : undefined;
      return [name, { type, labels: own ?? [...labels].toSorted() }];
    }),
  );
}

// The process has more metrics on Linux.
describe.runIf(process.platform === "linux")("the metrics in docs/deploy.md", () => {
  test("are those of a server on SQLite", async () => {
    const running = await startRunning({ hasMetrics: true });
    await send(running, "GET", "/v1/group");
    const { text } = await send({ ...running, port: running.adminPort! }, "GET", "/metrics");
    const onSqlite = [...documented].filter(([name]) => !name.startsWith("sendctl_database_"));
    expect(foundIn(text)).toEqual(new Map(onSqlite));
  });

  test("are each in a query or from the process", () => {
    const [, after = ""] = page.split("Panels for Grafana");
    const [panels = ""] = after.split("### Rolling");
    const own = [...documented.keys()].filter((name) => name.startsWith("sendctl_"));
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter((name) => !panels.includes(name))).toEqual([]);
  });
});

describeOnPostgres((server) => {
  test.runIf(process.platform === "linux")(
    "the metrics are those of a server on PostgreSQL",
    async () => {
      const home = await makeHome();
      onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
      const args = ["--port", "0", "--admin-port", "0"];
      const env = { SENDCTL_DATABASE: server().url("metrics") };
      const { serve, kill } = await startServe(home, args, env);
      onTestFinished(async () => void (await kill()));
      await serve.said("/metrics");
      const [url = ""] = /http:\S+\/metrics/.exec(serve.stderr()) ?? [];
      await fetch(`${serve.baseUrl}/v1/group`);
      expect(foundIn(await (await fetch(url)).text())).toEqual(documented);
    },
  );
});
