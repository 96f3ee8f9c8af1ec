import { describe } from "vitest";
import { dataOf, errorOf, insertGroups, test, type Home } from "../../support/home.ts";

interface Listed {
  readonly data: readonly { readonly id: number; readonly name: string }[];
  readonly current_page: number;
  readonly last_page: number;
  readonly per_page: number;
  readonly total: number;
}

/** Creates 37 groups, more than one page: "Group 1" to "Group 37". */
async function fill(home: Home): Promise<void> {
  const rows = Array.from({ length: 37 }, (_, index) => ({
    name: `Group ${index + 1}`,
    message: index === 4 ? "Zum GEBURTSTAG, Jose\u0301" : "Hello",
  }));
  await insertGroups(home, rows);
}

const list = ["group", "list"];

async function idsOf(home: Home, args: readonly string[]): Promise<readonly number[]> {
  const { stdout } = await home.run([...list, "-o", "id", ...args]);
  return stdout.trimEnd().split("\n").map(Number);
}

describe("filters", () => {
  test("find records on every page and print them as one page", async ({ home, expect }) => {
    await fill(home);
    const found = await home.run([...list, "--search", "group 3", "--json"]);
    expect(found).toMatchObject({ exitCode: 0, stderr: "" });
    const { data, ...counts } = dataOf(found) as Listed;
    expect(data.map(({ id }) => id)).toStrictEqual([37, 36, 35, 34, 33, 32, 31, 30, 3]);
    expect(counts).toStrictEqual({ current_page: 1, last_page: 1, per_page: 9, total: 9 });
  });

  test("search all text fields, ignoring case and Unicode composition", async ({
    home,
    expect,
  }) => {
    await fill(home);
    expect(await idsOf(home, ["--search", "geburtstag, jos\u00e9"])).toStrictEqual([5]);
  });

  test("do not search generated fields", async ({ home, expect }) => {
    await insertGroups(home, [{ name: "x", message: "y" }]);
    const { created_at, uuid } = (dataOf(await home.run([...list, "--json"])) as Listed)
      .data[0] as unknown as Record<string, string>;
    for (const generated of [created_at!, uuid!]) {
      const found = await home.run([...list, "--search", generated]);
      expect(found).toStrictEqual({ exitCode: 0, stdout: "", stderr: "No groups match\n" });
    }
  });

  test("match names exactly and can be combined", async ({ home, expect }) => {
    await fill(home);
    expect(await idsOf(home, ["--name", "Group 3"])).toStrictEqual([3]);
    const both = await home.run([...list, "--name", "Group 3", "--search", "Group 4", "-o", "csv"]);
    expect(both).toMatchObject({ exitCode: 0, stderr: "" });
    expect(both.stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  test("find sender IDs by their status", async ({ home, expect }) => {
    for (const name of ["ACME", "Bakery"]) {
      await home.run(["sender-id", "create", name, "--purpose", "Orders"]);
    }
    await home.run(["local", "review", "ACME", "--status", "APPROVED"]);
    const found = await home.run(["sender-id", "list", "--status", "approved", "-o", "id"]);
    expect(found).toStrictEqual({ exitCode: 0, stdout: "ACME\n", stderr: "" });
  });
});

describe("--sort", () => {
  const names = ["b", "A", "c", "B"].map((name) => ({ name, message: "x" }));

  test.for([
    ["name", "2 4 1 3"],
    ["name:asc", "2 4 1 3"],
    ["name:desc", "3 4 1 2"],
    ["id", "1 2 3 4"],
  ] as const)("%s", async ([order, ids], { home, expect }) => {
    await insertGroups(home, names);
    expect((await idsOf(home, ["--sort", order])).join(" ")).toBe(ids);
  });

  test("lists records without the field last in either direction", async ({ home, expect }) => {
    await insertGroups(home, names);
    await home.run(["group", "update", "2", "--send-holiday"]);
    await home.run(["group", "update", "3", "--no-send-holiday"]);
    expect(await idsOf(home, ["--sort", "send_holiday"])).toStrictEqual([3, 2, 4, 1]);
    expect(await idsOf(home, ["--sort", "send_holiday:desc"])).toStrictEqual([2, 3, 4, 1]);
  });

  test("sorts before --limit applies", async ({ home, expect }) => {
    await fill(home);
    expect(await idsOf(home, ["--sort", "id", "--limit", "2"])).toStrictEqual([1, 2]);
  });
});

describe("an incomplete list is reported on stderr:", () => {
  test.for([
    [[], "15 of 37 records; --all for the rest\n"],
    [["--page", "3"], "page 3 of 3: 7 of 37 records; --all for the rest\n"],
    [["--page", "7"], "page 7 is empty: the last page is 3\n"],
    [["--limit", "20"], "20 of 37 records; --all for the rest\n"],
    [["--limit", "37"], ""],
    [["--limit", "1", "--sort", "name"], "1 of 37 records; --all for the rest\n"],
    [
      ["--limit", "1", "--sort", "name", "--search", "Group 3"],
      "1 of 9 matching records; omit --limit for the rest\n",
    ],
    [
      ["--limit", "1", "--search", "Group 3"],
      "1 matching record; there may be more without --limit\n",
    ],
    [["--search", "Group 3"], ""],
    [["--all"], ""],
    [["--quiet"], ""],
  ] as const)("%s", async ([args, line], { home, expect }) => {
    await fill(home);
    for (const format of ["table", "json", "jsonl", "csv", "yaml", "id"]) {
      const { exitCode, stderr } = await home.run([...list, ...args, "-o", format]);
      expect({ exitCode, stderr }, format).toStrictEqual({ exitCode: 0, stderr: line });
    }
  });
});

describe("invalid list options exit with 2 before any request:", () => {
  test.for([
    [["--all", "--page", "2"], "--all conflicts with --page"],
    [["--all", "--limit", "2"], "--all conflicts with --limit"],
    [["--limit", "2", "--page", "2"], "--limit conflicts with --page"],
    [["--search", "x", "--page", "2"], "--search conflicts with --page"],
    [["--name", "x", "--page", "2"], "--name conflicts with --page"],
    [["--sort", "name", "--page", "2"], "--sort conflicts with --page"],
    [["--limit", "0"], 'invalid number "0" for --limit'],
    [["--limit", "x"], 'invalid number "x" for --limit'],
    [["--search", ""], "--search is empty"],
    [["--sort", "size"], 'invalid field "size" for --sort'],
    [["--sort", "name:up"], 'invalid order "name:up" for --sort'],
    [["--watch", "5"], 'invalid duration "5" for --watch'],
  ] as const)("%s", async ([args, message], { home, expect }) => {
    // A request would exit with 8, because no server listens on this port.
    const refused = await home.run([
      ...list,
      ...args,
      "--json",
      "--base-url",
      "http://127.0.0.1:1",
    ]);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused)).toMatchObject({ kind: "usage", message });
    expect(errorOf(refused).hint).not.toBeNull();
  });
});
