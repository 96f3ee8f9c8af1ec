/** What one text message costs to send, as it is: nothing is replaced by a cheaper look-alike. */
export interface MessageCost {
  readonly encoding: "GSM-7" | "UCS-2";
  /** Unicode code points, as ruling 8 counts them. */
  readonly characters: number;
  /** What counts against a segment: septets of GSM-7 (some characters take two), or 16-bit units of UCS-2. */
  readonly units: number;
  readonly segments: number;
  /** What GSM-7 has no code for, each once. */
  readonly ucs2Characters: readonly string[];
}

/** In UTF-16 units. Counting takes time by the square, and no phone puts more together than 255 segments. */
export const longestCounted = 10_000;

/** Units of a segment that is one of several; a surrogate pair or a sequence of emoji is not torn apart. */
const unitsOfPart = { "GSM-7": 153, "UCS-2": 67 } as const;

const bitsOfUnit = { "GSM-7": 7, "UCS-2": 16 } as const;

/** The cost of a text; undefined for one of more than `longestCounted`. */
export async function messageCost(text: string): Promise<MessageCost | undefined> {
  if (text.length > longestCounted) return undefined;
  const { SegmentedMessage } = await import("sms-segments-calculator");
  const message = new SegmentedMessage(text, "auto", false);
  const encoding = message.encodingName;
  const units = message.messageSize / bitsOfUnit[encoding];
  // A letter under more accents than fit in one segment has to be torn apart after all.
  const least = message.segmentsCount > 1 ? Math.ceil(units / unitsOfPart[encoding]) : 1;
  return {
    encoding,
    characters: message.numberOfUnicodeScalars,
    units,
    segments: Math.max(message.segmentsCount, least),
    ucs2Characters: [...new Set(message.getNonGsmCharacters())],
  };
}

/** A character and its code points, for what looks like another or like nothing: `’ U+2019`. */
export function characterName(character: string): string {
  const points = Array.from(character, (one) => one.codePointAt(0)!.toString(16).toUpperCase());
  return `${character} ${points.map((point) => `U+${point.padStart(4, "0")}`).join(" ")}`;
}
