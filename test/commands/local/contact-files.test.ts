import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf, errorOf, test } from "../../support/home.ts";

const [a, b] = ["+4915112345678", "+4915112345679"];
const ada = { phone: a, first_name: "Ada", birth_date: null };

/** Files as other programs write them, and the contacts that they have, or why they are refused. */
const files: Readonly<
  Record<string, readonly [content: string | Buffer, contacts: object[] | RegExp, ...string[]]>
> = {
  "Excel, semicolons, empty columns and rows": [
    `\ufeffFirst Name;Mobile;Birthday;;\r\nAda;${a};1990-12-10;;\r\n;;;;\r\n`,
    [{ ...ada, birth_date: "1990-12-10" }],
  ],
  "Excel, Unicode text": [
    Buffer.from(`\ufeffPhone\tFirst name\r\n${a}\tAda\r\n`, "utf16le"),
    [ada],
  ],
  "UTF-16, the other order": [
    Buffer.from(`\ufeffphone,first_name\n${a},Ada\n`, "utf16le").swap16(),
    [ada],
  ],
  "Excel, sep=": [`sep=;\r\nphone;first_name\r\n${a};Ada\r\n`, [ada]],
  "Excel for Mac, carriage returns": [`PHONE,FIRST-NAME\r${a},Ada\r`, [ada]],
  "words of the field": [
    `Given Name,Telephone,Date of Birth\nAda,${a},--12-10\n`,
    [{ ...ada, birth_date: "--12-10" }],
  ],
  "a sheet with formulas": [`phone_number,firstname\n'${a},Ada\n`, [ada]],
  "invisible marks": [
    `phone,first_name\n\u202a${a}\u202c,Ada\n\u200e${b}\u00a0,\n`,
    [ada, { ...ada, phone: b, first_name: null }],
  ],
  "tel:": [`phone,first_name\ntel:${a},Ada\n`, [ada]],
  "Google, with --column": [
    `Name,Given Name,Phone 1 - Value,Notes\nAda L,Ada,${a},x\n`,
    [ada],
    "--column",
    "phone=Phone 1 - Value",
  ],
  "Google, several numbers of one kind": [`First Name,Mobile\nAda,${a} ::: ${b}\n`, [ada]],
  "texts as formulas": [
    `phone,first_name,birth_date\r\n="${a}","=""Ada, """"A""""""",="1990-12-10"\r\n${b},=B,="--12-09"`,
    [
      { phone: a, first_name: 'Ada, "A"', birth_date: "1990-12-10" },
      { phone: b, first_name: "=B", birth_date: "--12-09" },
    ],
  ],
  "Outlook, no birthday": [`First Name,Mobile Phone,Birthday\nAda,${a},0/0/00\n`, [ada]],
  "SEP=": [`\ufeffSEP=;\r\nphone;first_name\r\n${a};Ada\r\n`, [ada]],
  "invisible marks in the header": [
    `\u200ePh\u200bone,\ufeffFirst\u200b name\ufeff\n${a},Ada\n`,
    [ada],
  ],
  "two numbers, with --column": [
    `Mobile,Telephone\n${a},${b}\n`,
    [{ ...ada, first_name: null }],
    "--column",
    "phone=mobile",
  ],
  "Google, without --column": [
    `Name,Given Name,Phone 1 - Value\nAda L,Ada,${a}\n`,
    /unknown column "Name"; its columns are Name, Given Name, Phone 1 - Value, of which first_name \(Given Name\) is known/,
  ],
  "two numbers": [
    `Mobile,Telephone\n${a},${b}\n`,
    /duplicate column "phone": "Mobile" and "Telephone"/,
  ],
  "another header": [
    `phone\n${a}\n`,
    /--column phone=Cell: the file has no such column/,
    "--column",
    "phone=Cell",
  ],
  "another field": [
    `phone\n${a}\n`,
    /--column email=Mail: is not FIELD=HEADER/,
    "--column",
    "email=Mail",
  ],
  "no number": [`First name\nAda\n`, /has no "phone" column; its columns are First name/],
  "scientific notation": ["phone\n4.91511E+12\n", /nothing imported: 1 of 1 line is invalid/],
  "a national number": ["phone\n0151 12345678\n", /nothing imported/],
  "no header": [`${a},Ada\n`, /has no header: its first line is \+\d+, Ada/],
  "a code without +": [`phone\n4915112345678\n`, /nothing imported/, "--country", "DE"],
  "a date of one country": [`phone,birthday\n${a},10/12/1990\n`, /nothing imported/],
  "UTF-16 without a mark": [
    Buffer.from(`phone\n${a}\n`, "utf16le"),
    /a\.csv contains NUL characters/,
  ],
  "UTF-16 with an odd byte": [
    Buffer.from(`\ufeffphone\n${a}\n`, "utf16le").subarray(0, -1),
    /a\.csv has a byte order mark of UTF-16, but is not valid UTF-16/,
  ],
  "UTF-16 with half of a character": [
    Buffer.from(`\ufeffphone,first_name\n${a},\ud83c\n`, "utf16le"),
    /a\.csv has a byte order mark of UTF-16, but is not valid UTF-16/,
  ],
  "a field twice": [
    `Mobile,Telephone\n${a},${b}\n`,
    /--column names a field or a column twice/,
    "--column",
    "phone=Mobile",
    "--column",
    "phone=Telephone",
  ],
  "a line that is too short": [
    `phone,Notes,first_name\n${a},x\n`,
    /nothing imported/,
    "--column",
    "phone=phone",
  ],
};

