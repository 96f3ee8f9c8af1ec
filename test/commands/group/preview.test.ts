import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  characterName,
  maxCountedLength,
  messageCost,
  rendered,
  unknownPlaceholders,
} from "../../../src/commands/sms.ts";
import { anyCharacter } from "../../support/any-character.ts";

describe("the cost of a message", () => {
  test.for<[text: string, encoding: string, characters: number, units: number, segments: number]>([
    ["a".repeat(160), "GSM-7", 160, 160, 1],
    ["a".repeat(161), "GSM-7", 161, 161, 2],
    ["a".repeat(306), "GSM-7", 306, 306, 2],
    ["a".repeat(307), "GSM-7", 307, 307, 3],
    ["€".repeat(80), "GSM-7", 80, 160, 1],
    ["€".repeat(81), "GSM-7", 81, 162, 2],
    [`${"a".repeat(152)}€${"a".repeat(152)}`, "GSM-7", 305, 306, 3],
    ["中".repeat(70), "UCS-2", 70, 70, 1],
    ["中".repeat(71), "UCS-2", 71, 71, 2],
    ["中".repeat(134), "UCS-2", 134, 134, 2],
    ["中".repeat(135), "UCS-2", 135, 135, 3],
    ["🎉".repeat(35), "UCS-2", 35, 70, 1],
    ["🎉".repeat(36), "UCS-2", 36, 72, 2],
    ["👩‍👩‍👧", "UCS-2", 5, 8, 1],
    [`${"|".repeat(69)}∞`, "UCS-2", 70, 70, 1],
    [`${"a".repeat(80)}\r\n${"a".repeat(78)}`, "GSM-7", 160, 160, 1],
    [`a${"\u0301".repeat(200)}`, "UCS-2", 201, 201, 3],
    ["\t", "UCS-2", 1, 1, 1],
    ["ç", "UCS-2", 1, 1, 1],
    ["\ud800", "UCS-2", 1, 1, 1],
  ])("%#: %j", async ([text, encoding, characters, units, segments]) => {
    expect(await messageCost(text)).toMatchObject({ encoding, characters, units, segments });
  });

  test("counts enough segments for any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyCharacter, maxLength: 300, size: "max" }),
        async (text) => {
          const cost = (await messageCost(text))!;
          const isGsm = cost.encoding === "GSM-7";
          expect(cost.characters).toBe(Array.from(text).length);
          expect(cost.units >= text.length && (isGsm || cost.units === text.length)).toBe(true);
          expect(cost.ucs2Characters.length > 0).toBe(!isGsm);
          const [alone, part] = isGsm ? [160, 153] : [70, 67];
          const least = cost.units <= alone ? 1 : Math.ceil(cost.units / part);
          expect(cost.segments).toBeGreaterThanOrEqual(least);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("lists the characters that require UCS-2 once", async () => {
    expect(await messageCost("“a“ ç")).toMatchObject({ ucs2Characters: ["“", "ç"] });
  });

  test("does not count texts over the limit", async () => {
    expect(await messageCost("a".repeat(maxCountedLength + 1))).toBeUndefined();
  });
});

describe("placeholders", () => {
  test("are replaced with the name verbatim", () => {
    const names = fc.string({ unit: "grapheme" });
    const pieces = fc.array(fc.string().map((text) => text.replaceAll(/[{}]/g, "")));
    fc.assert(
      fc.property(pieces, names, (texts, name) => {
        expect(rendered(texts.join("{first_name}"), name)).toBe(texts.join(name));
      }),
    );
    expect(rendered("{first_name}{first_name}", "$& $1 {first_name}")).toBe(
      "$& $1 {first_name}$& $1 {first_name}",
    );
  });

  test.for<[message: string, unknown: readonly string[]]>([
    ["Happy birthday, {first_name}!", []],
    ["{last_name}, {first_name}, {last_name}", ["{last_name}"]],
    ["{First_Name} { first_name } {}", ["{First_Name}", "{ first_name }", "{}"]],
    ["{{first_name}} {{first_name}", ["{{first_name}}", "{{first_name}"]],
    ["} { half {open", ["}", "{"]],
    ["{a {first_name} b}", ["{", "}"]],
    ["{".repeat(100_000), ["{".repeat(100_000)]],
  ])("unknown ones are found in %j", ([message, unknown]) => {
    expect(unknownPlaceholders(message)).toStrictEqual(unknown);
  });
});

test("characterName adds the code points", () => {
  expect(characterName("’")).toBe("’ U+2019");
  expect(characterName("\t")).toBe("\t U+0009");
  expect(characterName("e\u0301")).toBe("e\u0301 U+0065 U+0301");
});
