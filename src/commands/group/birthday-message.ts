import type { Output } from "../../output/output.ts";
import { safeText } from "../../output/safe-text.ts";
import { characterName, longestCounted, messageCost, type MessageCost } from "./message-cost.ts";

/** The one placeholder that the specification names: part 2. */
const placeholder = "{first_name}";

/** Who a member is taken to be where nobody says. */
export const typicalName = "Ada";

/** The message as a member of this name gets it. */
export function rendered(message: string, firstName: string): string {
  return message.replaceAll(placeholder, () => firstName);
}

export function hasPlaceholder(message: string): boolean {
  return message.includes(placeholder);
}

/** Anything else in braces, each once. */
export function unknownPlaceholders(message: string): readonly string[] {
  const all = message.match(/\{[^{}]*\}/g) ?? [];
  return [...new Set(all)].filter((one) => one !== placeholder);
}

/** Ruling 8: warns of a message that was stored, but may not do what its author means. */
export async function warnOfMessage(
  output: Pick<Output, "warn">,
  message: string | undefined,
): Promise<void> {
  if (message === undefined) return;
  await warnOfPlaceholders(output, message);
  const cost = await messageCost(rendered(message, typicalName));
  if (cost === undefined) {
    await output.warn(`the message has over ${longestCounted} characters: no phone takes so many`);
  } else if (cost.segments > 1) {
    const price = `the message costs ${cost.segments} SMS segments a member (named ${typicalName})`;
    await output.warn([price, ...reason(cost)].join(": "));
  }
}

export async function warnOfPlaceholders(
  output: Pick<Output, "warn">,
  message: string,
): Promise<void> {
  const unknown = unknownPlaceholders(message);
  if (unknown.length === 0) return;
  const names = someOf(unknown.map((one) => (one.length > 40 ? `${one.slice(0, 39)}…` : one)));
  const what = unknown.length === 1 ? "is no placeholder" : "are no placeholders";
  await output.warn(
    `${names} ${what} that sendctl knows, and may be sent as written; ${placeholder} is one`,
  );
}

function reason({ encoding, ucs2Characters }: MessageCost): string[] {
  if (encoding === "GSM-7") return [];
  const names = someOf(ucs2Characters.map(characterName));
  return [`${names} can't be sent in GSM-7, and in UCS-2 a segment holds 70 characters, not 160`];
}

const mostNamed = 5;

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, mostNamed).map(safeText).join(", ");
  const more = names.length - mostNamed;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
