import { array, assert, constantFrom, integer, oneof, pre, property, string } from "fast-check";
import stringWidth from "string-width";
import { beforeAll, describe, expect, test, vi } from "vitest";
import {
  cutToWidth,
  displayWidth,
  prepareToMeasure,
  wrapWords,
} from "../../src/output/table/display-width.ts";
import { safeText } from "../../src/core/text.ts";

/** Lines to measure: safe, with narrow, wide and joined characters, and spaces between them. */
const part = oneof(
  string({ unit: "grapheme", maxLength: 6 }),
  constantFrom(" ", "  ", "word", "日本語", "👩‍👩‍👧‍👦", "🇩🇪", "🏳️‍🌈", "e\u0301", "ｆ", "שלום", "…", "“”"),
);
const line = array(part, { maxLength: 12 }).map((parts) => safeText(parts.join("")));
/** Widths of cells. The widest characters would not fit into one or two columns. */
const width = integer({ min: 8, max: 30 });
const isNarrow = (text: string, columns: number) => stringWidth(text) <= columns;

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/gu, "");
}

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

describe("before the first wide character", () => {
  test("every character has a width of one column", async () => {
    vi.resetModules();
    const fresh = await import("../../src/output/table/display-width.ts");
    await fresh.prepareToMeasure(["plain", "Zoë – “so”…"]);
    expect(fresh.displayWidth("Zoë – “so”…")).toBe(11);
    expect(fresh.cutToWidth("Zoë – “so”…", 5)).toBe("Zoë …");
  });
});