/** Returns a vCard with some lines. */
const card = (version: string, ...lines: readonly string[]): string =>
  ["BEGIN:VCARD", `VERSION:${version}`, ...lines, "END:VCARD", ""].join("\r\n");

/** Returns a text in UTF-8 that is folded after the first byte of each character of several bytes. */
function foldedBytes(text: string): Buffer {
  const bytes = Buffer.from(text).toString("latin1");
  return Buffer.from(bytes.replace(/[\xc2-\xf4]/g, "$&\r\n "), "latin1");
}

const cards: typeof files = {
  "vCard, iPhone": [
    card(
      "3.0",
      "N:Lovelace;Ada;;;",
      "FN:Ada Lovelace",
      "TEL;type=HOME:+49 30 901820",
      `TEL;type=CELL;type=VOICE;type=pref:${a}`,
      "BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ",
      " SkZJRgABAQAAAQ",
    ),
    [{ ...ada, birth_date: "--12-10" }],
  ],
  "vCard, 4.0, folded lines": [
    card(
      "4.0",
      "FN:Ada",
      `TEL;VALUE=uri;TYPE="voice,work":tel:${a.slice(0, 6)}`,
      ` ${a.slice(6)}`,
    ) + card("4.0", "FN:Bea\\, B.", `item1.TEL:${b}`, "BDAY:--1209"),
    [ada, { phone: b, first_name: "Bea, B.", birth_date: "--12-09" }],
  ],
  "vCard, Android, one number twice": [
    card("3.0", "N:;Ada;;;", `TEL;TYPE=HOME:${a}`, `TEL;TYPE=WORK:${a}`, "BDAY:1990-12-10"),
    [{ ...ada, birth_date: "1990-12-10" }],
  ],
  "vCard, one number in two spellings": [
    card(
      "3.0",
      "N:;Ada;;;",
      `TEL;TYPE=HOME:${a}`,
      `TEL;TYPE=WORK:${a.slice(0, 3)} (${a.slice(3, 6)}) ${a.slice(6)}`,
    ),
    [ada],
  ],
  "vCard, two mobiles": [
    card("4.0", "FN:Ada", `TEL;TYPE=cell:${a}`, `TEL;TYPE=cell:${b}`),
    /nothing imported: 1 of 1 card is invalid/,
  ],
  "vCard 3.0, preferred numbers": [
    card("3.0", "FN:Ada", `TEL;TYPE=CELL:${b}`, `TEL;TYPE=CELL,PREF:${a}`) +
      card("3.0", "FN:Bea", `TEL;TYPE=HOME:${a}`, `TEL;TYPE=WORK;TYPE=pref:${b}`),
    [ada, { phone: b, first_name: "Bea", birth_date: null }],
  ],
  "vCard 4.0, preferred numbers": [
    card("4.0", "FN:Ada", `TEL;TYPE=cell;PREF=20:${b}`, `TEL;TYPE=cell;PREF=3:${a}`) +
      card("4.0", "FN:Bea", `TEL;PREF=1;TYPE=home:${a}`, `TEL;TYPE=cell:${b}`),
    [ada, { phone: b, first_name: "Bea", birth_date: null }],
  ],
  "vCard, two preferred numbers": [
    card("4.0", "FN:Ada", `TEL;PREF=1:${a}`, `TEL;PREF="1":${b}`),
    /nothing imported/,
  ],
  "vCard, folded within characters": [
    foldedBytes(card("4.0", "FN:Aé€🎂", `TEL:${a}`)),
    [{ ...ada, first_name: "Aé€🎂" }],
  ],
  "vCard, a text as birthday": [
    card("4.0", "FN:Ada", `TEL:${a}`, "BDAY;VALUE=text:circa 1800"),
    /nothing imported/,
  ],
  "vCard, an extension": [card("4.0", "FN:Ada", `TEL:tel:${a};ext=5`), /nothing imported/],
  "vCard, no number": [card("4.0", "FN:Ada"), /nothing imported/],
  "vCard 2.1": [card("2.1", "N:Lovelace;Ada", `TEL;CELL:${a}`), /a\.csv, line 2, has vCard 2\.1/],
  "vCard, cut off": [card("4.0", "FN:Ada").replace("END:VCARD", ""), /line 1, begins a card/],
  "vCard, --column": [card("4.0"), /--column does not apply to vCard/, "--column", "phone=TEL"],
};

