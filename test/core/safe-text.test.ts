import { array, assert, constantFrom, jsonValue, oneof, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { indentedJson } from "../../src/core/json-text.ts";
import { safeJson, safeText } from "../../src/core/text.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Characters that a terminal interprets or that change how other text is shown. */
const dangers = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
  ...[
    0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
  ].values(),
].map((code) => String.fromCharCode(code));
const isDangerous = (text: string) => dangers.some((danger) => text.includes(danger));

const danger = constantFrom(...dangers);
const anyText = oneof(
  string({ unit: anyCharacter }),
  array(oneof(danger, string({ unit: "grapheme" })), { maxLength: 20 }).map((parts) =>
    parts.join(""),
  ),
);

describe("safeText", () => {
  test.each(dangers.map((character) => [character.charCodeAt(0).toString(16), character]))(
    "escapes U+%s",
    (code, character) => {
      const short = { a: "\\n", d: "\\r", "9": "\\t" }[code];
      const shown = short ?? `\\u${code.padStart(4, "0")}`;
      expect(safeText(`a${character}b${character}`)).toBe(`a${shown}b${shown}`);
    },
  );

  test("returns one line without unsafe characters, which stays as it is", () => {
    assert(
      property(anyText, (text) => {
        const safe = safeText(text);
        expect(isDangerous(safe)).toBe(false);
        expect(safeText(safe)).toBe(safe);
      }),
    );
  });

  test("leaves safe text unchanged", () => {
    const harmless = string({ unit: "grapheme" }).filter((text) => !isDangerous(text));
    assert(
      property(harmless, (text) => {
        expect(safeText(text)).toBe(text);
      }),
    );
    for (const text of ["Zoë 日本 👩‍👩‍👧‍👦🏳️‍🌈", "שלום", "e\u0301", "a\u00a0b", String.raw`\n`]) {
      expect(safeText(text)).toBe(text);
    }
  });

  test("escapes lone surrogates and keeps pairs", () => {
    expect(safeText("\ud83c\udf82 \ud83c \udf82")).toBe("🎂 \\ud83c \\udf82");
  });
});

describe("safeJson", () => {
  const values = oneof(
    anyText,
    jsonValue({ stringUnit: "binary" }),
    jsonValue({ stringUnit: danger }),
  );

  test("returns equivalent JSON without unsafe characters", () => {
    assert(
      property(values, (value) => {
        const safe = safeJson(indentedJson(JSON.stringify(value)));
        expect(JSON.stringify(JSON.parse(safe))).toBe(JSON.stringify(value));
        expect(isDangerous(safe.replaceAll("\n", ""))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test("keeps the layout", () => {
    const json = '{\n  "a": "b"\n}\n';
    expect(safeJson(json)).toBe(json);
  });
});