describe("after the first wide character", () => {
  beforeAll(() => prepareToMeasure(["plain", "👩‍👩‍👧‍👦"]));

  test("displayWidth is the width on a terminal", () => {
    assert(
      property(line, (text) => {
        expect(displayWidth(text)).toBe(stringWidth(text));
      }),
      { numRuns: 200 },
    );
    expect(displayWidth("日本")).toBe(4);
    expect(displayWidth("👩‍👩‍👧‍👦")).toBe(2);
    expect(displayWidth("e\u0301")).toBe(1);
    expect(displayWidth("")).toBe(0);
  });

  test("colours have no width", () => {
    assert(
      property(line, (text) => {
        expect(displayWidth(`\u001b[1m${text}\u001b[22m`)).toBe(stringWidth(text));
      }),
    );
  });

  test("lines that fit are neither truncated nor wrapped", () => {
    assert(
      property(line, width, (text, columns) => {
        pre(isNarrow(text, columns));
        expect(cutToWidth(text, columns)).toBe(text);
        expect(wrapWords(text, columns)).toStrictEqual([text]);
      }),
    );
  });

  test("cutToWidth fits, and marks missing text", () => {
    assert(
      property(line, width, (text, columns) => {
        pre(!isNarrow(text, columns));
        const cut = cutToWidth(text, columns);
        expect(stringWidth(cut)).toBeLessThanOrEqual(columns);
        expect(cut.endsWith("…")).toBe(true);
        const kept = graphemes(cut.slice(0, -1));
        const given = graphemes(text);
        expect(kept).toStrictEqual(given.slice(0, kept.length));
        const more = given.slice(0, kept.length + 1).join("");
        expect(displayWidth(`${more}…`)).toBeGreaterThan(columns);
      }),
      { numRuns: 300 },
    );
  });

  test("cutToWidth does not split graphemes", () => {
    expect(cutToWidth("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
    expect(cutToWidth("日本語", 4)).toBe("日…");
    expect(cutToWidth("abe\u0301cd", 4)).toBe("abe\u0301…");
    expect(cutToWidth("abcd", 1)).toBe("…");
    expect(cutToWidth("abcd", 4)).toBe("abcd");
  });

  test("letters of one cluster have columns of their own, like in terminals", () => {
    const widths = {
      สวัสดีน้ำ: 6,
      नमस्ते: 4,
      क्षत्रिय: 6,
      বাংলাদেশ: 8,
      "தமிழ் நாடு": 9,
      مُحَمَّد: 4,
      שָׁלוֹם: 4,
      한국어: 6,
      "\u1112\u1161\u11ab\u1100\u116e\u11a8": 4,
      日本語グループ: 14,
      ｶﾞｷﾞ: 4,
      አማርኛ: 4,
      ខ្មែរ: 4,
    };
    for (const [word, columns] of Object.entries(widths))
      expect(displayWidth(word), word).toBe(columns);
    expect(wrapWords("น้ำใจ", 2)).toStrictEqual(["น้ำ", "ใจ"]);
  });

  test("a sequence of emoji has two columns, and is not split", () => {
    const sequences = "👩‍👩‍👧‍👦 ☝🏽 👍🏽 ❤️ ❤️‍🔥 ❤‍🔥 🇩🇪 1️⃣ #⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈 🫠".split(" ");
    for (const one of sequences) {
      expect(displayWidth(one), one).toBe(2);
      expect(wrapWords(`a${one}${one}b`, 3)).toStrictEqual([`a${one}`, `${one}b`]);
    }
  });

  test("a long text is split between clusters, in linear time", () => {
    for (const cluster of ["น้ำ", "👩‍👩‍👧‍👦", "क्ष"]) {
      const long = cluster.repeat(15_000);
      const columns = displayWidth(cluster);
      expect(cutToWidth(long, 10 * columns + 1)).toBe(`${cluster.repeat(10)}…`);
      const lines = wrapWords(long, 30 * columns);
      expect(lines).toHaveLength(500);
      expect(lines.every((text) => text === cluster.repeat(30))).toBe(true);
    }
  });

  test("wrapWords fits, and loses only spaces", () => {
    assert(
      property(line, width, (text, columns) => {
        const lines = wrapWords(text, columns);
        for (const one of lines) expect(stringWidth(one)).toBeLessThanOrEqual(columns);
        expect(withoutSpaces(lines.join(""))).toBe(withoutSpaces(text));
      }),
      { numRuns: 300 },
    );
  });

  test("wrapWords breaks between words if possible", () => {
    expect(wrapWords("the quick brown fox", 9)).toStrictEqual(["the quick", "brown fox"]);
    expect(wrapWords("the quick brown fox", 10)).toStrictEqual(["the quick", "brown fox"]);
    expect(wrapWords("abcdefghij klm", 4)).toStrictEqual(["abcd", "efgh", "ij", "klm"]);
    expect(wrapWords("日本語の名前", 5)).toStrictEqual(["日本", "語の", "名前"]);
    expect(wrapWords("", 5)).toStrictEqual([""]);
  });

  test("wrapWords fills its lines", () => {
    const words = array(string({ unit: constantFrom("a", "b"), minLength: 1, maxLength: 8 }), {
      minLength: 1,
    });
    assert(
      property(words, integer({ min: 8, max: 30 }), (given, columns) => {
        const lines = wrapWords(given.join(" "), columns);
        expect(lines.join(" ")).toBe(given.join(" "));
        for (const [index, next] of lines.slice(1).entries()) {
          const [first] = next.split(" ", 1);
          expect(`${lines[index]} ${first}`.length).toBeGreaterThan(columns);
        }
      }),
    );
  });
});

describe("characters of known width", () => {
  const known = [
    [0x20, 0x7e],
    [0xa0, 0x52f],
    [0x531, 0x6d3],
    [0x10d0, 0x10fa],
    [0x1e00, 0x1eff],
    [0x2013, 0x2026],
    [0x3000, 0x30ff],
    [0x3400, 0x9fff],
    [0xac00, 0xd7a3],
    [0xff00, 0xff60],
  ].flatMap(([from, to]) =>
    Array.from({ length: to! - from! + 1 }, (_, index) => String.fromCharCode(from! + index)),
  );

  test("are as wide as string-width says, alone and together", async () => {
    await prepareToMeasure(["🙂"]);
    // The number signs of Arabic are drawn before the digits they belong to, but string-width counts one of them as 0.
    const counted = known.filter((character) => !/[\u0600-\u0605]/.test(character));
    const other = counted.filter((character) => displayWidth(character) !== stringWidth(character));
    expect(other).toStrictEqual([]);
    const text = array(constantFrom(...counted), { maxLength: 12 }).map((all) => all.join(""));
    assert(property(text, (one) => displayWidth(one) === stringWidth(one)));
  });
});
