import { eastAsianWidth } from "get-east-asian-width";

/**
 * The kind of a code point is a byte, so that a table of all kinds is small. Its two lowest bits are the width in
 * columns; the others say how the code point joins its neighbours. Every kind has a bit.
 */
export const columns = 3;
/** A mark or another code point that belongs to the one before it. */
export const joinsPrevious = 4;
/** A code point that the next one belongs to, like a virama. */
export const joinsNext = 8;
/** An emoji, or what makes a narrow one wide if it also joins the previous: variation selector 16 and skin tones. */
export const emoji = 16;
/** The conjoining letters of Hangul. */
export const leadingJamo = 32;
export const vowelJamo = 64;
export const trailingJamo = 128;

export const joiner = 0x200d;
export const keycap = 0x20e3;

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
  [2 | leadingJamo | joinsNext, "1100-115e,a960-a97c"],
  [1 | vowelJamo | joinsPrevious, "1161-11a7,d7b0-d7c6"],
  [1 | trailingJamo | joinsPrevious, "11a8-11ff,d7cb-d7fb"],
];

/** The kinds of the ranges, and of the code points seen so far: finding a kind takes much longer than a look-up. */
const kinds = new Uint8Array(0x11_00_00);
for (const [kind, points] of ranges) {
  for (const range of points.split(",")) {
    const [first, last = first] = range.split("-").map((point) => Number.parseInt(point, 16));
    kinds.fill(kind, first, last! + 1);
  }
}

/** Returns the kind of a code point. */
export function kindOf(point: number): number {
  return (kinds[point] ||= findKind(point));
}

// The properties are in strings: V8 also checks the pattern of a literal when it compiles the file, and takes up to a
// millisecond for one property.

/** Characters that take no column: marks that are not spacing, and format characters. */
const invisible = new RegExp(String.raw`[\p{Mn}\p{Me}\p{Cf}]`, "u");
const spacingMark = new RegExp(String.raw`\p{Mc}`, "u");

function findKind(point: number): number {
  const character = String.fromCodePoint(point);
  if (invisible.test(character)) return joinsPrevious;
  const width = eastAsianWidth(point);
  if (spacingMark.test(character)) return width | joinsPrevious;
  return isPictograph(point, character, width) ? width | emoji : width;
}

let narrowPictographs: RegExp | undefined;
let widePictographs: RegExp | undefined;

/** Checks if a character can be drawn as an emoji, alone or with others. */
function isPictograph(point: number, character: string, width: number): boolean {
  // Keycaps begin with digits, which are emoji for Unicode.
  if (point < 0xa9) return false;
  if (width === 1) {
    narrowPictographs ??= new RegExp(String.raw`\p{Emoji}`, "u");
    return narrowPictographs.test(character);
  }
  // This includes the ones of later versions of Unicode, which are all wide.
  widePictographs ??= new RegExp(String.raw`\p{Extended_Pictographic}`, "u");
  return widePictographs.test(character);
}
