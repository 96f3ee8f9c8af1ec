import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf } from "../../support/home.ts";
import { logLines, test } from "../../support/serving.ts";

/** Groups with fields that a create sets and fields that only an update sets. */
const groups = Array.from({ length: 300 }, (_, index) => ({
  name: `Group ${index}`,
  send_birthday: index % 2 === 0,
  ...(index % 3 === 0 ? { send_holiday: true } : {}),
  ...(index % 5 === 0 ? { sender_id: "ACME" } : {}),
}));
const updated = groups.filter(({ send_holiday, sender_id }) => send_holiday ?? sender_id);
const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }], groups };

/** Counts the requests in a server's log by method. */
function servedRequests(log: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of logLines(log)) {
    const method = String(line["method"]);
    counts[method] = (counts[method] ?? 0) + 1;
  }
  return counts;
}

describe("apply over HTTP", () => {
  test("sends only the necessary requests, and no write the second time", async ({
    home,
    serveHere,
    expect,
  }) => {
    const server = await serveHere();
    await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
    const args = ["apply", "-f", "m.json", "--yes", "--json"];
    const first = await home.run(args, server.client);
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain(`→ ${server.baseUrl}\n`);
    expect(first.stderr).not.toContain("Warning");
    expect(dataOf(first)).toMatchObject({ applied: 301, failed: 0, not_tried: 0 });
    const writes = { POST: 301, PUT: updated.length };
    // Each update reads its record, and the lists are read before the first write.
    const reads = 2 + updated.length;
    await expect
      .poll(() => servedRequests(server.stderr()))
      .toStrictEqual({ GET: reads, ...writes });
    expect((await home.run(args, server.client)).exitCode).toBe(0);
    expect((await home.run(["diff", "-f", "m.json"], server.client)).exitCode).toBe(0);
    await expect
      .poll(() => servedRequests(server.stderr()))
      .toStrictEqual({ GET: reads + 4, ...writes });
    await server.stop();
    expect(servedRequests(server.stderr())).toStrictEqual({ GET: reads + 4, ...writes });
  });

  test("continues after reaching the rate limit", async ({ home, serveHere, expect }) => {
    const server = await serveHere(["--rate-limit", "40"]);
    const fewer = JSON.stringify({ ...manifest, groups: groups.slice(0, 60) });
    await writeFile(join(home.folder, "m.json"), fewer);
    const args = ["apply", "-f", "m.json", "--yes", "--json"];
    const { exitCode, stdout } = await home.run(args, server.client);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: true, data: { failed: 0 } });
  });

  test("sends nothing if any part of the manifest is invalid", async ({
    home,
    serveHere,
    expect,
  }) => {
    const server = await serveHere();
    for (const [text, location] of [
      ["groups:\n  - name: true\n", "2:11"],
      ["groups:\n  - {name: A, send_holliday: true}\n", "2:15"],
      ["groups:\n  - name: A\n  - name: A\n", "3:11"],
      ["groups:\n  - name: ${NOT_SET}\n", "2:11"],
      ["groups: [\n", "2:1"],
    ] as const) {
      await writeFile(join(home.folder, "m.yaml"), text);
      const args = ["apply", "-f", "m.yaml", "--yes"];
      const { exitCode, stdout, stderr } = await home.run(args, server.client);
      expect({ exitCode, stdout }).toStrictEqual({ exitCode: 2, stdout: "" });
      expect(stderr).toContain(`\nm.yaml:${location}: `);
    }
    await writeFile(join(home.folder, "m.yaml"), Buffer.alloc(50 * 1024 * 1024, "a"));
    const { exitCode, stderr } = await home.run(["diff", "-f", "m.yaml"], server.client);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("\nm.yaml:1:1: the file is larger than 8 MiB; ");
    await server.stop();
    expect(servedRequests(server.stderr())).toStrictEqual({});
  });

  test("substitutes environment variables", async ({ home, serveHere, expect }) => {
    const server = await serveHere();
    const text =
      "groups:\n  - {name: 'Customers ($${STAGE}: ${STAGE})', send_birthday: '${BIRTHDAY}'}\n";
    await writeFile(join(home.folder, "m.yaml"), text);
    const env = { ...server.client, STAGE: "test", BIRTHDAY: "true" };
    expect((await home.run(["apply", "-f", "m.yaml", "--yes"], env)).exitCode).toBe(0);
    expect(dataOf(await home.run(["group", "fetch", "1", "--json"], env))).toMatchObject({
      name: "Customers (${STAGE}: test)",
      send_birthday: true,
    });
  });
});
