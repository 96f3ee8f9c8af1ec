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

  test("shows selected records in the table of the list", async ({ home, expect }) => {
    await fill(home);
    const columns = ["--columns", "id,name"];
    const found = await home.run([...list, "--query", "[?name=='Friends']", ...columns]);
    expect(found.stdout).toBe("ID  Name\n 2  Friends\n");
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

  test.for(["json", "jsonl", "yaml", "table"])(
    "preserves the digits of long numbers as %s",
    async (format, { expect }) => {
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
      expect(outcome).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
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
