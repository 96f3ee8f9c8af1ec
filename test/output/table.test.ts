import { array, assert, asyncProperty, constantFrom, integer, oneof, string } from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { safeText } from "../../src/core/text.ts";
import { loadStyle, type Style } from "../../src/output/terminal.ts";
import { recordTable, tablePieces, type Column } from "../../src/output/table/table.ts";

async function listTable(...given: Parameters<typeof tablePieces>): Promise<string> {
  let table = "";
  for await (const piece of tablePieces(...given)) table += piece;
  return table.slice(0, -1);
}

const plain: Style = await loadStyle(false);

/** Text of cells: safe, one line, of any width, and without the bars that mark borders. */
const text = array(
  oneof(
    string({ unit: "grapheme", maxLength: 12 }),
    constantFrom("日本語", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "שלום", "word ", "", "x".repeat(60)),
  ),
  { maxLength: 4 },
).map((parts) =>
  safeText(parts.join(""))
    .replaceAll(/[\u2500-\u257f]/gu, "")
    .trim(),
);

const columns: readonly Column[] = [
  { label: "ID", align: "right" },
  { label: "Name", least: 10 },
  { label: "Message", least: 10, optional: true },
];
const rows = array(
  array(text, { minLength: 2, maxLength: 2 }).map(([name, message]) => [name!, message!]),
  { minLength: 1, maxLength: 5 },
).map((cells) => cells.map(([name, message], index) => [String(index), name!, message!]));

const cellsOf = (given: readonly (readonly string[])[]) =>
  given.map((row) => row.map((cell) => ({ text: cell })));

/** Returns the widths of the cells between the bars of a line, in columns of the terminal. */
function widthsOf(line: string): number[] {
  return line.split(/[┌┬┐├┼┤└┴┘│]/).map((cell) => stringWidth(cell));
}

function withoutSpaces(given: string): string {
  return given.replaceAll(/\s/gu, "");
}

function expectAligned(table: string, width: number): void {
  for (const block of table.split(/^(?=┌)/m)) {
    const lines = block.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^┌[─┬]+┐$/);
    expect(lines.at(-1)).toMatch(/^└[─┴]+┘$/);
    const widths = lines.map(widthsOf);
    expect(widths).toStrictEqual(lines.map(() => widths[0]));
    const bars = widths[0]!.length - 1;
    expect(widths[0]!.reduce((sum, cell) => sum + cell, bars)).toBeLessThanOrEqual(width);
  }
}

describe("listTable on a terminal", () => {
  test("is aligned and fits with any content", async () => {
    await assert(
      asyncProperty(rows, integer({ min: 24, max: 200 }), async (given, width) => {
        expectAligned(await listTable(columns, cellsOf(given), { width, style: plain }), width);
      }),
      { numRuns: 300 },
    );
  });

  test("shows everything if there is room", async () => {
    await assert(
      asyncProperty(rows, async (given) => {
        const table = await listTable(columns, cellsOf(given), { width: 2000, style: plain });
        const lines = table.split("\n").slice(3, -1);
        expect(lines).toHaveLength(given.length);
        for (const [index, line] of lines.entries()) {
          expect(line.split("│").map((cell) => cell.trim())).toStrictEqual([
            "",
            ...given[index]!,
            "",
          ]);
        }
      }),
    );
  });
});

