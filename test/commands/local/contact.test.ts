import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe } from "vitest";
import { quietRuntime, runMain, screen, stoppable } from "../../support/built-program.ts";
import {
  dataOf,
  errorOf,
  expectRefusals,
  keyOf,
  runAtTerminal,
  test,
  type Home,
} from "../../support/home.ts";
import { inTime, until } from "../../support/waiting.ts";

const [ada, bea, cea] = ["+447911123401", "+447911123402", "+447911123403"] as const;

async function file(home: Home, text: string | Uint8Array, name = "a.csv"): Promise<string> {
  const path = join(home.folder, name);
  await writeFile(path, text);
  return path;
}

/** Runs `sendctl local contact` after creating group 1, if it does not exist. */
async function contact(home: Home, ...words: readonly string[]) {
  const { stdout: groups } = await home.run(["group", "list", "-o", "id"]);
  if (groups === "") await home.run(["group", "create", "Friends"]);
  return home.run(["local", "contact", ...words]);
}

async function contactsOf(home: Home): Promise<string> {
  return (await contact(home, "list", "1", "--all", "-o", "csv")).stdout;
}

const header = "phone,first_name,birth_date\r\n";

describe.concurrent("local contact import", () => {
  test("fills a group, prints the counts, and updates the group", async ({ home, expect }) => {
    const path = await file(home, `phone,first_name\n${ada},Ada\n${bea},\n${ada},Ada L\n`);
    const imported = await contact(home, "import", "1", path);
    expect(imported).toMatchObject({ exitCode: 0, stderr: "Contacts imported\n" });
    expect(imported.stdout).toMatch(/^Group +Friends\nLines read +3\nAdded +2\n/m);
    expect(dataOf(await contact(home, "import", "1", "a.csv", "--json"))).toStrictEqual({
      group_id: 1,
      group: "Friends",
      lines: 3,
      added: 0,
      updated: 0,
      unchanged: 2,
      duplicates: 1,
      skipped: 0,
      contacts_count: 2,
    });
    expect(await contactsOf(home)).toBe(`${header}${ada},Ada L,\r\n${bea},,\r\n`);
    const groups = dataOf(await home.run(["group", "list", "--json"]));
    expect(groups).toMatchObject({ data: [{ id: 1, contacts_count: 2 }] });
  });

  test("imports the csv output of list", async ({ home, expect }) => {
    const rows = `${ada},"Ada ""A"", L",1990-02-28\r\n${bea},,--02-29\r\n`;
    await contact(home, "import", "1", await file(home, header + rows));
    expect(await contactsOf(home)).toBe(header + rows);
    const outcome = await home.shell(
      "sendctl group create Kin -q && sendctl local contact list 1 --all -o csv | sendctl local contact import 2 - --json",
    );
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect((await contact(home, "list", "2", "-o", "csv")).stdout).toBe(header + rows);
  });

  test("reports each invalid line and imports nothing", async ({ home, expect }) => {
    const text = `\u{feff}Birth_Date,PHONE,First_Name\r\n,12,\r\n,${ada},"A\r\nda"\r\n\r\n,${bea},\r\n1990-02-30,${cea},,x\r\n`;
    const path = await file(home, text);
    const refused = await contact(home, "import", "1", path);
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout).toBe("");
    const lines = refused.stderr.trimEnd().split("\n");
    expect(lines).toStrictEqual([
      expect.stringMatching(/a\.csv, line 2, phone "12" /),
      expect.stringMatching(/a\.csv, line 3, first_name "A\\nda" contains control characters$/),
      expect.stringMatching(/a\.csv, line 7, has 4 columns, but the header has 3$/),
      "sendctl: nothing imported: 3 of 4 lines are invalid",
      "hint: fix them, or pass --skip-invalid",
    ]);
    const json = await contact(home, "import", "1", path, "--json");
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: false,
      data: {
        lines: 4,
        faulty: 3,
        errors: [{ line: 2, field: "phone" }, { line: 3 }, { field: null }],
      },
      error: { kind: "usage" },
    });
    expect(await contactsOf(home)).toBe(header);

    const skipped = await contact(home, "import", "1", path, "--skip-invalid", "--json");
    expect(skipped.exitCode).toBe(0);
    expect(skipped.stderr.match(/^Warning: skipped: .*line \d+/gm)).toHaveLength(3);
    expect(dataOf(skipped)).toMatchObject({ lines: 4, added: 1, skipped: 3, contacts_count: 1 });
    expect(await contactsOf(home)).toBe(`${header}${bea},,\r\n`);
  });

  test("reports the first hundred invalid lines", async ({ home, expect }) => {
    const path = await file(home, `phone\n${"x\n".repeat(250)}`);
    const { exitCode, stderr } = await contact(home, "import", "1", path);
    expect(exitCode).toBe(2);
    expect(stderr.match(/, line \d+, phone/g)).toHaveLength(100);
    expect(stderr).toContain("150 more lines are invalid\n");
  });

  test("rejects invalid files, countries and groups", async ({ home, expect }) => {
    await contact(home, "list", "1");
    const good = await file(home, `phone\n${ada}\n`, "good.csv");
    const open = await file(home, `phone\n${ada}\n"${bea}\n`, "open.csv");
    await expectRefusals(expect, home, "local contact import", [
      [["1", open], 2, "line 3, opens a quote"],
      [["1", "nowhere.csv"], 2, "nowhere.csv does not exist"],
      [["1", home.folder], 2, "cannot be read (EISDIR)"],
      [["1", ""], 2, "FILE is empty"],
      [["1", "-"], 2, "standard input is empty"],
      [["1", good, "--country", "Utopia"], 2, "Utopia"],
      [["2", good], 4, "Group not found: 2"],
      [["x", good], 4, 'no group is named "x"'],
      [["1", good, "--base-url", "http://127.0.0.1:9"], 2, "--base-url"],
      [["1"], 2, "FILE"],
      [[], 2, "GROUP_ID"],
    ]);
    expect(await contactsOf(home)).toBe(header);
  });

  test("accepts national numbers with --country", async ({ home, expect }) => {
    const path = await file(home, "phone\n07911 123401\n0044 7911 123402\n");
    expect(await contact(home, "import", "1", path)).toMatchObject({ exitCode: 2 });
    expect(await contact(home, "import", "1", path, "--country", "gb")).toMatchObject({
      exitCode: 0,
    });
    expect(await contactsOf(home)).toBe(`${header}${ada},,\r\n${bea},,\r\n`);
  });

  test("works on the integration that the key selects", async ({ home, expect }) => {
    const path = await file(home, `phone\n${ada}\n`);
    await contact(home, "list", "1");
    const env = await keyOf(home, "shop");
    for (const words of [
      ["import", "1", path],
      ["list", "1"],
      ["list", "1", "--all"],
    ]) {
      const outcome = await home.run(["local", "contact", ...words], env);
      expect(outcome).toMatchObject({
        exitCode: 4,
        stderr: `sendctl: Group not found: 1 (not_found, database ${home.database})\n`,
      });
    }
    await home.run(["group", "create", "Theirs"], env);
    expect(await home.run(["local", "contact", "import", "2", path], env)).toMatchObject({
      exitCode: 0,
    });
    expect(await home.run(["local", "contact", "list", "2"])).toMatchObject({ exitCode: 4 });
    const wrong = await home.run(["local", "contact", "list", "1"], {
      SENDCTL_SECRET_KEY: "sk_no",
    });
    expect(wrong).toMatchObject({ exitCode: 3, stdout: "" });
  });

  test("ignores the key of a remote profile", async ({ home, expect }) => {
    await home.shell(
      "sendctl login --base-url https://sms.example.com --no-check --with-key <<< sk_remote",
    );
    const env = { SENDCTL_BASE_URL: "" };
    await home.run(["group", "create", "Friends", "--local"], env);
    expect(await home.run(["local", "contact", "list", "1"], env)).toMatchObject({ exitCode: 0 });
  });

  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    // Everything is read before anything is written.
    for (const when of ["reads", "writes"] as const) {
      test(`${signal} ends an import that ${when}, and nothing is imported`, async ({
        home,
        expect,
      }) => {
        await contact(home, "list", "1");
        const stdin = new PassThrough();
        const { onStop, stop, isHeard } = stoppable();
        const stderr = screen(80, (text) => {
          if (text.includes("of 2 contacts written")) stop(signal);
        });
        // Progress is shown after the first second.
        let time = 0;
        const elapsed = () => (time += 1000);
        const runtime = { ...quietRuntime(home.folder, home.env), stdin, elapsed, onStop };
        const args = ["local", "contact", "import", "1", "-"];
        const ended = runMain(args, runtime, [screen(), stderr]);
        stdin.write(`phone\n${ada}\n${bea}`);
        if (when === "writes") stdin.end();
        else {
          await until("it is read", () => isHeard() && stdin.readableLength === 0, 0);
          stop(signal);
        }
        const outcome = await inTime("its end", ended);
        expect(outcome.exitCode).toBe(exitCode);
        expect(outcome.stderr).toMatch(/Interrupted: nothing was imported\n$/);
        expect(await contactsOf(home)).toBe(header);
      });
    }
  }

  test("asks for missing arguments at a terminal", async ({ home, expect }) => {
    await contact(home, "list", "1");
    const path = await file(home, `phone\n${ada}\n`);
    const outcome = await runAtTerminal(home, ["local", "contact", "import"], {
      keys: [
        ["Which group?", "\r"],
        ["CSV file", `${path}\r`],
      ],
    });
    expect(outcome).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await contactsOf(home)).toBe(`${header}${ada},,\r\n`);
  });
});

