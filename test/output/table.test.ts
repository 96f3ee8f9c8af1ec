import { array, assert, asyncProperty, constantFrom, integer, oneof, string } from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { safeText } from "../../src/output/safe-text.ts";
import { loadStyle, type Style } from "../../src/output/style.ts";
import { listTable, recordTable, type Column } from "../../src/output/table/table.ts";

const plain: Style = await loadStyle(false);

/** What cells hold: safe, one line, of any width; no bars, which the borders are told by. */
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

/** Where the bars of a line stand, in columns of the terminal. */
function barsOf(line: string): string {
  const bars = [...line.matchAll(/[┌┬┐├┼┤└┴┘│]/g)];
  return bars.map(({ index }) => stringWidth(line.slice(0, index))).join();
}

function withoutSpaces(given: string): string {
  return given.replaceAll(/\s/gu, "");
}

function expectStraight(table: string, width: number): void {
  for (const block of table.split(/^(?=┌)/m)) {
    const lines = block.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^┌[─┬]+┐$/);
    expect(lines.at(-1)).toMatch(/^└[─┴]+┘$/);
    for (const line of lines) {
      expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(barsOf(line)).toBe(barsOf(lines[0]!));
    }
  }
}

describe("listTable on a terminal", () => {
  test("stands straight and fits, whatever it holds", async () => {
    await assert(
      asyncProperty(rows, integer({ min: 24, max: 200 }), async (given, width) => {
        expectStraight(await listTable(columns, cellsOf(given), { width, style: plain }), width);
      }),
      { numRuns: 300 },
    );
  });

  test("shows everything where there is room", async () => {
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

  test("is no wider than it needs to be", async () => {
    const table = await listTable(columns, cellsOf([["1", "a", "b"]]), { width: 80, style: plain });
    expect(table).toBe(`┌────┬──────┬─────────┐
│ ID │ Name │ Message │
├────┼──────┼─────────┤
│  1 │ a    │ b       │
└────┴──────┴─────────┘`);
  });

  test("cuts texts, then leaves columns out, then stands records one below the other", async () => {
    const given = cellsOf([["1", "a name of some length", "a message of some length"]]);
    const at = (width: number) => listTable(columns, given, { width, style: plain });
    expect(await at(40)).toBe(`┌────┬────────────────┬────────────────┐
│ ID │ Name           │ Message        │
├────┼────────────────┼────────────────┤
│  1 │ a name of som… │ a message of … │
└────┴────────────────┴────────────────┘`);
    expect(await at(31)).toBe(`┌────┬───────────────────────┐
│ ID │ Name                  │
├────┼───────────────────────┤
│  1 │ a name of some length │
└────┴───────────────────────┘`);
    expect(await at(18)).toBe(`┌─────────┬──────────┐
│ ID      │ 1        │
│ Name    │ a name   │
│         │ of some  │
│         │ length   │
│ Message │ a        │
│         │ message  │
│         │ of some  │
│         │ length   │
└─────────┴──────────┘`);
  });
});

describe("listTable elsewhere", () => {
  test("cuts nothing, and begins each column where its heading begins", async () => {
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
    expectStraight(table, 80);
    const lines = table.split("\n");
    expect(lines).toHaveLength(count + 4);
    expect(lines.filter((line) => /^[┌├└]/.test(line))).toHaveLength(3);
    const ids = lines.slice(3, -1).map((line) => Number(line.split("│")[1]));
    expect(ids).toStrictEqual(ids.map((_, index) => index));
  });

  test("of 20,000 records is a table all the same", async () => {
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

  test("stands straight and fits a terminal, and cuts nothing", async () => {
    await assert(
      asyncProperty(fields, integer({ min: 24, max: 120 }), async (given, width) => {
        const table = await recordTable(given, { width, style: plain });
        expectStraight(table, width);
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

  test("elsewhere is one line a field, complete", async () => {
    await assert(
      asyncProperty(fields, async (given) => {
        const table = await recordTable(given, { width: undefined, style: plain });
        const expected = given.map(([label, cell]) => `${label}  ${cell.text}`.trimEnd());
        expect(table.split("\n")).toStrictEqual(expected);
      }),
    );
  });

  test("paints what it shows, and stays as straight", async () => {
    const bright = await loadStyle(true);
    const given = [
      ["A", { text: "日本 long enough to go over lines", style: (style: Style) => style.good }],
      ["Longer", { text: "b" }],
    ] as const;
    const painted = await recordTable(given, { width: 24, style: bright });
    const without = await recordTable(given, { width: 24, style: plain });
    // oxlint-disable-next-line no-control-regex -- colours are what is looked for
    expect(painted.replaceAll(/\u001b\[\d+m/g, "")).toBe(without);
    expect(painted).toContain("\u001b[1mA\u001b[22m");
    expect(painted).toContain("\u001b[32m日本 long\u001b[39m");
    expectStraight(without, 24);
  });
});
