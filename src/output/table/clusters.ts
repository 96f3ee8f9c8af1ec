import { eastAsianWidth } from "get-east-asian-width";

/**
 * The kind of a code point is a byte, so that a table of all kinds is small. Its two lowest bits are the width in
 * columns; the others say how the code point joins its neighbours. Every kind has a bit.
 */
const columns = 3;
/** A mark or another code point that belongs to the one before it. */
const joinsPrevious = 4;
/** A code point that the next one belongs to, like a virama. */
const joinsNext = 8;
/** An emoji, or what makes a narrow one wide if it also joins the previous: variation selector 16 and skin tones. */
const emoji = 16;

const joiner = 0x200d;
const keycap = 0x20e3;

/** Kinds that are not a property of Unicode for JavaScript, with their code points. */
const ranges: readonly (readonly [kind: number, points: string])[] = [
  // What is not drawn: control characters, surrogates, fillers, and what is reserved for format characters.
  [joinsPrevious, "0-1f,7f-9f,d800-dfff,115f-1160,3164,ffa0,2065,fff0-fff8,e0000-e0fff"],
  // The zero width joiner, and the signs that join two consonants, which Unicode calls Linker.
  [
    joinsPrevious | joinsNext,
    "200d,94d,9cd,acd,b4d,c4d,d4d,1039,17d2,1a60,1bab,aaf6,10a3f,11133,113d0,1193e,11a47,11a99,11f42",
  ],
  [1 | joinsPrevious | joinsNext, "1b44,a9c0"],
  // Marks that are written before the letter they belong to, which Unicode calls Prepend.
  [
    1 | joinsNext,
    "600-605,6dd,70f,890-891,8e2,d4e,110bd,110cd,111c2-111c3,113d1,1193f,11941,11a3a,11a84-11a89,11d46,11f02",
  ],
  // Vowels of Thai, Lao and Kirat Rai, and halfwidth marks of kana: letters for Unicode, but used like marks.
  [1 | joinsPrevious, "e33,eb3,16d63,16d67-16d6a,ff9e-ff9f"],
  // Variation selector 16, and skin tones.
  [joinsPrevious | emoji, "fe0f"],
  [2 | joinsPrevious | emoji, "1f3fb-1f3ff"],
  // The letters of flags.
  [1, "1f1e6-1f1ff"],
  // The conjoining letters of Hangul: leading consonants, and the vowels and consonants that follow.
  [2 | joinsNext, "1100-115e,a960-a97c"],
  [1 | joinsPrevious, "1161-11ff,d7b0-d7c6,d7cb-d7fb"],
];

/** The kinds of the ranges, and of the code points seen so far: finding a kind takes much longer than a look-up. */
const kinds = new Uint8Array(0x11_00_00);
for (const [kind, points] of ranges) {
  for (const range of points.split(",")) {
    const [first, last = first] = range.split("-").map((point) => Number.parseInt(point, 16));
    kinds.fill(kind, first, last! + 1);
  }
}

// The properties are in strings: V8 also checks the pattern of a literal when it compiles the file, and takes up to a
// millisecond for one property.

/** Characters that take no column: marks that are not spacing, and format characters. */
const invisible = new RegExp(String.raw`[\p{Mn}\p{Me}\p{Cf}]`, "u");
const spacingMark = new RegExp(String.raw`\p{Mc}`, "u");
/** What can be drawn as an emoji, alone or with others. Those of later versions of Unicode are all wide. */
const narrowPictograph = new RegExp(String.raw`\p{Emoji}`, "u");
const widePictograph = new RegExp(String.raw`\p{Extended_Pictographic}`, "u");

function findKind(point: number): number {
  const character = String.fromCodePoint(point);
  if (invisible.test(character)) return joinsPrevious;
  const width = eastAsianWidth(point);
  if (spacingMark.test(character)) return width | joinsPrevious;
  const pictograph = width === 1 ? narrowPictograph : widePictograph;
  // Keycaps begin with digits, which are emoji for Unicode.
  return point >= 0xa9 && pictograph.test(character) ? width | emoji : width;
}

/** Returns the kind of a code point. */
function kindOf(point: number): number {
  return (kinds[point] ||= findKind(point));
}

/** Letters of Hangul that make up syllables. Old ones, which no composed character has, are measured one by one. */
const conjoiningHangul = /[\u1100-\u11ff\uac00-\ud7a3]+/g;

/**
 * Returns the width of a text as terminals draw it: every letter has its own width, like in `wcwidth`, but a sequence
 * of emoji and a syllable of Hangul have two columns together.
 */
export function clustersWidth(text: string): number {
  const composed = text.replace(conjoiningHangul, (letters) => letters.normalize("NFC"));
  let width = 0;
  /** Columns of the emoji so far, 0 outside of one. */
  let emojiWidth = 0;
  let previous = 0;
  for (let at = 0; at < composed.length;) {
    const point = composed.codePointAt(at)!;
    const kind = kindOf(point);
    let own = kind & columns;
    if (kind & emoji) {
      const joins = emojiWidth > 0 && (previous === joiner || Boolean(kind & joinsPrevious));
      if (joins) own = 2 - emojiWidth;
      emojiWidth = joins ? 2 : own;
    } else if (!(kind & joinsPrevious)) emojiWidth = 0;
    else if (point === keycap && /[\d#*]\ufe0f?$/.test(composed.slice(Math.max(0, at - 2), at)))
      own = 1;
    width += own;
    previous = point;
    at += point > 0xffff ? 2 : 1;
  }
  return width;
}

/**
 * Splits a text into the parts that must stay together on a line. They are whole grapheme clusters of Unicode, one or
 * several: `Intl.Segmenter` takes up to 30 ms for the first one.
 */
export function clusters(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let isLinked = false;
  /** Number of the letters of flags before this character. */
  let flagLetters = 0;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    const kind = kindOf(point);
    const isFlagLetter = point >= 0x1_f1_e6 && point <= 0x1_f1_ff;
    const belongs = Boolean(kind & joinsPrevious);
    const endsFlag = isFlagLetter && flagLetters % 2 === 1;
    if (at > 0 && !belongs && !isLinked && !endsFlag) {
      found.push(text.slice(start, at));
      start = at;
    }
    isLinked = Boolean(kind & joinsNext) || (isLinked && belongs);
    flagLetters = isFlagLetter ? flagLetters + 1 : 0;
    at += point > 0xffff ? 2 : 1;
  }
  if (start < text.length) found.push(text.slice(start));
  return found;
}
