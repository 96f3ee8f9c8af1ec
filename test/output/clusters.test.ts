import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { clusters, clustersWidth } from "../../src/output/table/clusters.ts";

const segmenter = new Intl.Segmenter();

function graphemes(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the positions in a text where its parts begin. */
function starts(parts: readonly string[]): Set<number> {
  let at = 0;
  return new Set(parts.map(({ length }) => (at += length) - length));
}

/** Returns the positions where clusters begin inside a grapheme cluster. */
function wrongStarts(text: string): number[] {
  const allowed = starts(graphemes(text));
  return [...starts(clusters(text))].filter((at) => !allowed.has(at));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Code points in use, without most ideographs and syllables of Hangul. */
const points = [
  ...range(0, 0x33_ff),
  ...range(0xa0_00, 0xab_ff),
  ...range(0xd7_a0, 0xd7_ff),
  ...range(0xf9_00, 0x1_ff_ff),
  ...range(0xe_00_00, 0xe_10_ff),
];

/** What joins characters, and characters of scripts and sequences in which they are joined. */
const joining = constantFrom(
  ...Array.from("\u200c\u200d\ufe0e\ufe0f\u20e3\u0301\u0308\u{1f3fd}\u{e0067}\u{e007f}"),
  ...Array.from("\u0600\u06dd\u0d4e\u{111c2}กำ้ัຳลคक्षि़त्रবা্ংதிழ்කර්මൎമ്ខ្មែမ္မ"),
  ...Array.from("ᄀ나ᅢᆨᆫ한가각ﾞｶア日aé1#*0©™❤☝★🙂👍👩👦🏴🏳🌈♂🇩🇪🇫🇷 "),
);
const text = oneof(
  array(joining, { maxLength: 12 }).map((all) => all.join("")),
  string({ unit: "grapheme" }),
  string({ unit: "binary" }),
);

describe("clusters", () => {
  test("begin only where grapheme clusters do", () => {
    assert(
      property(text, (one) => {
        expect(clusters(one).join("")).toBe(one);
        expect(wrongStarts(one)).toStrictEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  test("keep every character together with what it joins", () => {
    // Many short texts, because Intl.Segmenter copies the whole text for each of its parts. A virama joins consonants
    // of any script.
    const broken = points
      .map((point) => String.fromCodePoint(point))
      .filter((one) => wrongStarts(`a${one}a${one}${one}क${one}क`).length > 0);
    expect(broken.slice(0, 20)).toStrictEqual([]);
  });

  test("split words between letters and syllables", () => {
    expect(clusters("क्षत्रिय")).toStrictEqual(["क्ष", "त्रि", "य"]);
    expect(clusters("น้ำใจ")).toStrictEqual(["น้ำ", "ใ", "จ"]);
    expect(clusters("한국")).toStrictEqual(["한", "국"]);
  });

  test("are as wide together as alone", () => {
    assert(
      property(text, (one) => {
        const widths = clusters(one).map(clustersWidth);
        expect(widths.reduce((sum, width) => sum + width, 0)).toBe(clustersWidth(one));
      }),
      { numRuns: 5000 },
    );
  });
});

const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, "v");
/** A syllable of modern Hangul. */
const syllable = /^[가-힣]$/;
const letters = /[^\p{M}\p{Cf}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const ofSeveral = /[\u0e33\u0eb3]|\ufe0f|\u20e3|\p{Emoji_Modifier}|\p{Regional_Indicator}./u;
const numberSign = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

/**
 * Checks if string-width measures a grapheme cluster like terminals. It counts a cluster of several letters as one
 * letter, an emoji with further marks or a flag of no country as its first character, and number signs not at all.
 */
function isComparable(grapheme: string): boolean {
  if (emoji.test(grapheme) || syllable.test(grapheme.normalize("NFC"))) return true;
  const isLetter = (grapheme.match(letters) ?? []).length <= 1 && !ofSeveral.test(grapheme);
  return isLetter && !numberSign.test(grapheme);
}

describe("clustersWidth", () => {
  test("is what string-width says of graphemes with one letter, emoji and Hangul", () => {
    assert(
      property(text, (one) => {
        const comparable = graphemes(one).filter(isComparable);
        expect(comparable.map(clustersWidth)).toStrictEqual(
          comparable.map((all) => stringWidth(all)),
        );
      }),
      { numRuns: 5000 },
    );
  });

  test("is what string-width says of characters", () => {
    const wrong = points
      .map((point) => String.fromCodePoint(point))
      .filter((one) => isComparable(one) && clustersWidth(one) !== stringWidth(one));
    expect(wrong.slice(0, 20)).toStrictEqual([]);
  });

  test("counts every letter that terminals draw in columns of its own", () => {
    const widths = {
      สวัสดีน้ำ: 6,
      नमस्ते: 4,
      क्षत्रिय: 6,
      বাংলাদেশ: 8,
      "தமிழ் நாடு": 9,
      مُحَمَّد: 4,
      "\u0600١": 2,
      שָׁלוֹם: 4,
      한국어: 6,
      ᄀᆨ: 3,
      日本語グループ: 14,
      ｶﾞｷﾞ: 4,
      አማርኛ: 4,
      ខ្មែរ: 4,
    };
    for (const [word, width] of Object.entries(widths))
      expect(clustersWidth(word), word).toBe(width);
  });

  test("counts a sequence of emoji as one", () => {
    for (const one of [
      "👩‍👩‍👧‍👦",
      "☝🏽",
      "👍🏽",
      "❤️",
      "❤️‍🔥",
      "❤‍🔥",
      "🇩🇪",
      "🇦🇦",
      "1️⃣",
      "#⃣",
      "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
      "🏳️‍🌈",
      "🫠",
    ]) {
      expect(clustersWidth(one), one).toBe(2);
      expect(clusters(`a${one}${one}b`)).toStrictEqual(["a", one, one, "b"]);
    }
    for (const one of ["❤", "★\ufe0f", "©", "1\ufe0f", "🇩"])
      expect(clustersWidth(one), one).toBe(1);
    expect(clustersWidth("a🏽")).toBe(3);
  });
});
