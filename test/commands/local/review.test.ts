import { describe } from "vitest";
import { dataOf, type Home } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

type Environment = Readonly<Record<string, string>>;

async function create(home: Home, name: string, env: Environment = {}): Promise<void> {
  const args = ["sender-id", "create", name, "--purpose", "Orders"];
  const { exitCode, stderr } = await home.run(args, env);
  if (exitCode !== 0) throw new Error(stderr);
}

async function statusOf(home: Home, name: string, env: Environment = {}): Promise<unknown> {
  const found = await home.run(["sender-id", "fetch", name, "--json"], env);
  return (dataOf(found) as { status: unknown }).status;
}

function wait(name: string, timeout = "30s"): string[] {
  const args = ["sender-id", "wait", name, "--for", "APPROVED"];
  return [...args, "--interval", "50ms", "--timeout", timeout];
}

describe.concurrent("serve --auto-approve-after", () => {
  test("approves PENDING sender IDs created before and after it started, and no others", async ({
    home,
    serve,
    expect,
  }) => {
    await create(home, "Old");
    await create(home, "No");
    await home.run(["local", "review", "No", "--status", "REJECTED"]);
    // Two servers on one database do not interfere.
    const options = ["--port", "0", "--auto-approve-after", "300ms"];
    const { client, stop } = await serve(options);
    const second = await serve(options);
    const args = ["sender-id", "create", "New", "--purpose", "Orders", "--json"];
    const created = await home.run(args, client);
    expect(dataOf(created)).toMatchObject({ status: "PENDING" });
    // Created by another process, without either server.
    await create(home, "Beside");
    for (const name of ["Old", "New", "Beside"]) {
      expect((await home.run(wait(name), client)).exitCode).toBe(0);
    }
    expect(await statusOf(home, "No")).toBe("REJECTED");
    for (const one of [{ stop }, second]) {
      const { exitCode, stderr } = await one.stop();
      expect(exitCode).toBe(0);
      expect(stderr).not.toMatch(/defect/i);
    }
  });

  test("leaves sender IDs PENDING until the delay is over", async ({ home, serveHere, expect }) => {
    const { client, stop } = await serveHere(["--auto-approve-after", "1h"]);
    await create(home, "ACME", client);
    // The server checks more than once during this wait.
    const waited = await home.run(wait("ACME", "2s"), client);
    expect(waited.exitCode).toBe(13);
    expect((await stop()).exitCode).toBe(0);
    expect(await statusOf(home, "ACME")).toBe("PENDING");
  });

  test("0s approves at once, after a response with PENDING", async ({ serveHere, expect }) => {
    const { baseUrl, key } = await serveHere(["--auto-approve-after", "0s"]);
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const seen = await Promise.all(
      Array.from({ length: 20 }, async (_, nth) => {
        const body = JSON.stringify({ name: `Sender ${nth}`, purpose: "Orders" });
        const url = `${baseUrl}/v1/sender-id`;
        const created = await (await fetch(url, { method: "POST", headers, body })).json();
        const fetched = await (await fetch(`${url}/Sender%20${nth}`, { headers })).json();
        return [created, fetched].map(
          (response) => (response as { data: { status: string } }).data.status,
        );
      }),
    );
    expect(seen).toStrictEqual(seen.map(() => ["PENDING", "APPROVED"]));
  });
});