describe("a file of contacts", () => {
  for (const [name, [content, expected, ...options]] of Object.entries({ ...files, ...cards })) {
    test(`as other programs write it: ${name}`, async ({ home, expect }) => {
      await home.run(["group", "create", "Friends"]);
      await writeFile(join(home.folder, "a.csv"), content);
      const args = ["local", "contact", "import", "1", "a.csv", ...options];
      const ran = await home.run([...args, "--json"]);
      const list = dataOf(await home.run(["local", "contact", "list", "1", "--json"]));
      const { data } = list as { data: readonly object[] };
      if (expected instanceof RegExp) {
        expect(ran.exitCode).toBe(2);
        expect(errorOf(ran).message).toMatch(expected);
        expect(data).toEqual([]);
      } else {
        expect(ran).toMatchObject({ exitCode: 0 });
        expect(data).toMatchObject(expected);
        expect(data).toHaveLength(expected.length);
      }
    });
  }

  test("says which columns it ignores, and what to type for others", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    await writeFile(join(home.folder, "a b.csv"), `Phone 1 - Value,Notes,Given Name\n${a},x,Ada\n`);
    const args = ["local", "contact", "import", "1", "a b.csv"];
    const refused = await home.run(args);
    expect(refused.stderr).toContain(
      "hint: ignore the others: sendctl local contact import 1 'a b.csv' --column 'phone=Phone 1 - Value'\n",
    );
    const { stderr } = await home.run([...args, "--column", "phone=Phone 1 - Value"]);
    expect(stderr).toContain("1 column ignored: Notes\n");
  });

  test("repeats the group, the options and the target in its hint", async ({ home, expect }) => {
    const target = ["--database", "other.db"];
    await home.run(["group", "create", "My friends", ...target]);
    const header = "Phonetic First Name,Phone 1 - Type,Phone 1 - Value";
    await writeFile(join(home.folder, "a.csv"), `${header}\n,Mobile,${a}\n`);
    const args = ["local", "contact", "import", "My friends", "a.csv", "--country", "GB"];
    const { stderr } = await home.run([...args, "--dry-run", "--skip-invalid", ...target]);
    const hint = /^hint: ignore the others: sendctl (.*)$/m.exec(stderr)?.[1];
    expect(hint).toBe(
      `local contact import 'My friends' a.csv --country GB --skip-invalid --dry-run --database ${join(home.folder, "other.db")} --column 'phone=Phone 1 - Value'`,
    );
    expect(await home.shell(`sendctl ${hint}`)).toMatchObject({ exitCode: 0 });
  });

  const importing = ["local", "contact", "import", "1", "a.csv"];

  test("a card leaves what it does not say", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const given = ["--first-name", "Ada", "--birth-date", "1990-12-10"];
    await home.run(["local", "contact", "add", "1", a, ...given]);
    await writeFile(join(home.folder, "a.csv"), card("4.0", `TEL:${a}`));
    expect(dataOf(await home.run([...importing, "--json"]))).toMatchObject({ unchanged: 1 });
    await writeFile(join(home.folder, "a.csv"), card("4.0", "FN:Bea", `TEL:${a}`));
    await home.run(importing);
    const { stdout } = await home.run(["local", "contact", "list", "1", "-o", "csv"]);
    expect(stdout).toContain(`${a},Bea,1990-12-10`);
  });

  test("--dry-run counts and changes nothing", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    await home.run(["local", "contact", "add", "1", a, "--first-name", "Ada"]);
    const list = ["local", "contact", "list", "1", "-o", "csv"];
    const before = await home.run(list);
    const bad = Array.from({ length: 12 }, (_, index) => `x${index},Bad`).join("\n");
    const content = `phone,first_name\n${a},Grace\n${b},Bea\n${bad}\n`;
    await writeFile(join(home.folder, "a.csv"), content);
    const ran = await home.run([...importing, "--dry-run", "--read-only", "--json"]);
    expect(ran.exitCode).toBe(0);
    expect(dataOf(ran)).toMatchObject({
      lines: 14,
      added: 1,
      updated: 1,
      unchanged: 0,
      skipped: 12,
    });
    const { errors } = dataOf(ran) as { errors: readonly object[] };
    expect(errors).toHaveLength(10);
    expect(errors[0]).toMatchObject({ line: 4, field: "phone" });
    expect(ran.stderr).toContain("2 more lines are invalid\n");
    expect(ran.stderr).toContain("without --skip-invalid, nothing is imported: 12 of 14 lines");
    expect(await home.run(list)).toEqual(before);
  });

  test("--rejected writes the skipped lines, to be corrected and imported", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Friends"]);
    const [content, rejected] = [join(home.folder, "a.csv"), join(home.folder, "bad.csv")];
    await writeFile(content, `Notes;Phone;Name\n"a;b";${a};Ada\n"c, d";12;Bea\ne\n`);
    const options = ["--column", "phone=Phone", "--column", "first_name=Name", "--skip-invalid"];
    const skipping = [...importing, ...options, "--rejected", "bad.csv"];
    const ran = await home.run(skipping);
    expect(ran.stderr).toContain("2 lines written to bad.csv\n");
    const text = await readFile(rejected, "utf8");
    const [head, first, second] = text.split("\r\n");
    expect(head).toBe("reason;Notes;Phone;Name");
    expect(first).toMatch(/^"phone ""12"" .+";"c, d";12;Bea$/);
    expect(second).toBe('"has 1 column, but the header has 3";e');
    expect(await home.run(skipping)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("bad.csv exists"),
    });
    expect(await readFile(rejected, "utf8")).toBe(text);

    await writeFile(content, text.replace(";12;", `;${b};`).replace(/.*;e\r\n/, ""));
    const again = await home.run([...importing, ...options]);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stdout).toMatch(/Added +1\n/);
  });

  test("--rejected writes what --column and a spreadsheet read like the file", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Friends"]);
    const skipping = [...importing, "--skip-invalid", "--rejected"];
    for (const [at, [content, expected]] of (
      [
        ["\ufeffphone;first_name\n12;Ada\n", "\ufeffreason;phone;first_name\r\n"],
        ["phone\tfirst_name\n12\tAda\n", "reason\tphone\tfirst_name\r\n"],
        ["sep=|\nphone|first_name\n12|A;|\n", "sep=|\r\nreason|phone|first_name\r\n"],
        [card("4.0", "FN:Ada"), "reason,phone,first_name,birth_date\r\n"],
      ] as const
    ).entries()) {
      await writeFile(join(home.folder, "a.csv"), content);
      expect((await home.run([...skipping, `${at}.csv`])).exitCode).toBe(0);
      const text = await readFile(join(home.folder, `${at}.csv`), "utf8");
      expect(text.slice(0, expected.length)).toBe(expected);
      const again = await home.run(["local", "contact", "import", "1", `${at}.csv`]);
      expect(again.stderr).toContain(
        `${at}.csv, line ${expected.startsWith("sep") ? 3 : 2}, phone`,
      );
    }
  });

  test("--rejected keeps lines invalid whose number of columns is wrong", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Friends"]);
    const given = ["--first-name", "Ada", "--birth-date", "1990-12-10"];
    await home.run(["local", "contact", "add", "1", a, ...given]);
    const list = ["local", "contact", "list", "1", "-o", "csv"];
    const before = await home.run(list);
    let content = `phone,first_name,birth_date\n${a}\n${a},Lovelace, Ada,1990-12-10\n`;
    for (const [name, short, long] of [
      ["b.csv", "has 1 column, but the header has 3", "has 4 columns, but the header has 3"],
      ["c.csv", "has 2 columns, but the header has 4; has 1 column", "has 5 columns"],
    ] as const) {
      await writeFile(join(home.folder, "a.csv"), content);
      const ran = await home.run([...importing, "--skip-invalid", "--rejected", name, "--json"]);
      expect(dataOf(ran)).toMatchObject({ lines: 2, skipped: 2 });
      content = await readFile(join(home.folder, name), "utf8");
      const [head, first, second] = content.split("\r\n");
      expect(head).toBe("reason,phone,first_name,birth_date");
      expect(first).toMatch(new RegExp(`^"${short}.*",\\${a}$`));
      expect(second).toMatch(new RegExp(`^"${long}.*",\\${a},Lovelace, Ada,1990-12-10$`));
    }
    expect(await home.run(list)).toEqual(before);
    // Corrected, without the reason.
    await writeFile(join(home.folder, "a.csv"), `reason,phone,first_name\n,${a},Bea\n${b},Cea\n`);
    await home.run([...importing, "--skip-invalid", "--rejected", "d.csv"]);
    expect((await home.run(list)).stdout).toContain(`${a},Bea,1990-12-10\r\n`);
    expect(await readFile(join(home.folder, "d.csv"), "utf8")).toContain(
      `"has 2 columns, but the header has 3; ${b}",Cea\r\n`,
    );
  });

  test("--rejected leaves no file of an import that fails, or that skips nothing", async ({
    home,
    expect,
  }) => {
    await home.run(["group", "create", "Friends"]);
    const skipping = [...importing, "--skip-invalid", "--rejected", "bad.csv"];
    for (const content of [`phone\n12\n${a}\n"`, `phone\n${a}\n`]) {
      await writeFile(join(home.folder, "a.csv"), content);
      await home.run(skipping);
      expect(existsSync(join(home.folder, "bad.csv"))).toBe(false);
    }
    for (const name of ["", "-", "/nowhere/bad.csv"]) {
      await writeFile(join(home.folder, "a.csv"), `phone\n12\n${a}\n`);
      const wrong = await home.run([...importing, "--skip-invalid", `--rejected=${name}`]);
      expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("hint: ") });
    }
    const { exitCode, stderr } = await home.run([...importing, "--rejected", "bad.csv"]);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--rejected needs --skip-invalid"),
    });
  });
});
