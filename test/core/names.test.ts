import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { quotedPair, visibleText } from "../../src/core/text.ts";
import { sameName, sameForPeople } from "../../src/core/names.ts";
import { cases } from "../support/fuzz-runs.ts";

const cafe = "Caf\u00e9";

describe("names that are the same for people", () => {
  test.for([
    ["in another case", "ACME", "acme"],
    ["ß and ss", "Straße", "STRASSE"],
    ["the capital ẞ", "STRAẞE", "straße"],
    ["a ligature", "ﬁt", "FIT"],
    ["an apostrophe in one letter", "ŉ", "ʼN"],
    ["a sigma at the end", "ΟΔΟΣ", "οδος"],
    ["the Kelvin sign", "\u212a", "k"],
    ["composed and decomposed", cafe, "Cafe\u0301"],
    ["with outer white space", " \u00a0Acme\t", "Acme"],
    ["with inner white space", "A \u3000 B\nC", "A B C"],
    ["with HTML entities", "Tom &amp; &lt;Jerry&gt; &#39;s &#039;x&quot;", `Tom & <Jerry> 's 'x"`],
  ])("%s", ([, left, right]) => {
    expect(sameName(left!, right)).toBe(true);
    expect(sameName(right!, left)).toBe(true);
  });

  test.for([
    ["another accent", cafe, "Cafe"],
    ["another word", "Acme 1", "Acme 2"],
    ["no space", "A B", "AB"],
    ["an entity of a letter", "Caf&eacute;", cafe],
    ["something else than a text", "1", 1],
  ])("not: %s", ([, left, right]) => {
    expect(sameName(left as string, right)).toBe(false);
  });

  test("every letter and what it becomes in another case, in a name", () => {
    for (let code = 1; code < 0x20000; code += 1) {
      const letter = String.fromCodePoint(code);
      for (const other of [letter.toLowerCase(), letter.toUpperCase(), letter.normalize("NFD")]) {
        if (other === letter) continue;
        expect(sameName(`x${letter}x`, `x${other}x`), code.toString(16)).toBe(true);
      }
    }
  });

  test("any name in capitals, decomposed, padded and encoded", () => {
    assert(
      property(
        string({ unit: "grapheme", minLength: 1 }).filter((text) => !/&\w*;/.test(text)),
        (name) => {
          const encoded = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
          for (const other of [
            name.toUpperCase(),
            name.normalize("NFD"),
            `\u00a0${name} `,
            encoded,
          ]) {
            expect(sameName(name, other), JSON.stringify([name, other])).toBe(true);
          }
        },
      ),
      cases(1000),
    );
  });
});

describe("texts in messages", () => {
  test.for([
    ["a zero-width space", "a\u200bb", String.raw`a\u200bb`],
    ["a directional mark", "\u200ea", String.raw`\u200ea`],
    ["a no-break space", "a\u00a0b", String.raw`a\u00a0b`],
    ["a control character", "a\u001bb", String.raw`a\u001bb`],
    ["a tag of two units", "a\u{e0041}", String.raw`a\udb40\udc41`],
    ["a joiner without emoji", "a\u200d", String.raw`a\u200d`],
    ["nothing of an emoji", "👩‍👩‍👧‍👦🏳️‍🌈", "👩‍👩‍👧‍👦🏳️‍🌈"],
    ["nothing of letters", "Zoë 日本 שלום e\u0301", "Zoë 日本 שלום e\u0301"],
  ])("show %s", ([, text, shown]) => {
    expect(visibleText(text!)).toBe(shown);
  });

  test.for([
    ["letters", "Cafe\u0301", cafe, String.raw`"Cafe\u0301"`, String.raw`"Caf\u00e9"`],
    ["spaces", "a b", "a\u00a0b", `"a b"`, String.raw`"a\u00a0b"`],
    ["nothing but a mark", "é", "é\u200e", String.raw`"\u00e9"`, String.raw`"\u00e9\u200e"`],
    ["a full-width letter", "Ａ", "A", String.raw`"\uff21"`, `"A"`],
    ["a Cyrillic letter", "\u0410cme", "Acme", String.raw`"\u0410cme"`, `"Acme"`],
    ["a Greek letter", "\u039fktober", "Oktober", String.raw`"\u039fktober"`, `"Oktober"`],
    ["words", "Zoë", "Ann", `"Zoë"`, `"Ann"`],
  ])("show two that differ in %s", ([, left, right, ...shown]) => {
    expect(quotedPair(left!, right!)).toStrictEqual(shown);
  });

  test("name both, and what to write", () => {
    expect(sameForPeople("group", "Cafe\u0301", cafe, "5")).toStrictEqual({
      message: String.raw`the group "Cafe\u0301" reads the same as the existing "Caf\u00e9" (id 5)`,
      hint: String.raw`write it as the service stores it: "Caf\u00e9"`,
    });
  });
});
