import { describe } from "vitest";
import { writeConfig } from "../../support/config-file.ts";
import { dataOf, expectRefusals, keyOf, runAtTerminal, type Home } from "../../support/home.ts";
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

describe.concurrent("local review", () => {
  test("changes any status to any other and shows the record", async ({ home, expect }) => {
    await create(home, "ACME");
    const before = dataOf(await home.run(["sender-id", "fetch", "ACME", "--json"]));
    const statuses = ["APPROVED", "REJECTED", "PENDING", "REJECTED", "APPROVED", "PENDING"];
    for (const status of statuses) {
      const given = status === "REJECTED" ? "rejected" : status;
      const outcome = await home.run(["local", "review", "ACME", "--status", given, "--json"]);
      expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
      expect(JSON.parse(outcome.stdout)).toStrictEqual({
        status: true,
        message: "Sender reviewed",
        data: { ...(before as object), status },
      });
      expect(await statusOf(home, "ACME")).toBe(status);
    }
    const table = await home.run(["local", "review", "ACME", "--status", "approved"]);
    expect(table).toMatchObject({ exitCode: 0, stderr: "Sender ID ACME is APPROVED\n" });
    expect(table.stdout).toMatch(/^Status +APPROVED$/m);
    const id = await home.run(["local", "review", "ACME", "--status", "approved", "-o", "id"]);
    expect(id.stdout).toBe("ACME\n");
  });

  test("rejects unknown names and statuses, and changes nothing", async ({ home, expect }) => {
    await create(home, "ACME");
    await expectRefusals(expect, home, "local review", [
      [["nothing", "--status", "APPROVED"], 4, "nothing"],
      [["acme", "--status", "APPROVED"], 4, "acme"],
      [["ACME"], 2, "--status"],
      [["--status", "APPROVED"], 2, "NAME"],
      [["ACME", "--status", "DONE"], 2, "PENDING, APPROVED, REJECTED"],
      [["ACME", "--status", ""], 2, "--status"],
      [["ACME", "--status", "APPROVED", "--base-url", "http://127.0.0.1:9"], 2, "--base-url"],
      [["ACME", "--status", "APPROVED", "--dry-run"], 2, "--dry-run"],
    ]);
    expect(await statusOf(home, "ACME")).toBe("PENDING");
  });

  test("affects only the integration that the key selects", async ({ home, expect }) => {
    const other = await keyOf(home, "other");
    await create(home, "ACME");
    await create(home, "ACME", other);
    await create(home, "Mine");
    const args = ["local", "review", "ACME", "--status", "APPROVED"];
    expect((await home.run(args, other)).exitCode).toBe(0);
    expect(await statusOf(home, "ACME", other)).toBe("APPROVED");
    expect(await statusOf(home, "ACME")).toBe("PENDING");
    const mine = await home.run(["local", "review", "Mine", "--status", "APPROVED"], other);
    expect(mine.exitCode).toBe(4);
    const foreign = { SENDCTL_SECRET_KEY: `sk_${"x".repeat(43)}` };
    expect((await home.run(args, foreign)).exitCode).toBe(3);
  });

  test("uses the key of a local profile even if SENDCTL_BASE_URL is set", async ({
    home,
    expect,
  }) => {
    const other = await keyOf(home, "other");
    await create(home, "ACME", other);
    const here = { mode: "local", secretKey: other["SENDCTL_SECRET_KEY"] };
    const prod = { baseUrl: "https://sms.example.com", secretKey: "sk_of_prod" };
    await writeConfig(home, { current: "here", profiles: { here, prod } });
    const away = { SENDCTL_BASE_URL: "https://sms.example.com" };
    const args = ["local", "review", "ACME", "--status", "APPROVED"];
    expect(await home.run(args, away)).toMatchObject({ exitCode: 0 });
    // The key of a remote profile is used only for its service.
    const remote = { current: "prod", profiles: { prod } };
    await writeConfig(home, remote);
    expect(await home.run(args, away)).toMatchObject({ exitCode: 4 });
    // A command of a database conflicts with the profile of a service.
    for (const words of [args, ["serve"], ["local", "info"]]) {
      const named = await home.run([...words, "--profile", "prod"], away);
      expect(named).toMatchObject({ exitCode: 2, stdout: "" });
      expect(named.stderr).toContain("profile prod is for https://sms.example.com");
    }
    const chosen = await home.run(["local", "info", "--profile", "prod", "--local"]);
    expect(chosen.exitCode).toBe(0);
  });

  test("asks for missing arguments at a terminal", async ({ home, expect }) => {
    await create(home, "ACME");
    const down = "\u001b[B";
    const outcome = await runAtTerminal(home, ["local", "review"], {
      keys: [
        ["Which sender ID?", "\r"],
        ["Status", `${down}\r`],
      ],
    });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await statusOf(home, "ACME")).toBe("APPROVED");
  });

  test("ends `sender-id wait`", async ({ home, expect }) => {
    await create(home, "ACME");
    const [waited] = await Promise.all([
      home.spawn(["sender-id", "wait", "ACME", "--for", "APPROVED", "--interval", "50ms"]),
      home.spawn(["local", "review", "ACME", "--status", "APPROVED"]),
    ]);
    expect(waited.exitCode).toBe(0);
  });
});

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
