import { describe } from "vitest";
import { dataOf, makeHome, runAtTerminal, test, type Home } from "../../support/home.ts";
import { rm } from "node:fs/promises";
import { connect } from "../../../src/engine/sqlite/database-file.ts";
import { until } from "../../support/waiting.ts";

type Row = Readonly<Record<string, unknown>>;

/** Reads every row from the file, without what differs from one seed to the next: uuid and creation time. */
function rowsOf(home: Home): Readonly<Record<"sender_id" | "contact_group" | "contact", Row[]>> {
  const database = connect(home.database, { readonly: true });
  const read = (table: string): Row[] =>
    (database.prepare(`SELECT * FROM ${table} ORDER BY id`).all() as Row[]).map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([name]) => !["uuid", "created_at"].includes(name)),
      ),
    );
  const rows = {
    sender_id: read("sender_id"),
    contact_group: read("contact_group"),
    contact: read("contact"),
  };
  database.close();
  return rows;
}

/** Returns the different uuids of all groups. */
function uuidsOf(home: Home): ReadonlySet<unknown> {
  const database = connect(home.database, { readonly: true });
  const uuids = database.prepare("SELECT uuid FROM contact_group").pluck().all();
  database.close();
  return new Set(uuids);
}

/** Counts stored totals that differ from the rows, and times that do not increase. */
function problemsIn(home: Home): unknown {
  const database = connect(home.database, { readonly: true });
  const problems = database
    .prepare(
      `SELECT
        (SELECT count(*) FROM integration i WHERE
          sender_id_total <> (SELECT count(*) FROM sender_id WHERE integration_id = i.id) OR
          contact_group_total <> (SELECT count(*) FROM contact_group WHERE integration_id = i.id)
        ) AS totals,
        (SELECT count(*) FROM contact_group g WHERE
          contacts_count <> (SELECT count(*) FROM contact WHERE group_id = g.id)) AS counts,
        (SELECT count(*) FROM contact_group a JOIN contact_group b ON b.id = a.id + 1
          WHERE b.created_at <= a.created_at) AS times,
        (SELECT count(*) FROM contact_group, clock WHERE created_at > newest) AS clock`,
    )
    .get();
  database.close();
  return problems;
}

const nameOf = (row: Readonly<Record<string, unknown>>): unknown => row["name"];

const none = { totals: 0, counts: 0, times: 0, clock: 0 };

const seed = ["local", "seed"];

describe.concurrent("local seed", () => {
  test("adds the default counts, and prints them", async ({ home, expect }) => {
    const outcome = await home.run(["local", "seed", "--json"]);
    expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toStrictEqual({
      exitCode: 0,
      stderr: "",
    });
    expect(JSON.parse(outcome.stdout)).toStrictEqual({
      status: true,
      message: "Records added",
      data: {
        integration: "default",
        sender_ids_added: 5,
        groups_added: 20,
        contacts_added: 200,
      },
    });
    const { sender_id, contact_group, contact } = rowsOf(home);
    expect([sender_id.length, contact_group.length, contact.length]).toStrictEqual([5, 20, 200]);
    expect(problemsIn(home)).toStrictEqual(none);
    const statuses = sender_id.map(({ status }) => status);
    expect(new Set(statuses)).toStrictEqual(new Set(["APPROVED", "PENDING", "REJECTED"]));
    // Groups use approved sender IDs only.
    const approved = new Set(
      sender_id.filter(({ status }) => status === "APPROVED").map(({ id }) => id),
    );
    const used = contact_group.flatMap(({ sender_id: id }) => (id === null ? [] : [id]));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((id) => !approved.has(id))).toStrictEqual([]);
  });

  test("produces the same records in each new database, and others beside them", async ({
    home,
    expect,
  }) => {
    const other = await makeHome();
    const args = [...seed, "--groups", "30", "--contacts", "300", "--sender-ids", "9", "-q"];
    const lists = await Promise.all(
      [home, other].map(async (one) => {
        await one.run(args);
        return (await one.run(["group", "list", "--all", "--json"])).stdout;
      }),
    );
    const first = rowsOf(home);
    expect(rowsOf(other)).toStrictEqual(first);
    const [one, same] = lists.map((text) => text.replaceAll(/"(created_at|uuid)": ".*?"/g, ""));
    expect(same).toBe(one);
    await other.run(args);
    const more = rowsOf(other).contact_group.slice(30);
    expect(more.map(nameOf)).not.toStrictEqual(first.contact_group.map(nameOf));
    await rm(other.folder, { recursive: true });
  });

  test("adds to existing records and keeps existing sender IDs", async ({ home, expect }) => {
    await home.run([...seed, "-q"]);
    const before = rowsOf(home);
    const again = await home.run([...seed, "--json"]);
    expect(dataOf(again)).toMatchObject({
      groups_added: 20,
      contacts_added: 200,
    });
    const after = rowsOf(home);
    expect(after.sender_id.slice(0, 5)).toStrictEqual(before.sender_id);
    expect(after.contact_group.slice(0, 20)).toStrictEqual(before.contact_group);
    expect(uuidsOf(home).size).toBe(40);
    expect(problemsIn(home)).toStrictEqual(none);
  });

  test("adds records in several transactions", async ({ home, expect }) => {
    const args = ["--sender-ids", "1000", "--groups", "21000", "--contacts", "25001", "--json"];
    expect(dataOf(await home.run([...seed, ...args]))).toMatchObject({
      sender_ids_added: 1000,
      groups_added: 21_000,
      contacts_added: 25_001,
    });
    const { sender_id } = rowsOf(home);
    expect(uuidsOf(home).size).toBe(21_000);
    expect(new Set(sender_id.map(({ name }) => name)).size).toBe(1000);
    expect(problemsIn(home)).toStrictEqual(none);
  });

  test("shows progress at a terminal", async ({ home, expect }) => {
    const args = [...seed, "--groups", "41000", "--contacts", "0"];
    // Progress is shown after a second. Here each reading of the clock is one second later.
    let seconds = 0;
    const elapsed = () => (seconds += 1) * 1000;
    const { exitCode, stderr } = await runAtTerminal(home, args, { elapsed });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/\d+% · 5 sender IDs · [\d,]+ groups · 0 contacts/);
    expect(stderr.endsWith("\r\u001b[KRecords added\n")).toBe(true);
  });

  test("keeps complete transactions when it is interrupted, and prints their counts", async ({
    home,
    expect,
  }) => {
    await home.run(["local", "key", "create"]);
    const reader = connect(home.database, { readonly: true });
    const groups = reader.prepare("SELECT contact_group_total FROM integration").pluck();
    for (const [signal, exitCode] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGKILL", undefined],
    ] as const) {
      const before = groups.get();
      const running = home.start([...seed, "--groups", "10000000"]);
      await until("some groups were added", () => groups.get() !== before);
      running.kill(signal);
      const ended = await running;
      expect(ended.exitCode).toBe(exitCode);
      if (exitCode !== undefined) {
        expect(ended.stderr).toMatch(/^Added before the failure: \d sender IDs · [\d,]+0 groups/);
      }
      expect(Number(groups.get()) % 20_000).toBe(0);
      expect(problemsIn(home)).toStrictEqual(none);
    }
    reader.close();
  });
});
