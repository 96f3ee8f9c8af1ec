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
  "two numbers, with --column": [
    `Mobile,Telephone\n${a},${b}\n`,
    [{ ...ada, first_name: null }],
    "--column",
    "phone=mobile",
  ],
  "Google, without --column": [
    `Name,Given Name,Phone 1 - Value\nAda L,Ada,${a}\n`,
    /unknown column "Name"; its columns are Name, Given Name, Phone 1 - Value, of which first_name \(Given Name\) are known/,
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
  "scientific notation": ["phone\n4.91511E+12\n", /nothing imported: 1 of 1 lines is invalid/],
  "a national number": ["phone\n0151 12345678\n", /nothing imported/],
  "a date of one country": [`phone,birthday\n${a},10/12/1990\n`, /nothing imported/],
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
    await writeFile(join(home.folder, "a b.csv"), `Phone 1 - Value,Notes,Given Name\n${a},x,Ada\n`);
    const args = ["local", "contact", "import", "1", "a b.csv"];
    const refused = await home.run(args);
    expect(refused.stderr).toContain(
      "hint: ignore the others: sendctl local contact import 1 'a b.csv' --column 'phone=Phone 1 - Value'\n",
    );
    const { stderr } = await home.run([...args, "--column", "phone=Phone 1 - Value"]);
    expect(stderr).toContain("1 column ignored: Notes\n");
  });
});
