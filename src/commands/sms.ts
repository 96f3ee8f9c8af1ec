import type { Session } from "../command/session.ts";
import { senderIdFields } from "../contract/resources.ts";
import { capitalized, cut, firstOf, safeText } from "../core/text.ts";
import type { Output } from "../output/output.ts";
import type { Prompter } from "../output/prompts/questions.ts";

/** Names that carriers accept as alphanumeric senders: ruling 5. */
const carrierForm = /^[A-Za-z0-9 ]{1,11}$/;

/** Returns the warning about a name that carriers may refuse; undefined for any other name. */
export function carrierWarning(name: string): string | undefined {
  return carrierForm.test(name)
    ? undefined
    : "carriers may refuse this name: they accept up to 11 letters, digits and spaces, without accents";
}

/** In UTF-16 units. Counting takes quadratic time, and phones join at most 255 segments. */
export const maxCountedLength = 10_000;

/** Units per segment of a long message; surrogate pairs and emoji sequences are not split. */
const unitsOfPart = { "GSM-7": 153, "UCS-2": 67 } as const;

const bitsOfUnit = { "GSM-7": 7, "UCS-2": 16 } as const;

/**
 * Returns the cost of sending a text unchanged: no character is replaced by a cheaper look-alike.
 * Undefined if it is longer than `maxCountedLength`.
 */
export async function messageCost(text: string) {
  if (text.length > maxCountedLength) return undefined;
  const { SegmentedMessage } = await import("sms-segments-calculator");
  const message = new SegmentedMessage(text, "auto", false);
  const encoding = message.encodingName;
  const units = message.messageSize / bitsOfUnit[encoding];
  // The library never splits a letter from its accents, except if they do not fit in a segment.
  const least = message.segmentsCount > 1 ? Math.ceil(units / unitsOfPart[encoding]) : 1;
  return {
    encoding,
    /** Unicode code points, as ruling 8 counts them. */
    characters: message.numberOfUnicodeScalars,
    /** Length in GSM-7 septets (some characters take two) or 16-bit UCS-2 units. */
    units,
    segments: Math.max(message.segmentsCount, least),
    /** The characters that GSM-7 cannot encode, without duplicates. */
    ucs2Characters: [...new Set(message.getNonGsmCharacters())],
  };
}

/** Returns a character with its code points, as some look alike or are invisible: `’ U+2019`. */
export function characterName(character: string): string {
  const points = Array.from(character, (point) => point.codePointAt(0)!.toString(16).toUpperCase());
  return `${character} ${points.map((point) => `U+${point.padStart(4, "0")}`).join(" ")}`;
}

/** The only placeholder of the interface. */
export const placeholder = "{first_name}";

/** The first name to assume for a contact if none is given. */
export const typicalName = "Ada";

/** Returns the message that a contact with this first name receives. */
export function rendered(message: string, firstName: string): string {
  return message.replaceAll(placeholder, () => firstName);
}

/** Returns all other text in braces, and braces that stay in a message, without duplicates. */
export function unknownPlaceholders(message: string): readonly string[] {
  const found = message.match(/\{+[^{}]*\}*|\}+/g) ?? [];
  // Text after a brace that is not closed does not belong to it.
  const all = new Set(found.map((text) => (text.endsWith("}") ? text : text.replace(/[^{]+/, ""))));
  all.delete(placeholder);
  return [...all];
}

/** Returns the warning about braces that contacts would see in a message; undefined for none. */
export function placeholderWarning(message: string): string | undefined {
  const unknown = unknownPlaceholders(message);
  if (unknown.length === 0) return undefined;
  const names = unknown.map((name) => safeText(cut(name)));
  const noun = unknown.length === 1 ? "placeholder" : "placeholders";
  return `unknown ${noun} ${firstOf(names)}; did you mean ${placeholder}?`;
}

/** Returns the warnings about a message of a manifest; undefined if there are none. */
export function messageWarning(message: string): string | undefined {
  const lineBreak = message.endsWith("\n")
    ? "the message ends with a line break, which services may remove: write |- instead of |"
    : undefined;
  return [placeholderWarning(message) ?? [], lineBreak ?? []].flat().join("; ") || undefined;
}

/** Warns about a stored message that may not do what its author intended: ruling 8. */
export async function warnOfMessage(output: Pick<Output, "warn">, message: string): Promise<void> {
  const warning = placeholderWarning(message);
  if (warning !== undefined) await output.warn(warning);
  const cost = await messageCost(rendered(message, typicalName));
  if (cost === undefined) {
    await output.warn(
      `the message is over ${maxCountedLength} characters long, more than phones accept`,
    );
  } else if (cost.segments > 1) {
    const { segments, ucs2Characters } = cost;
    const names = firstOf(ucs2Characters.map((character) => safeText(characterName(character))));
    const verb = ucs2Characters.length === 1 ? "requires" : "require";
    const reason = `: ${names} ${verb} UCS-2, with 70 instead of 160 characters per segment`;
    await output.warn(
      `the message costs ${segments} SMS segments per contact (for the first name ${typicalName})${names && reason}`,
    );
  }
}

/** Asks for the name of a new sender ID, and again if the embedded engine would refuse it. */
export async function askForName(
  prompter: Prompter,
  { ask, output }: Pick<Session, "ask" | "output">,
): Promise<string> {
  for (;;) {
    const name = await prompter.ask("Name of the sender ID");
    const problem = await ask.refusedText(senderIdFields.name, name);
    if (problem === undefined) return name;
    await output.printError(`the name ${problem}`);
  }
}

/**
 * Asks for a birthday message, and again if it has an unknown placeholder.
 *
 * @param label the name of the field
 * @param current the message to edit
 */
export async function askForMessage(
  prompter: Prompter,
  label: string,
  current: string,
): Promise<string> {
  let text = current;
  for (;;) {
    text = await prompter.edit(`${label}, with {first_name} for the name`, text);
    const warning = placeholderWarning(text);
    if (warning === undefined) return text;
    const choices = [
      { value: "again", name: "Edit the message" },
      { value: "keep", name: "Use this message" },
    ];
    if ((await prompter.select(capitalized(warning), choices)) === "keep") return text;
  }
}
