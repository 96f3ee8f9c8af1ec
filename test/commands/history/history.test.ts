import { appendFile, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { envelope, group } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { dataOf, test, type Home } from "../../support/home.ts";

function journalOf({ folder }: Home): string {
  return join(folder, ".local/state/sendctl/history.jsonl");
}

async function entriesOf(home: Home, env = {}): Promise<readonly Record<string, unknown>[]> {
  return (dataOf(await home.run(["history", "--json"], env)) as { data: [] }).data;
}

/** Starts a service that shows a group with these fields, whatever is sent, and returns its address. */
async function showing(fields: object): Promise<string> {
  const { baseUrl, close } = await startService(({ method, target }, { respond }) => {
    const id = Number(/\d+$/.exec(target)?.[0] ?? 1);
    respond(200, envelope(method === "DELETE" ? null : { ...group, id, ...fields }));
  });
  onTestFinished(close);
  return baseUrl;
}

test("lists the newest of more commands than it shows", async ({ home, expect }) => {
  await home.run(["group", "create", "First"]);
  const [head, step] = (await readFile(journalOf(home), "utf8")).trim().split("\n") as [
    string,
    string,
  ];
  const { id } = JSON.parse(head) as { id: string };
  const lines = Array.from({ length: 1000 }, (_, index) =>
    [head, step].map((line) => line.replaceAll(id, `${id}-${index}`)).join("\n"),
  );
  await appendFile(journalOf(home), `${lines.join("\n")}\n`);
  await home.run(["group", "create", "Last"]);
  const entries = await entriesOf(home);
  expect(entries).toHaveLength(1000);
  expect(entries[0]).toMatchObject({ number: 1, command: "sendctl group create Last" });
});

test.for(["sk-secret-1234", "sk1"])(
  "stores no record in which the key occurs: %s",
  async (key, { home, expect }) => {
    const name = `the ${key} group`;
    const env = { SENDCTL_BASE_URL: await showing({ name }), SENDCTL_SECRET_KEY: key };
    await home.run(["group", "create", name], env);
    const refused = await home.run(["undo", "--yes"], env);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("the key occurs"),
    });
    expect(await readFile(journalOf(home), "utf8")).not.toContain(key);
  },
);

test("stores no password of a database", async ({ home, expect }) => {
  const url = "postgres://user:geheim@127.0.0.1:1/x";
  await home.run(["api", "POST", `/v1/group?x=${url}`, "--body", '{"name":"A"}']);
  expect(await entriesOf(home)).toMatchObject([{ changes: "1 created" }]);
  expect(await readFile(journalOf(home), "utf8")).not.toContain("geheim");
});

describe("the journal", () => {
  test("survives damage", async ({ home, expect }) => {
    await home.run(["group", "create", "A"]);
    const lines = ['{"of":1', "null", "[]", "7", '{"of":"x","action":"?"}', '{"id":"x"}', "\u0000"];
    await appendFile(journalOf(home), lines.join("\n"));
    await home.run(["group", "create", "B"]);
    const { stdout, stderr } = await home.run(["history", "-o", "jsonl"]);
    expect(stdout.trim().split("\n")).toHaveLength(2);
    expect(stderr).toContain("7 damaged lines");
    expect(await home.run(["undo", "--yes"])).toMatchObject({ exitCode: 0 });
  });

  test("loses nothing but the line that a killed process left unfinished", async ({
    home,
    expect,
  }) => {
    const groups = ["A", "B", "C"].map((name) => ({ name }));
    await writeFile(join(home.folder, "m.json"), JSON.stringify({ groups }));
    for (const cut of [1, 2, 20, 150]) {
      await home.run(["apply", "m.json", "--yes", "--prune"]);
      const { size } = await stat(journalOf(home));
      await truncate(journalOf(home), size - cut);
      await home.run(["group", "delete", "A", "--yes"]);
      const ran = await home.run(["history", "--json"]);
      const { data } = dataOf(ran) as { data: { changes: string }[] };
      const count = cut === 1 ? "3 created" : "2 created";
      expect(data.slice(0, 2)).toMatchObject([{ changes: "1 deleted" }, { changes: count }]);
      expect(ran.stderr.includes("1 damaged line of the history skipped")).toBe(cut > 1);
      expect(await home.run(["undo", "--yes"])).toMatchObject({ exitCode: 0 });
      await home.run(["local", "reset", "--yes"]);
      await rm(journalOf(home));
    }
  });

  test("keeps the newest entries within its bounds", async ({ home, expect }) => {
    await home.run(["group", "create", "first"]);
    const line = JSON.stringify({ id: "x", time: "", target: "t", command: "c".repeat(1000) });
    for (const name of ["second", "third"]) {
      await appendFile(journalOf(home), `${line}\n`.repeat(2200));
      await home.run(["group", "create", name]);
    }
    const commands = (await entriesOf(home)).map(({ command }) => command);
    expect(commands).toStrictEqual(["sendctl group create third", "sendctl group create second"]);
    expect((await stat(journalOf(home))).size).toBeLessThan(10_000);
    expect((await stat(`${journalOf(home)}.1`)).size).toBeLessThan(4 * 1024 * 1024);
  });

  test("takes no more than 2 MiB of a command, which then cannot be undone", async ({
    home,
    expect,
  }) => {
    const baseUrl = await showing({ note: "x".repeat(500_000) });
    const env = { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: "sk-secret-1234" };
    await home.run(["group", "delete", "1", "2", "3", "4", "5", "6", "--yes"], env);
    expect((await stat(journalOf(home))).size).toBeLessThan(3 * 1024 * 1024);
    const refused = await home.run(["undo", "--yes"], env);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("more records") });
  });

  test("takes the entries of processes at the same time", async ({ home, expect }) => {
    await home.run(["group", "create", "A"]);
    const names = Array.from({ length: 6 }, (_, index) => `G${index}`);
    await Promise.all(names.map((name) => home.spawn(["group", "create", name])));
    const entries = await entriesOf(home);
    expect(entries).toHaveLength(7);
    expect(new Set(entries.map(({ command }) => command)).size).toBe(7);
  });
});
