import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { ownBehaviour } from "../../../src/contract/behaviour.ts";
import { writeConfig } from "../../support/config-file.ts";
import { errorOf, type Home, withoutSource } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

// Tests start processes, which can be slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

async function behaviourFile(home: Home, text: string): Promise<string> {
  await writeFile(join(home.folder, "behaviour.yaml"), text);
  return "behaviour.yaml";
}

test("serve follows a behaviour file, and says so", async ({ home, serveHere, expect }) => {
  const file = await behaviourFile(home, "error_body: problem\ngroup_name_unique: true\n");
  const { baseUrl, client, stop } = await serveHere(["--behaviour", file]);
  const health = (await (await fetch(`${baseUrl}/healthz`)).json()) as { data: unknown };
  expect(health.data).toEqual({ behaviour: { error_body: "problem", group_name_unique: true } });
  const create = ["group", "create", "Friends", "--json"];
  expect((await home.run(create, client)).exitCode).toBe(0);
  const again = await home.run(create, client);
  expect([again.exitCode, errorOf(again)]).toMatchObject([5, { kind: "conflict" }]);
  expect((await stop()).stderr).toContain("Behaviour of behaviour.yaml: 2 switches differ");
});

test("local run follows a behaviour file", async ({ home, expect }) => {
  const file = await behaviourFile(home, "create_status: 202\n");
  const script = `fetch(process.env.SENDCTL_BASE_URL + "/v1/group", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: "Bearer " + process.env.SENDCTL_SECRET_KEY,
    },
    body: JSON.stringify({ name: "Friends" }),
  }).then(({ status }) => console.log(status))`;
  const args = ["local", "run", "--behaviour", file, "--", "node", "-e", script];
  const { exitCode, stdout, stderr } = await home.spawn(args);
  expect([exitCode, stdout]).toEqual([0, "202\n"]);
  expect(stderr).toContain("Behaviour of behaviour.yaml: 1 switch differs");
});

test("an invalid file is refused with the location of each error", async ({ home, expect }) => {
  const file = await behaviourFile(home, "error_body: json\ncreate_statu: 200\n");
  for (const args of [["serve"], ["local", "run"]]) {
    const end = args[0] === "local" ? ["--", "node", "--version"] : [];
    const { exitCode, stdout, stderr } = await home.run([...args, "--behaviour", file, ...end]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/behaviour\.yaml:1:\d+: .*\n.*behaviour\.yaml:2:1: /);
    const missing = await home.run([...args, "--behaviour", "none.yaml", ...end]);
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining("does not exist"),
    ]);
    const empty = await home.run([...args, "--behaviour", "", ...end]);
    expect(empty.exitCode).toBe(2);
  }
});

/** Removes what differs between two databases, and the names of the targets. */
function comparable(out: string): string {
  return out
    .replaceAll(/"(uuid|created_at)": *"[^"]*"/g, '"$1"')
    .replaceAll(/,\s*"request_id": "[^"]*"/g, "")
    .replaceAll(/→ [^\n]*\n|127\.0\.0\.1:\d+/g, "");
}

const commands: readonly (readonly string[])[] = [
  ["sender-id", "create", "ACME", "--purpose", "Alerts"],
  ["sender-id", "create", "ACME", "--purpose", "Alerts"],
  ["group", "create", "Friends", "--birthday-message", "Hi", "--send-birthday"],
  ["group", "create", "Friends"],
  ["group", "update", "1", "--name", "Family"],
  ["group", "update", "1", "--sender-id", "ACME"],
  ["group", "update", "1", "--sender-id", "NOBODY"],
  ["group", "update", "1", "--clear-birthday-message"],
  ["group", "fetch", "1"],
  ["group", "fetch", "99"],
  ["group", "list", "--all"],
  ["group", "list", "--per-page", "5000"],
  ["sender-id", "fetch", "NOBODY"],
  ["api", "GET", "/v1/nothing"],
  ["api", "POST", "/v1/group", "--body", "{"],
  ["api", "PATCH", "/v1/group"],
  ["group", "delete", "1", "--yes"],
  ["sender-id", "delete", "ACME", "--yes"],
];

test("the embedded engine responds as a service", async ({ home, serveHere, expect }) => {
  const { client } = await serveHere(["--database", "served.db"]);
  const { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: secretKey } = client;
  const served = { baseUrl, secretKey, behaviour: ownBehaviour };
  await writeConfig(home, { current: "twin", profiles: { twin: { mode: "local" }, served } });
  for (const command of commands) {
    const args = [...command, ...(command[0] === "api" ? [] : ["--json"])];
    const local = await home.run(args);
    const remote = await home.run([...args, "--profile", "served"]);
    const [one, other] = [local, remote].map(({ exitCode, stdout, stderr }) => ({
      args,
      exitCode,
      stdout: comparable(stdout),
      stderr: withoutSource(comparable(stderr)),
    }));
    expect(one).toEqual(other);
  }
});
