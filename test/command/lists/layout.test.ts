import { describe } from "vitest";
import { errorOf, insertGroups, runAtTerminal, test, type Home } from "../../support/home.ts";

async function fill(home: Home): Promise<void> {
  await insertGroups(home, [
    { name: "Customers", message: 'say "hi"' },
    { name: "Two\nlines", message: "x" },
  ]);
}

const list = ["group", "list"];

describe("--columns", () => {
  test("chooses the fields of a table and their order", async ({ home, expect }) => {
    await fill(home);
    const { stdout } = await home.run([...list, "--columns", "name, id"]);
    expect(stdout).toBe("Name        ID\nTwo\\nlines   2\nCustomers    1\n");
  });

  test("takes the headings of the table", async ({ home, expect }) => {
    await fill(home);
    const args = [...list, "--columns", "Birthday message,id,CONTACTS", "--sort", "Name"];
    expect((await home.run(args)).stdout).toBe(
      'Birthday message  ID  Contacts\nsay "hi"           1         0\nx                  2         0\n',
    );
    const csv = await home.run([...list, "--columns", "Birthday message", "-o", "csv"]);
    expect(csv.stdout).toMatch(/^birthday_message\r\n/);
  });

  test("chooses the fields of CSV on every page", async ({ home, expect }) => {
    await fill(home);
    const csv = [...list, "--columns", "birthday_message,id", "-o", "csv"];
    for (const args of [csv, [...csv, "--all"], [...csv, "--limit", "5"]]) {
      const { stdout } = await home.run(args);
      expect(stdout).toBe('birthday_message,id\r\nx,2\r\n"say ""hi""",1\r\n');
    }
  });

  test("keeps every chosen column in a narrow terminal", async ({ home, expect }) => {
    await fill(home);
    const columns = ["id", "name", "birthday_message", "created_at"];
    const { stdout } = await runAtTerminal(home, [...list, "--columns", columns.join(",")], {
      columns: 40,
      env: { NO_COLOR: "1" },
    });
    for (const label of ["ID", "Name", "Birthday message", "Created"]) {
      expect(stdout).toContain(label);
    }
  });

  test("are omitted before a name is cut, which stderr says", async ({ home, expect }) => {
    const name = "Customers of the northern region";
    await insertGroups(home, [{ name, message: "Happy birthday, {first_name}! All the best" }]);
    const { stdout, stderr } = await runAtTerminal(home, list, { env: { NO_COLOR: "1" } });
    expect(stdout).toContain(name);
    expect(stderr).toContain("Columns that do not fit: Birthday message, Created\n");
    const piped = await home.run(list);
    expect(piped.stderr).not.toContain("do not fit");
  });

  test("lists the known fields if one is unknown", async ({ home, expect }) => {
    const refused = await home.run([...list, "--columns", "id,size", "-o", "csv"]);
    expect(refused).toStrictEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        'sendctl: invalid field "size" for --columns\n' +
        "hint: use one of id, uuid, name, send_birthday, send_holiday, birthday_message, contacts_count, created_at\n",
    });
  });
});

describe("--no-header", () => {
  test("omits the header", async ({ home, expect }) => {
    await fill(home);
    const args = [...list, "--no-header", "--columns", "id,name", "--name", "Customers"];
    expect((await home.run(args)).stdout).toBe("1  Customers\n");
    expect((await home.run([...args, "-o", "csv"])).stdout).toBe("1,Customers\r\n");
    const { stdout } = await runAtTerminal(home, args, { env: { NO_COLOR: "1" } });
    expect(stdout).toBe("┌───┬───────────┐\n│ 1 │ Customers │\n└───┴───────────┘\n");
  });
});

describe("-0", () => {
  test("ends each id with NUL", async ({ home, expect }) => {
    await fill(home);
    const ids = [...list, "-o", "id", "-0"];
    for (const args of [ids, [...ids, "--all"], [...ids, "--limit", "2"]]) {
      expect((await home.run(args)).stdout).toBe(["2", "1", ""].join("\0"));
    }
  });

  test("produces input for commands that accept several records", async ({ home, expect }) => {
    await fill(home);
    const { exitCode } = await home.shell(
      "sendctl group list -o id -0 | sendctl group delete - -0 --yes",
    );
    expect(exitCode).toBe(0);
    expect((await home.run([...list, "-o", "id"])).stdout).toBe("");
  });
});

describe("a layout that the output format does not support exits with 2:", () => {
  test.for([
    ["--columns", "id", "--output", "json"],
    ["--columns", "id", "--output", "jsonl"],
    ["--columns", "id", "--output", "yaml"],
    ["--columns", "id", "--output", "id"],
    ["--no-header", "--output", "json"],
    ["--no-header", "--output", "id"],
    ["-0", "--output", "json"],
    ["-0", "--output", "csv"],
    ["-0"],
  ])("%s", async (args, { home, expect }) => {
    const refused = await home.run([...list, ...args]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/ cannot be printed as \w+\nhint: use --output /);
    if (args.includes("json")) expect(errorOf(refused).kind).toBe("usage");
  });
});