describe("listTable without a terminal", () => {
  test("is complete, and aligns columns with their headings", async () => {
    await assert(
      asyncProperty(rows, async (given) => {
        const table = await listTable(columns, cellsOf(given), { width: undefined, style: plain });
        const [head, ...lines] = table.split("\n");
        expect(lines).toHaveLength(given.length);
        const name = head!.indexOf("Name");
        const message = stringWidth(head!.slice(0, head!.indexOf("Message")));
        for (const [index, line] of lines.entries()) {
          const [id, first, second] = given[index]!;
          expect(line).toBe(line.trimEnd());
          expect(line.slice(0, name).trim()).toBe(id);
          expect(line.slice(name, name + first!.length)).toBe(first);
          if (second === "") continue;
          expect(line.endsWith(second!)).toBe(true);
          expect(stringWidth(line.slice(0, line.length - second!.length))).toBe(message);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function longList(count: number) {
  return cellsOf(Array.from({ length: count }, (_, index) => [`${index}`, "日本", "b"]));
}

describe("a long list", () => {
  test.each([1, 99, 100, 101, 200, 250])("of %i records is one table", async (count) => {
    const table = await listTable(columns, longList(count), { width: 80, style: plain });
    expectAligned(table, 80);
    const lines = table.split("\n");
    expect(lines).toHaveLength(count + 4);
    expect(lines.filter((line) => /^[┌├└]/.test(line))).toHaveLength(3);
    const ids = lines.slice(3, -1).map((line) => Number(line.split("│")[1]));
    expect(ids).toStrictEqual(ids.map((_, index) => index));
  });

  test("of 20,000 records is one table", async () => {
    const table = await listTable(columns, longList(20_000), { width: undefined, style: plain });
    const lines = table.split("\n");
    expect(lines).toHaveLength(20_001);
    expect(lines[0]).toBe("   ID  Name  Message");
    expect(lines.at(1)).toBe("    0  日本  b");
    expect(lines.at(-1)).toBe("19999  日本  b");
  });
});

describe("recordTable", () => {
  const fields = array(text, { minLength: 1, maxLength: 6 }).map((values) =>
    values.map((value, index) => [`Label ${index}`, { text: value }] as const),
  );

  test("is aligned, complete and fits a terminal", async () => {
    await assert(
      asyncProperty(fields, integer({ min: 24, max: 120 }), async (given, width) => {
        const table = await recordTable(given, { width, style: plain });
        expectAligned(table, width);
        const values = table
          .split("\n")
          .slice(1, -1)
          .map((line) => line.split("│")[2]!);
        const all = given.map(([, cell]) => cell.text).join("");
        expect(withoutSpaces(values.join(""))).toBe(withoutSpaces(all));
      }),
      { numRuns: 300 },
    );
  });

  test("with any number of fields is one table", async () => {
    const given = Array.from({ length: 250 }, (_, index) => [`L${index}`, { text: "v" }] as const);
    const lines = (await recordTable(given, { width: 80, style: plain })).split("\n");
    expect(lines.map((line) => line[0]).join("")).toBe(`┌${"│".repeat(250)}└`);
  });

  test("without a terminal, prints one complete line per field", async () => {
    await assert(
      asyncProperty(fields, async (given) => {
        const table = await recordTable(given, { width: undefined, style: plain });
        const expected = given.map(([label, cell]) => `${label}  ${cell.text}`.trimEnd());
        expect(table.split("\n")).toStrictEqual(expected);
      }),
    );
  });

  test("cuts what fills a thousand lines of a terminal, and nothing elsewhere", async () => {
    const fields = [["Name", { text: "a".repeat(200_000) }]] as const;
    const shown = await recordTable(fields, { width: 80, style: plain });
    expect(shown.match(/a/g)).toHaveLength(100_000 + 1);
    expect(shown).toContain("…");
    expect(await recordTable(fields, { width: undefined, style: plain })).toContain(
      "a".repeat(200_000),
    );
  });

  test("stays aligned with colours", async () => {
    const bright = await loadStyle(true);
    const given = [
      ["A", { text: "日本 long enough to go over lines", style: (style: Style) => style.good }],
      ["Longer", { text: "b" }],
    ] as const;
    const painted = await recordTable(given, { width: 24, style: bright });
    const without = await recordTable(given, { width: 24, style: plain });
    // oxlint-disable-next-line no-control-regex -- matches colour sequences
    expect(painted.replaceAll(/\u001b\[\d+m/g, "")).toBe(without);
    expect(painted).toContain("\u001b[1mA\u001b[22m");
    expect(painted).toContain("\u001b[32m日本 long\u001b[39m");
    expectAligned(without, 24);
  });
});