test("local contact find finds a number in any spelling, in all groups", async ({
  home,
  expect,
}) => {
  for (const name of ["Friends", "Kin"]) await home.run(["group", "create", name]);
  for (const group of ["1", "2"]) await contact(home, "add", group, ada, "--first-name", "Ada");
  const spellings = [
    [ada],
    ["+44 7911 123401"],
    ["00447911123401"],
    ["44 7911 123401"],
    ["07911-123401", "--country", "gb"],
  ];
  for (const words of spellings) {
    const found = await contact(home, "find", ...words, "--json");
    expect(dataOf(found)).toMatchObject({
      data: [
        { group_id: 2, group: "Kin", phone: ada, first_name: "Ada", birth_date: null },
        { group_id: 1, phone: ada },
      ],
      total: 2,
    });
  }
  await expectRefusals(expect, home, "local contact find", [
    [[bea], 4, "Contact not found"],
    [["no number"], 4, "no number"],
    [["07911 123401"], 4, "not found: 07911 123401 has no country code: start it with +"],
    [[ada, "--country", "XX"], 2, "unknown country"],
    [[], 2, "PHONE"],
  ]);
});

describe.concurrent("local contact list", () => {
  test("sorts contacts by phone number, in every format", async ({ home, expect }) => {
    await contact(home, "import", "1", await file(home, `${header}${bea},Bea,--02-29\n${ada},,\n`));
    const table = await contact(home, "list", "1");
    expect(table.stdout).toMatch(/^Phone +First name +Birth date\n\+447911123401 +- +-\n/);
    expect(table.stderr).toBe("");
    const records = [
      { phone: ada, first_name: null, birth_date: null },
      { phone: bea, first_name: "Bea", birth_date: "--02-29" },
    ];
    for (const all of [[], ["--all"]]) {
      const run = async (format: string) => contact(home, "list", "1", ...all, "-o", format);
      expect((await run("id")).stdout).toBe(`${ada}\n${bea}\n`);
      expect((await run("csv")).stdout).toBe(`${header}${ada},,\r\n${bea},Bea,--02-29\r\n`);
      expect((await run("jsonl")).stdout).toBe(
        records.map((one) => `${JSON.stringify(one)}\n`).join(""),
      );
      expect(dataOf(await run("json"))).toMatchObject({ data: records, current_page: 1, total: 2 });
    }
    const second = await contact(home, "ls", "1", "--per-page", "1", "--page", "2", "--json");
    const page = { current_page: 2, last_page: 2, per_page: 1, total: 2 };
    expect(dataOf(second)).toStrictEqual({ data: [records[1]], ...page });
  });

  test("reports an empty group and rejects invalid options", async ({ home, expect }) => {
    for (const all of [[], ["--all"]]) {
      const empty = await contact(home, "list", "1", ...all);
      expect(empty).toMatchObject({ exitCode: 0, stdout: "" });
      expect(empty.stderr).toMatch(/^No contacts yet · create one: sendctl local contact import /);
    }
    await expectRefusals(expect, home, "local contact list", [
      [["2"], 4],
      [["2", "--all"], 4],
      [["1", "--per-page", "0"], 6],
      [["1", "--per-page", "1001", "--all"], 6],
      [["1", "--per-page", "x"], 2],
      [["1", "--page", "1", "--all"], 2],
      [[], 2],
    ]);
  });
});

