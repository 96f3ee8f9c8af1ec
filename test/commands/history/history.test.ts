import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { getuid, platform } from "node:process";
import { describe } from "vitest";
import { dataOf, keyOf, runAtTerminal, test, type Home } from "../../support/home.ts";
import { startSmallService } from "./small-service.ts";

function journalOf({ folder }: Home): string {
  return join(folder, ".local/state/sendctl/history.jsonl");
}

async function entriesOf(home: Home, env = {}): Promise<readonly Record<string, unknown>[]> {
  return (dataOf(await home.run(["history", "--json"], env)) as { data: [] }).data;
}

test("lists the commands of this target and key, newest first", async ({ home, expect }) => {
  const { env } = await startSmallService("keeps");
  await home.run(["group", "create", "A"]);
  await home.run(["group", "create", "B"], env);
  await home.run(["group", "list"], env);
  await home.run(["group", "delete", "99", "--yes"], env);
  await home.run(["local", "seed", "--groups", "2"]);
  const other = { ...env, SENDCTL_SECRET_KEY: "another-key-1234" };
  await home.run(["group", "update", "B", "--send-holiday"], other);
  expect(await entriesOf(home)).toMatchObject([{ number: 1, command: "sendctl group create A" }]);
  expect(await entriesOf(home, env)).toMatchObject([{ command: "sendctl group create B" }]);
  expect(await entriesOf(home, other)).toMatchObject([{ changes: "1 updated" }]);
  const integration = await keyOf(home, "staging");
  expect(await entriesOf(home, integration)).toStrictEqual([]);
  const journal = await readFile(journalOf(home), "utf8");
  expect(journal).not.toContain("sk-secret-1234");
  expect(journal).not.toContain("another-key-1234");
});

test("prints the records before a command as a manifest that apply takes", async ({
  home,
  expect,
}) => {
  await home.run(["group", "create", "A", "--send-birthday"]);
  expect(await home.run(["history", "1", "-o", "yaml"])).toMatchObject({ exitCode: 4 });
  await home.run(["group", "update", "A", "--name", "B", "--no-send-birthday"]);
  const { stdout } = await home.run(["history", "1", "-o", "yaml"]);
  await writeFile(join(home.folder, "before.yaml"), stdout);
  expect(await home.run(["apply", "before.yaml", "--yes"])).toMatchObject({ exitCode: 0 });
  const group = await home.run(["group", "fetch", "1", "--json"]);
  expect(dataOf(group)).toMatchObject({ name: "A", send_birthday: true });
  expect(await home.run(["history", "9"])).toMatchObject({ exitCode: 4 });
});

test("shows the records before and after a command", async ({ home, expect }) => {
  await home.run(["group", "create", "A"]);
  await home.run(["group", "rename", "A", "B"]);
  expect(dataOf(await home.run(["history", "1", "--json"]))).toMatchObject({
    data: [{ action: "update", kind: "group", before: { name: "A" }, after: { name: "B" } }],
  });
  const { exitCode, stdout, stderr } = await home.run(["history", "2"]);
  expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toBe(
    "Action  Record          Changes\ncreate  group A (id 1)  send_birthday: false\n",
  );
  const { stdout: updated } = await home.run(["history", "1"]);
  expect(updated).toContain('update  group B (id 1)  name: "A" → "B"');
});

test("counts records in numbers, each once", async ({ home, expect }) => {
  await writeFile(
    join(home.folder, "m.yaml"),
    "groups:\n  - name: A\n    send_holiday: true\n  - name: B\n",
  );
  await home.run(["apply", "m.yaml", "--yes"]);
  await home.run(["group", "update", "A", "--no-send-holiday"]);
  await home.run(["api", "PATCH", "/v1/group/1"]);
  expect(await entriesOf(home)).toMatchObject([
    { changes: "1 updated", created: 0, updated: 1, deleted: 0, sent: 0, unknown: 0 },
    { changes: "2 created", created: 2, updated: 0, deleted: 0, sent: 0, unknown: 0 },
  ]);
});

test("an entry keeps its id when others follow", async ({ home, expect }) => {
  await home.run(["group", "create", "A"]);
  const [{ id }] = (await entriesOf(home)) as [{ id: string }];
  await home.run(["group", "create", "B"]);
  expect((await home.run(["history", "-o", "id"])).stdout.split("\n")[1]).toBe(id);
  for (const given of [id, id.toUpperCase()]) {
    expect(dataOf(await home.run(["history", given, "--json"]))).toMatchObject({
      data: [{ after: { name: "A" } }],
    });
  }
  expect(await home.run(["history", "1", "-o", "id"])).toStrictEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "sendctl: the steps of an entry cannot be printed as id\nhint: use --output table, json, jsonl, csv, yaml or markdown\n",
  });
  expect(await home.run(["undo", "1", "--yes"])).toMatchObject({ exitCode: 0 });
  expect(await home.run(["undo", id.toUpperCase(), "--yes"])).toMatchObject({ exitCode: 0 });
  expect((await home.run(["group", "list", "-o", "id"])).stdout).toBe("");
  for (const [given, exitCode] of [
    ["zzzzzz", 4],
    ["9", 4],
    ["0", 2],
    ["1.5", 2],
  ] as const) {
    expect(await home.run(["undo", given, "--yes"]), given).toMatchObject({ exitCode });
  }
});

