/** The cost of sending one text message unchanged: no character is replaced by a cheaper look-alike. */
export interface MessageCost {
  readonly encoding: "GSM-7" | "UCS-2";
  /** Unicode code points, as ruling 8 counts them. */
  readonly characters: number;
  /** Length in the units of a segment: GSM-7 septets (some characters take two) or 16-bit UCS-2 units. */
  readonly units: number;
  readonly segments: number;
  /** The characters that GSM-7 cannot encode, without duplicates. */
  readonly ucs2Characters: readonly string[];
}

/** In UTF-16 units. Counting takes quadratic time, and phones join at most 255 segments. */
export const maxCountedLength = 10_000;

/** Units per segment of a message with several; surrogate pairs and emoji sequences are not split. */
const unitsOfPart = { "GSM-7": 153, "UCS-2": 67 } as const;

const bitsOfUnit = { "GSM-7": 7, "UCS-2": 16 } as const;

/** Returns the cost of a text; undefined if it is longer than `maxCountedLength`. */
export async function messageCost(text: string): Promise<MessageCost | undefined> {
  if (text.length > maxCountedLength) return undefined;
  const { SegmentedMessage } = await import("sms-segments-calculator");
  const message = new SegmentedMessage(text, "auto", false);
  const encoding = message.encodingName;
  const units = message.messageSize / bitsOfUnit[encoding];
  // The library never splits a letter from its accents, but one with more accents than fit in a segment is split.
  const least = message.segmentsCount > 1 ? Math.ceil(units / unitsOfPart[encoding]) : 1;
  return {
    encoding,
    characters: message.numberOfUnicodeScalars,
    units,
    segments: Math.max(message.segmentsCount, least),
    ucs2Characters: [...new Set(message.getNonGsmCharacters())],
  };
}

/** Returns a character with its code points, because some look alike or are invisible: `’ U+2019`. */
export function characterName(character: string): string {
  const points = Array.from(character, (one) => one.codePointAt(0)!.toString(16).toUpperCase());
  return `${character} ${points.map((point) => `U+${point.padStart(4, "0")}`).join(" ")}`;
}
