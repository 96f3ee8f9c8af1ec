import { writeFile } from "node:fs/promises";
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
    `\ufeffFirst Name;Phone;Birth date;;\r\nAda;${a};1990-12-10;;\r\n;;;;\r\n`,
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
  "Excel for Mac, carriage returns": [`PHONE,FIRST_NAME\r${a},Ada\r`, [ada]],
  "a sheet with formulas": [`phone,first_name\n'${a},Ada\n`, [ada]],
  "invisible marks": [
    `phone,first_name\n\u202a${a}\u202c,Ada\n\u200e${b}\u00a0,\n`,
    [ada, { ...ada, phone: b, first_name: null }],
  ],
  "Google, with --column": [
    `Name,First name,Phone 1 - Value,Notes\nAda L,Ada,${a},x\n`,
    [ada],
    "--column",
    "phone=Phone 1 - Value",
  ],
  "SEP=": [`\ufeffSEP=;\r\nphone;first_name\r\n${a};Ada\r\n`, [ada]],
  "invisible marks in the header": [
    `\u200ePh\u200bone,\ufeffFirst\u200b name\ufeff\n${a},Ada\n`,
    [ada],
  ],
  "Google, without --column": [
    `Name,First name,Phone 1 - Value\nAda L,Ada,${a}\n`,
    /unknown column "Name"; its columns are Name, First name, Phone 1 - Value/,
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
  "a code without +": [`phone\n4915112345678\n`, /nothing imported/, "--country", "DE"],
  "a date of one country": [`phone,birth_date\n${a},10/12/1990\n`, /nothing imported/],
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
    /names a field or a column twice/,
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

describe("a file of contacts", () => {
  for (const [name, [content, expected, ...options]] of Object.entries(files)) {
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
    await writeFile(join(home.folder, "a b.csv"), `Phone 1 - Value,Notes,First name\n${a},x,Ada\n`);
    const args = ["local", "contact", "import", "1", "a b.csv"];
    const refused = await home.run(args);
    expect(refused.stderr).toContain("hint: add --column phone=HEADER\n");
    const { stderr } = await home.run([...args, "--column", "phone=Phone 1 - Value"]);
    expect(stderr).toContain("1 column ignored: Notes\n");
  });

  const importing = ["local", "contact", "import", "1", "a.csv"];

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
});
