import { parse } from "csv-parse/sync";
import { describe } from "vitest";
import {
  dataOf,
  insertGroups,
  manyGroups,
  runAtTerminal,
  test,
  type Home,
} from "../support/home.ts";

async function fill(home: Home): Promise<void> {
  await home.run(["sender-id", "create", 'A "quoted", name', "--purpose", "two\nlines"]);
  await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
}

const all = ["group", "list", "--all"];

describe.concurrent("lines", () => {
  test("jsonl prints each record unchanged on one line", async ({ home, expect }) => {
    await fill(home);
    const { stdout, stderr } = await home.run(["sender-id", "list", "-o", "jsonl"]);
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(records).toMatchObject([
      { id: 2, name: "ACME" },
      { id: 1, name: 'A "quoted", name', purpose: "two\nlines" },
    ]);
    expect(stderr).toBe("");
  });

  test("csv is RFC 4180 with a header", async ({ home, expect }) => {
    await fill(home);
    const { stdout } = await home.run(["sender-id", "list", "--output", "csv"]);
    const [head, newest, ...rest] = stdout.split("\r\n");
    expect(head).toBe("id,name,purpose,status,created_at");
    expect(newest).toMatch(/^2,ACME,Orders,PENDING,\d{4}-/);
    expect(rest.join("\r\n")).toMatch(/^1,"A ""quoted"", name","two\nlines",PENDING,[^,]*Z\r\n$/);
    await home.run(["group", "create", "Friends", "--birthday-message", "Happy\rbirthday"]);
    const group = await home.run(["group", "fetch", "1", "-o", "csv"]);
    expect(group.stdout).toContain('"Happy\rbirthday"');
  });

  const formulas = ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "a=1", "'=1", "", '="x",y'];
  const safeCells = ["'=1+1", "'+1", "'-1", "'@SUM(1)", "'\t=1", "'\r=1", "a=1", "'=1", ""];
  const furtherFormulas = ["\n=1", "＝1", "＋1", "－1", "＠SUM(1)"];

  test("csv keeps formulas, and protects them with --csv-safe", async ({ home, expect }) => {
    await insertGroups(
      home,
      [...formulas, ...furtherFormulas].map((message) => ({ name: message, message })),
    );
    const cellsOf = async (...options: readonly string[]): Promise<unknown[]> => {
      const list = ["group", "list", "--all", "--output", "csv", ...options];
      const { stdout } = await home.run(list);
      const rows = parse(stdout, { columns: true }) as { name: string; birthday_message: string }[];
      expect(rows.map((row) => row.birthday_message)).toStrictEqual(rows.map(({ name }) => name));
      return rows.map(({ name }) => name).toReversed();
    };
    expect(await cellsOf()).toStrictEqual([...formulas, ...furtherFormulas]);
    const further = furtherFormulas.map((cell) => `'${cell}`);
    expect(await cellsOf("--csv-safe")).toStrictEqual([...safeCells, `'="x",y`, ...further]);
  });

  test("csv begins with a byte order mark with --csv-bom, and an import reads it again", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Grüße"]);
    const plain = await home.run(["group", "list", "--output", "csv"]);
    const marked = await home.run(["group", "list", "--output", "csv", "--csv-bom"]);
    expect(marked.stdout).toBe(`\ufeff${plain.stdout}`);
    const [add, list] = ["add", "list"].map((verb) => ["local", "contact", verb, "1"]);
    const fields = ["--first-name", "-Ada", "--birth-date=--12-10"];
    await home.run([...add!, "+4915112345678", ...fields]);
    const options = ["--output", "csv", "--csv-bom", "--csv-safe"];
    const { stdout } = await home.run([...list!, ...options]);
    expect(stdout).toContain("'+4915112345678,'-Ada,'--12-10");
    const importing = ["local", "contact", "import", "1", "-", "--dry-run", "--json"];
    const ran = await home.run(importing, {}, stdout);
    expect(dataOf(ran)).toMatchObject({ lines: 1, unchanged: 1 });
  });

  for (const option of ["--csv-safe", "--csv-bom"]) {
    test(`${option} is rejected with another format`, async ({ home, expect }) => {
      for (const format of ["table", "json", "jsonl", "yaml", "id"]) {
        const ran = await home.run(["group", "list", option, "--output", format]);
        expect(ran.exitCode).toBe(2);
        expect(ran.stderr).toContain(option);
      }
    });
  }

  test("id prints identifiers for other commands", async ({ home, expect }) => {
    await fill(home);
    const names = await home.run(["sender-id", "list", "-o", "id"]);
    expect(names.stdout).toBe('ACME\nA "quoted", name\n');
    await insertGroups(home, manyGroups(3));
    const script =
      'for id in $(sendctl group list -o id); do sendctl group fetch "$id" -o id; done';
    const piped = await home.shell(script);
    expect(piped).toMatchObject({ exitCode: 0, stdout: "3\n2\n1\n", stderr: "" });
  });

  test("a record is one line, and an operation without a record prints nothing", async ({
    home,
    expect,
  }) => {
    const env = { SENDCTL_OUTPUT: "jsonl" };
    const created = await home.run(["group", "create", "Friends"], env);
    expect(JSON.parse(created.stdout)).toMatchObject({ name: "Friends", send_holiday: null });
    expect(created).toMatchObject({ exitCode: 0, stderr: "" });
    const csv = await home.run(["group", "fetch", "1", "-o", "csv"]);
    expect(csv.stdout).toMatch(
      /^id,uuid,name,send_birthday,send_holiday,birthday_message,created_at\r\n1,[^,]{36},Friends,false,,,[^,]+Z\r\n$/,
    );
    const gone = await home.run(["group", "delete", "1", "--yes", "-o", "id"]);
    expect(gone).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test("a refusal is printed only on stderr", async ({ home, expect }) => {
    for (const format of ["jsonl", "csv", "id"]) {
      expect(await home.run(["group", "fetch", "7", "-o", format])).toStrictEqual({
        exitCode: 4,
        stdout: "",
        stderr: `sendctl: Group not found: 7 (not_found, database ${home.database})\n`,
      });
    }
  });

  test("an empty list prints only the header of CSV", async ({ home, expect }) => {
    const csv = await home.run(["group", "list", "-o", "csv"]);
    for (const format of ["jsonl", "id"]) {
      expect((await home.run([...all, "-o", format])).stdout).toBe("");
    }
    await home.run(["group", "create", "Customers"]);
    const filled = await home.run(["group", "list", "-o", "csv"]);
    expect(filled.stdout.split("\r\n")).toHaveLength(3);
    expect(csv.stdout).toBe(`${filled.stdout.split("\r\n")[0]}\r\n`);
  });
});