describe.concurrent("local contact add", () => {
  test("adds a contact, and updates the given fields", async ({ home, expect }) => {
    const added = await contact(home, "add", "1", ada, "--first-name", "Ada", "--json");
    expect(added).toMatchObject({ exitCode: 0, stderr: "" });
    expect(dataOf(added)).toStrictEqual({ phone: ada, first_name: "Ada", birth_date: null });
    const again = ["07911 123401", "--country", "GB", "--birth-date=--02-28"];
    expect((await contact(home, "add", "1", ...again)).exitCode).toBe(0);
    expect(await contactsOf(home)).toBe(`${header}${ada},Ada,--02-28\r\n`);
  });

  test("stores a name as it is written", async ({ home, expect }) => {
    for (const name of ["'=A", '="A"', "a ::: b"]) {
      const added = await contact(home, "add", "1", ada, "--first-name", name, "--json");
      expect(dataOf(added)).toMatchObject({ phone: ada, first_name: name });
    }
  });

  test("rejects invalid arguments", async ({ home, expect }) => {
    await contact(home, "list", "1");
    await expectRefusals(expect, home, "local contact add", [
      [["1", "abc"], 6],
      [["1", ada, "--birth-date", "1990-02-30"], 6],
      [["1", "07911", "--country", "XX"], 2],
      [["9", ada], 4],
      [["1"], 2],
    ]);
    expect(await contactsOf(home)).toBe(header);
  });

  test.for([
    ["x".repeat(40), "x".repeat(40)],
    ["x".repeat(41), `${"x".repeat(40)}…`],
    // The pair of a character is not split.
    [`x${"🎂".repeat(20)}`, `x${"🎂".repeat(19)}…`],
  ] as const)(
    "shortens a long value in its error: %s",
    async ([given, shown], { home, expect }) => {
      await contact(home, "list", "1");
      const { exitCode, stderr } = await contact(home, "add", "1", given);
      expect(exitCode).toBe(6);
      expect(stderr).toContain(`"${shown}" `);
    },
  );

  test("asks for missing arguments", async ({ home, expect }) => {
    await contact(home, "list", "1");
    const keys = [
      ["Friends", "\r"],
      ["Phone number", `${ada}\r`],
    ] as const;
    const added = await runAtTerminal(home, ["local", "contact", "add"], { keys });
    expect(added).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await contactsOf(home)).toBe(`${header}${ada},,\r\n`);
  });
});

