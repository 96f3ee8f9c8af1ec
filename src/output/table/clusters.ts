import {
  columns,
  emoji,
  joiner,
  joinsNext,
  joinsPrevious,
  keycap,
  kindOf,
  leadingJamo,
  trailingJamo,
  vowelJamo,
} from "./code-points.ts";

const jamo = leadingJamo | vowelJamo | trailingJamo;

/** The parts of a syllable of Hangul that precede a letter. */
type Syllable = "" | "leading" | "vowel" | "whole";

/**
 * Returns the width of a text as terminals draw it: every letter has its own width, like in `wcwidth`, but a sequence
 * of emoji and a syllable of Hangul have two columns together.
 */
export function clustersWidth(text: string): number {
  let width = 0;
  /** Columns of the emoji so far, 0 outside of one. */
  let emojiWidth = 0;
  let syllable: Syllable = "";
  let previous = 0;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    const kind = kindOf(point);
    let own = kind & columns;
    if (kind & emoji) {
      const joins = emojiWidth > 0 && (previous === joiner || Boolean(kind & joinsPrevious));
      if (joins) own = 2 - emojiWidth;
      emojiWidth = joins ? 2 : own;
    } else if (!(kind & joinsPrevious)) emojiWidth = 0;
    else if (point === keycap && /[\d#*]\ufe0f?$/.test(text.slice(Math.max(0, at - 2), at)))
      own = 1;
    if (kind & jamo && attaches(kind, syllable)) own = 0;
    syllable = nextSyllable(point, kind, syllable);
    width += own;
    previous = point;
    at += point > 0xffff ? 2 : 1;
  }
  return width;
}

/** Checks if a letter of Hangul is drawn within the columns of the letters before it. */
function attaches(kind: number, before: Syllable): boolean {
  if (kind & vowelJamo) return before === "leading" || before === "whole";
  return Boolean(kind & trailingJamo) && (before === "vowel" || before === "whole");
}

function nextSyllable(point: number, kind: number, before: Syllable): Syllable {
  if (point >= 0xac_00 && point <= 0xd7_a3) return "whole";
  if (!(kind & jamo)) return "";
  if (kind & leadingJamo) return "leading";
  if (before === "whole") return "whole";
  return kind & vowelJamo && before === "leading" ? "vowel" : "";
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