test.for([60, 70, 80])("is a table in %i columns", async (columns, { home, expect }) => {
  await home.run(["group", "create", "Customers of the northern region", "--send-birthday"]);
  await home.run(["undo", "--yes"]);
  const { stdout } = await runAtTerminal(home, ["history"], { columns, env: { NO_COLOR: "1" } });
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines.every((line) => line.length <= columns)).toBe(true);
  expect(lines[4]).toMatch(/^│ 2 │ .* │ undone .*sendctl group .*…/);
});

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

test("stores no record in which the key occurs", async ({ home, expect }) => {
  const { env } = await startSmallService("keeps");
  for (const key of [env["SENDCTL_SECRET_KEY"]!, "sk1"]) {
    const own = { ...env, SENDCTL_SECRET_KEY: key };
    await home.run(["group", "create", `the ${key} group`], own);
    const refused = await home.run(["undo", "--yes"], own);
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("the key occurs"),
    });
    expect(await readFile(journalOf(home), "utf8")).not.toContain(key);
  }
});

test("stores no password of a database", async ({ home, expect }) => {
  const url = "postgres://user:geheim@127.0.0.1:1/x";
  await home.run(["api", "POST", `/v1/group?x=${url}`, "--body", '{"name":"A"}']);
  expect(await entriesOf(home)).toMatchObject([{ changes: "1 created" }]);
  expect(await readFile(journalOf(home), "utf8")).not.toContain("geheim");
});

describe("the journal", () => {
  test("is for the user alone", async ({ home, expect }) => {
    await home.run(["group", "create", "A"]);
    expect((await stat(journalOf(home))).mode & 0o777).toBe(0o600);
    await chmod(journalOf(home), 0o644);
    await home.run(["group", "create", "B"]);
    expect((await stat(journalOf(home))).mode & 0o777).toBe(0o600);
  });

  test.for(["1", "true", "YES", "on", "perhaps"])(
    "is not written with SENDCTL_NO_HISTORY=%s",
    async (value, { home, expect }) => {
      const created = await home.run(["group", "create", "A"], { SENDCTL_NO_HISTORY: value });
      expect(created.stderr).not.toContain("Warning");
      expect(await entriesOf(home)).toStrictEqual([]);
    },
  );

  test.for(["0", "false", "No", "OFF", ""])(
    "is written with SENDCTL_NO_HISTORY=%s",
    async (value, { home, expect }) => {
      await home.run(["group", "create", "A"], { SENDCTL_NO_HISTORY: value });
      expect(await entriesOf(home)).toHaveLength(1);
    },
  );

  test.skipIf(platform === "win32")("is never a link", async ({ home, expect }) => {
    const victim = join(home.folder, "victim");
    await writeFile(victim, "mine");
    await mkdir(dirname(journalOf(home)), { recursive: true });
    await symlink(victim, journalOf(home));
    const created = await home.run(["group", "create", "A"]);
    expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("history") });
    expect(await readFile(victim, "utf8")).toBe("mine");
    expect(await home.run(["history"])).toMatchObject({ exitCode: 2 });
  });

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

  test.skipIf(platform === "win32").for([
    ["a file", "file", 2],
    ["in a system folder", "/proc/x", 0],
    ["read-only", "read-only", 0],
  ] as const)(
    "may be in a state folder that is %s",
    async ([, folder, exitCode], { home, expect }) => {
      await writeFile(join(home.folder, "file"), "mine");
      await mkdir(join(home.folder, "read-only"), { mode: 0o500 });
      const env = { XDG_STATE_HOME: join(folder.startsWith("/") ? "" : home.folder, folder) };
      // root may write to a read-only folder.
      const isWritten = folder === "read-only" && getuid!() === 0;
      for (const line of ["group create A", "group update A --name B", "group delete B --yes"]) {
        const { exitCode: code, stderr } = await home.run(line.split(" "), env);
        expect([line, code, stderr.split("history.jsonl cannot be written").length - 1]).toEqual([
          line,
          0,
          isWritten ? 0 : 1,
        ]);
      }
      const { stderr, ...shown } = await home.run(["history"], env);
      expect(shown.exitCode).toBe(exitCode);
      if (exitCode !== 0) expect(stderr).toContain("history.jsonl cannot be read (ENOTDIR)");
    },
  );

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
    const groups = Array.from({ length: 6 }, (_, index) => `{"name":"G${index}"}`);
    await writeFile(join(home.folder, "m.json"), `{"groups":[${groups.join()}]}`);
    const { env, groups: stored } = await startSmallService("keeps");
    await home.run(["apply", "m.json", "--yes"], env);
    for (const group of stored) group["note"] = "x".repeat(500_000);
    await home.run(["group", "delete", ...stored.map(({ id }) => String(id)), "--yes"], env);
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