describe.concurrent("--all", () => {
  test("prints every record once and in order, from many pages", async ({ home, expect }) => {
    await insertGroups(home, manyGroups(2345));
    const wanted = Array.from({ length: 2345 }, (_, index) => String(2345 - index));
    for (const perPage of ["7", "1000"]) {
      const { stdout } = await home.run([...all, "-o", "id", "--per-page", perPage]);
      expect(stdout.trimEnd().split("\n")).toStrictEqual(wanted);
    }
    const jsonl = await home.run([...all, "-o", "jsonl"]);
    const csv = await home.run([...all, "-o", "csv"]);
    expect(jsonl.stdout.trimEnd().split("\n")).toHaveLength(2345);
    expect(csv.stdout.split("\r\n")).toHaveLength(2347);
  });
});

describe("on a terminal", () => {
  test("lines are escaped", async ({ home, expect }) => {
    const evil = "x\u009b2J\u202ey";
    await home.run(["group", "create", "Evil", "--birthday-message", evil]);
    for (const format of ["jsonl", "csv", "yaml"]) {
      const shown = await runAtTerminal(home, ["group", "list", "-o", format]);
      expect(shown.stdout).not.toMatch(/[\u009b\u202e]/);
      expect(shown.stdout).toContain(String.raw`x\u009b2J\u202ey`);
      const piped = await home.run(["group", "list", "-o", format]);
      // YAML cannot contain these characters.
      expect(piped.stdout.includes(evil)).toBe(format !== "yaml");
    }
  });

  test("ids are escaped", async ({ home, expect }) => {
    await home.run(["sender-id", "create", "x\u202ey", "--purpose", "Orders"]);
    const shown = await runAtTerminal(home, ["sender-id", "list", "-o", "id"]);
    expect(shown.stdout.trimEnd()).toBe(String.raw`x\u202ey`);
    expect((await home.run(["sender-id", "list", "-o", "id"])).stdout).toBe("x\u202ey\n");
  });
});
