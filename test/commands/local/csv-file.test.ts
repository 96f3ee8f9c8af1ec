import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readContacts } from "../../../src/commands/local/contact/csv-file.ts";
import type { ContactLine } from "../../../src/contract/contacts.ts";
import { SendctlError } from "../../../src/core/error.ts";

/** Yields the bytes in chunks, as a pipe may. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, size = 7) {
  const file = await readContacts(inChunks(Buffer.from(text), size), {
    name: "a.csv",
    columns: [],
  });
  const lines: ContactLine[] = [];
  for await (const some of file.lines) lines.push(...some);
  return { columns: file.columns, lines };
}

/** Returns the message of a usage error; undefined if the file is valid. Throws any other error. */
async function errorIn(text: string | Uint8Array, size?: number): Promise<string | undefined> {
  try {
    await read(text, size);
    return undefined;
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "usage") return error.message;
    throw error;
  }
}

const header = "phone,first_name\n";

test("accepts columns in any order and case, and without the optional ones", async () => {
  const cells = ["x"];
  expect(await read("PHONE\nx")).toEqual({ columns: ["phone"], lines: [{ line: 2, cells }] });
  const { columns } = await read(' Birth_Date ,"First_Name",pHone\n1,2,3');
  expect(columns).toEqual(["birth_date", "first_name", "phone"]);
});

for (const [what, text] of [
  ["LF", "phone,first_name\n+1,Ada\n\n+2,Bea\n"],
  ["CRLF", "phone,first_name\r\n+1,Ada\r\n\r\n+2,Bea\r\n"],
  ["CR", "phone,first_name\r+1,Ada\r\r+2,Bea\r"],
  ["mixed line ends", "phone,first_name\r\n+1,Ada\n\r+2,Bea"],
  ["a byte order mark", "\u{feff}phone,first_name\n+1,Ada\n\n+2,Bea"],
] as const) {
  for (const size of [1, 2, 3, 1000]) {
    test(`counts lines like an editor: ${what}, in chunks of ${size} bytes`, async () => {
      expect((await read(text, size)).lines).toEqual([
        { line: 2, cells: ["+1", "Ada"] },
        { line: 4, cells: ["+2", "Bea"] },
      ]);
    });
  }
}

test("accepts commas, quotes and line ends in a quoted field, and counts its lines", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = `phone,first_name${end}+1,"A""d, ${end}${end}a"${end}+2,Bea${end}`;
    expect((await read(text)).lines).toEqual([
      { line: 2, cells: ["+1", 'A"d, \n\na'] },
      { line: 5, cells: ["+2", "Bea"] },
    ]);
  }
});

for (const [what, text, says] of [
  ["nothing", "", "a.csv is empty"],
  ["empty lines", "\r\n\n", "a.csv is empty"],
  ["a header alone", header, "a.csv contains a header and no contacts"],
  ["an unknown column", "phone,name\n", 'unknown column "name"'],
  ["a duplicate column", "phone,Phone\n", 'duplicate column "phone"'],
  ["a missing phone column", "first_name\nAda", 'no "phone" column'],
  [
    "text that is not UTF-8",
    Buffer.concat([Buffer.from(`${header}+1,Ada\n+2,`), Buffer.from([0xe9, 10])]),
    "a.csv is not UTF-8",
  ],
  ["half of UTF-16", Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41]), "is not valid UTF-16"],
  [
    "an open quote",
    `${header}+1,Ada\n+2,"Bea\n+3,Cea\n`,
    "line 3, opens a quote that is never closed",
  ],
  ["a quote within", `${header}+1,Ada\n+2,B"ea\n`, "line 3, has a quote within an unquoted field"],
  [
    "a quote after =",
    `${header}+1,Ada\n="+2"x,B\n`,
    "line 3, has a quote within an unquoted field",
  ],
  ["text after a quote", `${header}+1,"Ada"x\n`, "line 2, has a quote within an unquoted field"],
  ["a huge line", `${header}+1,Ada\n+2,${"x".repeat(70_000)}`, "line 3, "],
  [
    "a huge field",
    `${header}+1,Ada\n+2,"${"x\n".repeat(40_000)}"\n`,
    "line 3, begins a record of more than 64 KiB",
  ],
  ["a huge header", "x".repeat(200_000), "64 KiB"],
  ["columns between |", "phone|first_name\n+1|Ada\n", "a single column: phone|first_name"],
  [
    "an .xlsx",
    Buffer.from("PK\u0003\u0004\u0014\0\u0008"),
    "a.csv is an Excel workbook or another ZIP",
  ],
  ["an .xls", Buffer.from("d0cf11e0a1b11ae1", "hex"), "a.csv is an Excel workbook"],
  ["a .gz", Buffer.from("1f8b0800", "hex"), "a.csv is compressed with gzip"],
  ["zeros", Buffer.alloc(200_000), "contains NUL characters"],
] as const) {
  test(`rejects ${what}, in chunks of any size`, async () => {
    for (const size of text.length > 60_000 ? [65_536, 1_000_000] : [1, 5, 1000]) {
      expect(await errorIn(text, size)).toContain(says);
    }
  });
}

/** Text that resembles CSV. */
const csvLike = fc
  .array(
    fc.constantFrom(
      ",",
      '"',
      "\n",
      "\r",
      "\r\n",
      "phone",
      "first_name",
      "x",
      " ",
      "\0",
      "é",
      "\u{feff}",
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.from(parts.join("")));

test("reads or rejects any bytes, in chunks of any size", async () => {
  const headed = csvLike.map((bytes) => Buffer.concat([Buffer.from(header), bytes]));
  const bytes = fc.oneof(csvLike, headed, fc.uint8Array({ maxLength: 80 }));
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 20 }), async (bytes, size) => {
      const error = await errorIn(bytes, size);
      // The chunk size may decide which of two errors is found first.
      expect((await errorIn(bytes, 1000)) === undefined).toBe(error === undefined);
      expect(error ?? "a.csv, read").toMatch(/^a\.csv[ ,]/);
      const lines = error === undefined ? (await read(bytes, size)).lines : [];
      expect(lines.length > 0).toBe(error === undefined);
      const numbers = lines.map(({ line }) => line);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    }),
    { numRuns: 500 },
  );
});

test("reads back the cells of written CSV", async () => {
  const cell = fc
    .string({ unit: "grapheme" })
    .map((text) => text.replace(/[\r\n\0]/g, "\n").replaceAll("\0", ""));
  // Blank rows are ignored.
  const row = fc.tuple(cell, cell).filter((cells) => cells.join("").trim() !== "");
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 30 }),
      async (rows, size) => {
        const text = rows.map((row) =>
          row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","),
        );
        const { lines } = await read(header + text.join("\n"), size);
        // The apostrophe of --csv-safe is removed.
        const plain = rows.map((row) => row.map((one) => one.replace(/^'(?=[=+\-@\t\r])/, "")));
        expect(lines.map(({ cells }) => cells)).toEqual(plain);
        let line = 2;
        for (const [index, row] of rows.entries()) {
          expect(lines[index]!.line).toBe(line);
          line += row.join("").split("\n").length;
        }
      },
    ),
    { numRuns: 200 },
  );
});
