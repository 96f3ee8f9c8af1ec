import { describe } from "vitest";
import { quietRuntime, runMain, stoppable } from "../../support/built-program.ts";
import {
  contentsOf,
  dataOf,
  insertGroups,
  manyGroups,
  runAtTerminal,
  test,
  type Home,
} from "../../support/home.ts";
import { until } from "../../support/waiting.ts";

/** Creates groups 1 to 3 and the sender IDs ACME and Bakery. */
async function stock(home: Home): Promise<unknown> {
  for (const name of ["Customers", "Friends", "Staff"]) await home.run(["group", "create", name]);
  for (const name of ["ACME", "Bakery"]) {
    await home.run(["sender-id", "create", name, "--purpose", "x"]);
  }
  return contentsOf(home.database);
}

async function groupIds(home: Home): Promise<string> {
  return (await home.run(["group", "list", "--all", "-o", "id"])).stdout;
}

interface Failed {
  readonly record: string;
  readonly kind: string;
}

describe.concurrent("fetch of several records", () => {
  test("prints a list in the order of the arguments", async ({ home, expect }) => {
    await stock(home);
    const fetched = await home.run(["group", "fetch", "3", "Customers", "--json"]);
    expect(fetched).toMatchObject({ exitCode: 0, stderr: "" });
    const { data } = dataOf(fetched) as { data: unknown };
    const single = await Promise.all(
      ["3", "1"].map(async (id) => dataOf(await home.run(["group", "fetch", id, "--json"]))),
    );
    expect(data).toStrictEqual(single);
  });

  test("supports every output format", async ({ home, expect }) => {
    await stock(home);
    const run = (format: string) =>
      home.run(["sender-id", "fetch", "Bakery", "ACME", "-o", format]);
    expect((await run("id")).stdout).toBe("Bakery\nACME\n");
    expect((await run("jsonl")).stdout.split("\n").filter(Boolean).map(nameIn)).toStrictEqual([
      "Bakery",
      "ACME",
    ]);
    expect((await run("csv")).stdout).toMatch(/^id,name,.*\r\n2,Bakery,.*\r\n1,ACME,.*\r\n$/);
    expect((await run("yaml")).stdout).toMatch(/^- id: 2\n(?: {2}.*\n)+- id: 1\n/);
    expect((await run("table")).stdout).toMatch(/^ID .*\n 2 {2}Bakery .*\n 1 {2}ACME .*\n$/);
  });

  test("shows the other records if one does not exist", async ({ home, expect }) => {
    await stock(home);
    const fetched = await home.run(["group", "fetch", "9", "1", "nobody", "2", "--json"]);
    expect(fetched.exitCode).toBe(4);
    expect(JSON.parse(fetched.stdout)).toMatchObject({
      status: false,
      data: { data: [{ id: 1 }, { id: 2 }], total: 2 },
      error: {
        kind: "not_found",
        http_status: 404,
        failed: [
          { record: "9", kind: "not_found" },
          { record: "nobody", kind: "not_found" },
        ],
      },
    });
    const table = await home.run(["group", "fetch", "1", "9"]);
    expect(table.stderr).toBe(
      `sendctl: Group not found: 9 (not_found, database ${home.database})\n1 of 2 groups fetched: 1\nNot fetched: 9\n`,
    );
  });

  test("reads lines or NUL-separated records from standard input", async ({ home, expect }) => {
    await stock(home);
    const lines = await home.run(["group", "fetch", "-", "-o", "id"], {}, "3\r\n\nFriends\n1");
    expect(lines).toMatchObject({ exitCode: 0, stdout: "3\n2\n1\n" });
    const column = await home.run(
      ["group", "fetch", "-", "-o", "id"],
      {},
      '"3"\r 1 \r\n" Friends"\t\n""\n',
    );
    expect(column).toMatchObject({ exitCode: 0, stdout: "3\n1\n2\n" });
    const powershell = Buffer.from("\ufeff3\r\nFriends\r\n", "utf16le");
    const wide = await home.run(["group", "fetch", "-", "-o", "id"], {}, powershell);
    expect(wide).toMatchObject({ exitCode: 0, stdout: "3\n2\n" });
    const wrong = await home.run(["group", "fetch", "-"], {}, "1\n\n..\n");
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
    expect(wrong.stderr).toContain("standard input, line 3: ");
    const nul = await home.run(["sender-id", "fetch", "-", "-0", "-o", "id"], {}, "ACME\0Bakery\0");
    expect(nul).toMatchObject({ exitCode: 0, stdout: "ACME\nBakery\n" });
    const none = await home.run(["group", "fetch", "-", "--json"]);
    expect(none.exitCode).toBe(0);
    expect(dataOf(none)).toMatchObject({ data: [] });
  });

  test("updates each group, says which were updated, and undoes all at once", async ({
    home,
    expect,
  }) => {
    const before = await stock(home);
    const updating = ["group", "update", "Customers", "9", "2", "1", "--send-holiday"];
    const ran = await home.run([...updating, "--json"]);
    expect(ran.exitCode).toBe(4);
    expect(dataOf(ran)).toMatchObject({
      data: [
        { id: 1, send_holiday: true },
        { id: 2, send_holiday: true },
      ],
    });
    expect(ran.stderr).toContain("2 of 3 groups updated: Customers, 2\nNot updated: 9\n");
    await home.run(["undo", "--yes"]);
    expect(await contentsOf(home.database)).toEqual(before);
    const all = await home.run(["group", "update", "-", "--sender-id", "ACME"], {}, "3\n1\n");
    expect(all).toMatchObject({ exitCode: 0 });
    expect(all.stderr).toBe("2 groups updated\n");
  });

  test.for([
    [["group", "update", "1", "2", "--name", "Same"], "--name"],
    [["group", "update", "-", "--name", "Same"], "--name"],
    [["group", "update", "1", "2"], "nothing to change"],
  ] as const)("updates nothing: %j", async ([args, message], { home, expect }) => {
    const before = await stock(home);
    const ran = await runAtTerminal(home, args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(message);
    expect(await contentsOf(home.database)).toEqual(before);
  });

  test("prints a list for a single record from standard input", async ({ home, expect }) => {
    await stock(home);
    const one = await home.run(["group", "fetch", "-", "--json"], {}, "1\n");
    expect(dataOf(one)).toMatchObject({ data: [{ id: 1 }], total: 1 });
  });

  test.for([
    [["group", "fetch", "1", ".."], ""],
    [["group", "fetch", "-0", "1"], ""],
    [["group", "fetch", "-"], "\u00ff"],
  ] as const)(
    "prints nothing if an argument is invalid: %j",
    async ([args, input], { home, expect }) => {
      await stock(home);
      const bytes = input === "" ? "" : String.raw`printf '\377\n' | `;
      const outcome = await home.shell(`${bytes}sendctl ${args.join(" ")}`);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    },
  );
});

describe.concurrent("delete of several records", () => {
  test("continues after failures and prints a summary", async ({ home, expect }) => {
    await stock(home);
    const args = ["group", "delete", "1", "9", "Staff", "nobody", "3", "--yes"];
    const outcome = await home.run(args);
    expect(outcome).toMatchObject({ exitCode: 4, stdout: "" });
    expect(outcome.stderr).toMatch(/^2 of 4 groups deleted: 1, Staff\nNot deleted: 9, nobody\n$/m);
    expect(await groupIds(home)).toBe("2\n");
  });

  test("prints one JSON document", async ({ home, expect }) => {
    await stock(home);
    const partly = await home.run(["group", "delete", "9", "2", "--yes", "--json"]);
    expect(partly.exitCode).toBe(4);
    const { data, error, status } = JSON.parse(partly.stdout) as {
      status: boolean;
      data: { deleted: string[]; failed: Failed[] };
      error: { kind: string };
    };
    expect({ status, kind: error.kind, deleted: data.deleted }).toStrictEqual({
      status: false,
      kind: "not_found",
      deleted: ["2"],
    });
    expect(data.failed.map(({ record }) => record)).toStrictEqual(["9"]);
    const all = await home.run(["sender-id", "delete", "ACME", "Bakery", "--yes", "--json"]);
    expect(all.exitCode).toBe(0);
    expect(dataOf(all)).toStrictEqual({ deleted: ["ACME", "Bakery"], failed: [] });
  });

  test("deletes a thousand records from standard input", async ({ home, expect }) => {
    const rows = Array.from({ length: 1001 }, (_, index) => ({ name: `G${index}`, message: "Hi" }));
    await insertGroups(home, rows);
    const ids = (await groupIds(home)).split("\n").slice(1).join("\n");
    const outcome = await home.run(["group", "delete", "-", "--yes"], {}, ids);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: "1000 groups deleted\n" });
    expect(await groupIds(home)).toBe("1001\n");
  });

  test("ends at a signal, with those that were not deleted", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(5000));
    const ids = await groupIds(home);
    const { onStop, stop } = stoppable();
    const runtime = { ...quietRuntime(home.folder, home.env, ids), onStop };
    const deleting = runMain(["group", "delete", "-", "--yes", "--json"], runtime);
    const left = (): number => (contentsOf(home.database) as readonly unknown[][])[1]!.length;
    await until("the first groups are deleted", () => left() < 5000);
    stop("SIGINT");
    const { exitCode, stdout } = await deleting;
    expect(exitCode).toBe(130);
    const { data } = JSON.parse(stdout) as { data: { deleted: string[]; failed: Failed[] } };
    expect(data.failed.length).toBeGreaterThan(0);
    expect([data.deleted.length, data.failed.length]).toStrictEqual([5000 - left(), left()]);
  });

  test("deletes nothing without confirmation", async ({ home, expect }) => {
    const before = await stock(home);
    for (const [args, input] of [
      [["1", "2"], ""],
      [["-"], "1\n2\n"],
    ] as const) {
      const outcome = await home.run(["group", "delete", ...args], {}, input);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    }
    expect(contentsOf(home.database)).toStrictEqual(before);
  });

  test("deletes nothing if several groups share a name", async ({ home, expect }) => {
    await stock(home);
    await home.run(["group", "create", "Staff"]);
    const outcome = await home.run(["group", "delete", "1", "Staff", "--yes"]);
    expect(outcome).toMatchObject({ exitCode: 2 });
    expect(await groupIds(home)).toBe("4\n3\n2\n1\n");
  });

  test("prints one request per record in a dry run", async ({ home, expect }) => {
    const before = await stock(home);
    const { exitCode, stdout } = await home.run(["group", "delete", "2", "1", "--dry-run"]);
    expect(exitCode).toBe(0);
    expect([...stdout.matchAll(/\/v1\/group\/(\d)/g)].map(([, id]) => id)).toStrictEqual([
      "2",
      "1",
    ]);
    expect(contentsOf(home.database)).toStrictEqual(before);
  });

  test("shows all records before asking for confirmation", async ({ home, expect }) => {
    const before = await stock(home);
    const args = ["group", "delete", "1", "nobody", "Staff"];
    const question = `? Delete these 2 groups and their contacts from the database ${home.database}?`;
    const run = (answer: string) =>
      runAtTerminal(home, args, { columns: 400, keys: [[question, answer]] });

    const declined = await run("\r");
    expect(declined).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
    expect(declined.stderr).toContain(
      "  group 1 (Customers)\n  group 3 (Staff)\nNot found: nobody\n",
    );
    expect(contentsOf(home.database)).toStrictEqual(before);

    expect(await run("y\r")).toMatchObject({ exitCode: 4, keysLeft: 0 });
    expect(await groupIds(home)).toBe("2\n");
  });
});

