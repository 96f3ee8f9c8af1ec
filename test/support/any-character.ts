import { integer, type Arbitrary } from "fast-check";

/** Code points of half a character, which no text has alone. */
const [firstHalf, halves] = [0xd800, 0x800];

/** Any Unicode character, as a unit of `string`, which lists a million characters for its own unit "binary". */
export const anyCharacter: Arbitrary<string> = integer({ min: 0, max: 0x10ffff - halves }).map(
  (nth) => String.fromCodePoint(nth < firstHalf ? nth : nth + halves),
  (text) => {
    const code = String(text).codePointAt(0)!;
    if (String.fromCodePoint(code) !== text) return -1;
    return code < firstHalf ? code : code - halves;
  },
);