describe.concurrent("local contact delete", () => {
  const rows = `${header}${ada},,\r\n${bea},,\r\n${cea},,\r\n`;

  test("asks once, naming the contacts, the group and the database", async ({ home, expect }) => {
    await contact(home, "import", "1", await file(home, rows));
    const args = ["local", "contact", "delete", "1", ada, bea];
    expect((await home.run(args)).exitCode).toBe(2);
    const question = `Delete 2 contacts (${ada}, ${bea}) from group 1 (Friends)`;
    // Wide enough for the question to fit on one line.
    const wide = { columns: 300 };
    const declined = await runAtTerminal(home, args, { ...wide, keys: [[question, "\r"]] });
    expect(declined.stderr).toContain(home.database);
    expect(await contactsOf(home)).toBe(rows);
    const confirmed = await runAtTerminal(home, args, { ...wide, keys: [[question, "y\r"]] });
    expect(confirmed).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await contactsOf(home)).toBe(`${header}${cea},,\r\n`);
  });

  test.for([
    ["+4915112345601.0", "ends in a fraction"],
    ["+49 151 12345601/02", "is not a single phone number"],
    ["+49 151 12345601 (2)", "is not a single phone number"],
  ] as const)("%s names nobody else's contact", async ([number, reason], { home, expect }) => {
    await contact(home, "list", "1");
    const others = ["+49151123456010", "+491511234560102", "+49151123456012"];
    for (const other of others) await contact(home, "add", "1", other);
    for (const words of [["add", "1"], ["find"], ["delete", "1", "--yes"]]) {
      const { exitCode, stderr } = await contact(home, ...words, number);
      expect(exitCode).toBe(words[0] === "add" ? 6 : 4);
      expect(stderr).toContain(number);
      expect(stderr).toContain(reason);
    }
    expect((await contactsOf(home)).split("\r\n")).toHaveLength(others.length + 2);
  });

  test("deletes existing contacts and names the others", async ({ home, expect }) => {
    await contact(home, "import", "1", await file(home, `${header}${ada},,\n${bea},,\n`));
    const outcome = await contact(home, "delete", "1", ada, cea, "--yes", "--json");
    expect(outcome.exitCode).toBe(4);
    expect(dataOf(outcome)).toStrictEqual({ deleted: [ada], not_found: [cea] });
    expect(errorOf(outcome).kind).toBe("not_found");
    expect(await contactsOf(home)).toBe(`${header}${bea},,\r\n`);
    const groups = dataOf(await home.run(["group", "list", "--json"]));
    expect(groups).toMatchObject({ data: [{ id: 1, contacts_count: 1 }] });
  });

  for (const [name, options, input] of [
    ["lines", [], `${ada}\r\n\n${cea}\n`],
    ["NUL-separated numbers with -0", ["-0"], `${ada}\0${cea}`],
    ["national numbers", ["--country", "GB"], "07911 123401\n07911 123403\n"],
  ] as const) {
    test(`reads ${name} from standard input with -`, async ({ home, expect }) => {
      await contact(home, "import", "1", await file(home, rows));
      const args = ["local", "contact", "delete", "1", "-", ...options, "--yes"];
      expect(await home.run(args, {}, input)).toMatchObject({
        exitCode: 0,
        stderr: "2 contacts deleted\n",
      });
      expect(await contactsOf(home)).toBe(`${header}${bea},,\r\n`);
      // Neither contact exists any more.
      expect(await home.run(args, {}, input)).toMatchObject({ exitCode: 4 });
    });
  }

  test("rejects - without --yes, -0 without -, and input that is not UTF-8", async ({
    home,
    expect,
  }) => {
    await contact(home, "import", "1", await file(home, rows));
    for (const [words, input] of [
      [["-"], `${ada}\n`],
      [[ada, "-0", "--yes"], ""],
      [["--yes"], ""],
    ] as const) {
      const outcome = await home.run(["local", "contact", "delete", "1", ...words], {}, input);
      expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    }
    const latin = await home.shell(
      "printf '\\351\\n' | sendctl local contact delete 1 - --yes --json",
    );
    expect(latin.exitCode).toBe(2);
    expect(errorOf(latin).message).toContain("not UTF-8");
    expect(await contactsOf(home)).toBe(rows);
  });

  test("reports an unknown group", async ({ home, expect }) => {
    const outcome = await contact(home, "delete", "9", ada, "--yes", "--json");
    expect(outcome.exitCode).toBe(4);
    expect(errorOf(outcome).kind).toBe("not_found");
  });
});