describe.concurrent("wait for several sender IDs", () => {
  const waiting = ["--timeout", "1s", "--interval", "50ms"];

  test("ends once all have the status", async ({ home, expect }) => {
    await stock(home);
    const args = ["sender-id", "wait", "ACME", "Bakery", "--for", "PENDING", ...waiting, "--json"];
    const outcome = await home.run(args);
    expect(outcome.exitCode).toBe(0);
    expect(dataOf(outcome)).toMatchObject({ data: [{ name: "ACME" }, { name: "Bakery" }] });
  });

  test("continues after failures", async ({ home, expect }) => {
    await stock(home);
    await home.run(["local", "review", "ACME", "--status", "REJECTED"]);
    await home.run(["local", "review", "Bakery", "--status", "APPROVED"]);
    const names = "ACME\nNobody\nBakery\n";
    const args = ["sender-id", "wait", "-", "--for", "APPROVED", ...waiting, "--json"];
    const outcome = await home.run(args, {}, names);
    expect(outcome.exitCode).toBe(13);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      data: { data: [{ name: "Bakery" }] },
      error: {
        failed: [
          { record: "ACME", kind: "wait" },
          { record: "Nobody", kind: "not_found" },
        ],
      },
    });
  });
});

function nameIn(line: string): unknown {
  return (JSON.parse(line) as { name: unknown }).name;
}

test("names in other cases that no group has are each reported", async ({ home, expect }) => {
  const { stderr } = await home.run(["group", "delete", "Nobody", "nobody", "--yes"]);
  expect(stderr).toContain("0 of 2 groups deleted\nNot deleted: Nobody, nobody\n");
});

test("a group that is named by several of its keys is deleted once", async ({ home, expect }) => {
  for (const [first, second] of [
    ["id", "name"],
    ["UUID", "uuid"],
    ["id", "0id"],
  ] as const) {
    const created = await home.run(["group", "create", "G", "--json"]);
    const { id, uuid, name } = dataOf(created) as { id: number; uuid: string; name: string };
    const keys = { id: String(id), uuid, UUID: uuid.toUpperCase(), name, "0id": `0${id}` };
    const ran = await home.run(["group", "delete", keys[first], keys[second], "--yes"]);
    expect(ran).toStrictEqual({ exitCode: 0, stdout: "", stderr: "1 group deleted\n" });
  }
});
