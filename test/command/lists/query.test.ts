import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import {
  dataOf,
  errorOf,
  insertGroups,
  runAtTerminal,
  test,
  type Home,
} from "../../support/home.ts";
import { envelope, group, page } from "../../client/sample-responses.ts";
import { runAgainst } from "../../client/run-remote.ts";

async function fill(home: Home): Promise<void> {
  await insertGroups(home, [
    { name: "Customers", message: "x" },
    { name: "Friends", message: "y" },
  ]);
}

const list = ["group", "list"];

describe("--query", () => {
  test.for([
    ["[].name", "json", '[\n  "Friends",\n  "Customers"\n]\n'],
    ["[].{n: name, id: id}", "jsonl", '{"n":"Friends","id":2}\n{"n":"Customers","id":1}\n'],
    ["[].{label: name}", "yaml", "- label: Friends\n- label: Customers\n"],
    ["[].{label: name, id: id}", "table", "label      id\nFriends    2\nCustomers  1\n"],
    ["[].[id, name]", "table", "2  Friends\n1  Customers\n"],
    ["[].name", "table", "Friends\nCustomers\n"],
    ["length(@)", "table", "2\n"],
    ["length(@)", "json", "2\n"],
    ["[0].missing", "table", ""],
    ["[0].missing", "json", "null\n"],
    ["[?id > `5`]", "json", "[]\n"],
    ["[?id > `5`]", "table", ""],
    ["[0].constructor", "json", "null\n"],
  ] as const)("%s as %s", async ([query, format, stdout], { home, expect }) => {
    await fill(home);
    for (const further of [[], ["--all"]]) {
      const found = await home.run([...list, "--query", query, "-o", format, ...further]);
      expect(found).toStrictEqual({ exitCode: 0, stdout, stderr: "" });
    }
  });

  test("cuts a name last, as in the table of the list", async ({ home, expect }) => {
    const name = "Customers of the northern region";
    await insertGroups(home, [{ name, message: "Happy birthday to you, and all the best" }]);
    const query = "[].{name: name, message: birthday_message}";
    const { stdout } = await runAtTerminal(home, [...list, "--query", query], {
      columns: 60,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toContain(`│ ${name} │ Happy birthday`);
  });

  test("applies to single records, several records and raw responses", async ({ home, expect }) => {
    await fill(home);
    const fetched = await home.run(["group", "fetch", "2", "--query", "name"]);
    expect(fetched.stdout).toBe("Friends\n");
    const several = await home.run(["group", "fetch", "2", "1", "--query", "[].name", "--json"]);
    expect(JSON.parse(several.stdout)).toStrictEqual(["Friends", "Customers"]);
    const raw = await home.run(["api", "GET", "/v1/group", "--query", "[].id", "-o", "jsonl"]);
    expect(raw.stdout).toBe("2\n1\n");
  });

  test("applies to what was done where some records failed", async ({ home, expect }) => {
    await fill(home);
    const update = ["group", "update", "2", "9", "--send-holiday", "--query"];
    const updated = await home.run([...update, "[].name", "--json"]);
    expect(updated).toMatchObject({ exitCode: 4, stdout: '[\n  "Friends"\n]\n' });
    const remove = ["group", "delete", "2", "9", "--yes", "--query"];
    const deleted = await home.run([...remove, "failed[].[record, kind]"]);
    expect(deleted).toMatchObject({ exitCode: 4, stdout: "9  not_found\n" });
    expect(deleted.stderr).toContain("1 of 2 groups deleted: 2\n");
    const nothing = await home.run([...remove, "data.failed", "--json"]);
    expect(nothing).toMatchObject({ exitCode: 4, stdout: "null\n" });
    expect(nothing.stderr).toContain("The query matched nothing: it starts at the record");
  });

  test("does not apply to the delete of one record, which is refused", async ({ home, expect }) => {
    await fill(home);
    for (const format of [[], ["--json"]]) {
      const args = ["group", "delete", "1", "--yes", "--query", "name", ...format];
      const refused = await home.run(args);
      expect(refused).toMatchObject({
        exitCode: 2,
        stderr: "sendctl: --query does not apply to the delete of one record\nhint: omit --query\n",
      });
    }
    expect((await home.run([...list, "-o", "id"])).stdout).toBe("2\n1\n");
  });

  test("applies to the results of commands", async ({ home, expect }) => {
    await writeFile(join(home.folder, "m.yaml"), "groups:\n  - nam: A\n");
    const manifest = join(home.folder, "m.yaml");
    const query = "diagnostics[].[line, column]";
    const invalid = await home.run(["validate", manifest, "--query", query]);
    expect(invalid).toMatchObject({
      exitCode: 2,
      stdout: expect.stringMatching(/^2 {2}5\n/) as unknown,
    });
    await writeFile(manifest, "groups: []\n");
    const valid = await home.run(["validate", manifest, "--query", "length(diagnostics)"]);
    expect(valid).toMatchObject({ exitCode: 0, stdout: "0\n" });
    const reset = ["local", "reset", "--yes", "--json", "--query", "name"];
    const none = await home.run(reset);
    expect(none).toMatchObject({ exitCode: 0, stdout: "null\n" });
    expect(none.stderr).toContain("The query matched nothing: the result has no data\n");
  });

  test.for([
    ["json", '"12345678901234567890"'],
    ["jsonl", '"12345678901234567890"'],
    ["yaml", '"12345678901234567890"'],
    ["table", "12345678901234567890"],
  ] as const)(
    "preserves the digits of long numbers as %s",
    async ([format, expected], { expect }) => {
      const id = "12345678901234567890";
      const body = JSON.stringify(envelope(page([{ ...group, id: 0 }]))).replace(
        '"id":0',
        `"id":${id}`,
      );
      const { length } = body;
      const outcome = await runAgainst(
        (_, { raw }) => raw(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`),
        [...list, "--query", "[0].id", "-o", format],
      );
      expect(outcome).toMatchObject({ exitCode: 0, stdout: `${expected}\n` });
    },
  );

  test("exits with 2 and sends nothing if the expression is invalid", async ({ home, expect }) => {
    const refused = await home.run(["group", "create", "X", "--query", "[", "--json"]);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused).kind).toBe("usage");
    expect(dataOf(await home.run([...list, "--json"]))).toMatchObject({ total: 0 });
  });

  test("exits with 2 if the expression does not fit the records", async ({ home, expect }) => {
    await fill(home);
    const refused = await home.run([...list, "--query", "[0].length(id)", "--json"]);
    expect(refused.exitCode).toBe(2);
    expect(errorOf(refused)).toMatchObject({ kind: "usage" });
  });

  test.for(["sort_by(@, &missing)", "max_by(@, &missing)", "sort_by(@, &send_birthday)"])(
    "says what a key must be: %s",
    async (query, { home, expect }) => {
      await fill(home);
      const refused = await home.run([...list, "--query", query]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(
        "--query cannot be evaluated: sort_by needs a number or a text in each record, and max_by and min_by a number",
      );
    },
  );

  test.for(["csv", "id"])("exits with 2 for %s", async (format, { home, expect }) => {
    const refused = await home.run([...list, "--query", "[]", "-o", format]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test("does not apply to failures", async ({ home, expect }) => {
    const missing = await home.run(["group", "fetch", "9", "--query", "name", "--json"]);
    expect(missing.exitCode).toBe(4);
    expect(errorOf(missing).kind).toBe("not_found");
  });
});
