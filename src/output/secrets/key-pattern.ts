/**
 * The pattern of a secret in text: each of its characters as it is, or as JSON, JavaScript, a URL, HTML or a shell
 * writes it, escaped up to four times. Repetitions are bounded, because the text comes from a service that may be
 * hostile: the time to search it grows with its length alone.
 */

/** Backslashes before a character, each perhaps written as an escape itself. */
const backslashes = String.raw`(?:\\(?:u005[cC])?){0,16}`;

/** Before the first character one will do: others may stay, and a text of backslashes alone is searched in no time. */
const firstBackslash = String.raw`\\?`;

/** In UTF-16 units: what is longer is searched for in parts, so that no pattern grows too large. */
const maxPatternLength = 256;

const namedEntities: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "/": "sol",
};

/** Returns a secret in parts of about the same length, none of them too long for a pattern. */
export function partsOf(secret: string): string[] {
  const count = Math.ceil(secret.length / maxPatternLength);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, index) =>
    secret.slice(index * length, (index + 1) * length),
  );
}

/** @param isWord whether the secret counts only where no letter or digit is next to it */
export function keyPattern(secret: string, isWord: boolean): RegExp {
  // A run is one unit: with a choice for each of its characters, a long one could take forever.
  const units = secret.match(/\\+|'+|"+|[^\\'"]/gu) ?? [];
  const pattern = units
    .map((unit, index) => {
      if (index === 0) return unitPattern(unit, firstBackslash);
      // Those of an escape belong to a run that comes before it.
      return unitPattern(unit, units[index - 1]!.startsWith("\\") ? "" : backslashes);
    })
    .join("");
  if (!isWord) return new RegExp(pattern, "g");
  const before = String.raw`(?:(?<![0-9A-Za-z])|(?<=\\[bfnrt]))`;
  return new RegExp(`${before}(?:${pattern})(?![0-9A-Za-z])`, "g");
}

/** @param escape the pattern of the backslashes before it */
function unitPattern(unit: string, escape: string): string {
  const { length } = unit;
  if (unit.startsWith("\\")) {
    return String.raw`(?:\\(?:u005[cC])?|${encoded("\\")}){${length},${16 * length}}`;
  }
  if (!/^['"]/.test(unit)) return `(?:${escape}(?:${literal(unit)}|${encoded(unit)}))`;
  // CSV and YAML double a quote, and a shell closes and opens its own around it.
  const quote = unit[0]!;
  const more = `(?:[\\\\${quote}]|${encoded(quote)}){${length - 1},${16 * length}}?`;
  return `(?:${escape}(?:${quote}|${encoded(quote)})${more})`;
}

/**
 * Returns a pattern that is found wherever a secret is written otherwise than as it is, and in few other texts: most
 * have escapes of other characters alone.
 */
export function escapePattern(secret: string): RegExp {
  const isAscii = /^[\u0020-\u007e]*$/.test(secret);
  const digits = isAscii ? "00[2-7]" : "";
  const own = [...new Set(secret.replaceAll("u", ""))].map(literal).join("");
  const escapes = [`[uU]${digits}`, String.raw`[uU]\{`, "x", `[${own}]`, "u(?![0-9a-fA-F]{4})"];
  return new RegExp(String.raw`[%&]|\\(?:${escapes.join("|")})`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** One character in every other form than itself, after its backslashes. */
function encoded(character: string): string {
  const code = character.codePointAt(0)!;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const bytes = [...new TextEncoder().encode(character)];
  const name = namedEntities[character];
  const entities = [
    String.raw`#(?:0{0,6}${code}|[xX]0{0,6}${hex(code)})`,
    ...(name === undefined ? [] : [name]),
  ];
  return [
    units.map((unit) => `[uU]${hex(unit, 4)}`).join(backslashes),
    String.raw`u\{0{0,6}${hex(code)}\}`,
    ...(code < 0x100 ? [`x${hex(code, 2)}`] : []),
    bytes.map((byte) => String.raw`(?:%|u0025)(?:25){0,4}${hex(byte, 2)}`).join(backslashes),
    String.raw`(?:&|u0026)(?:amp;){0,4}(?:${entities.join("|")});?`,
  ].join("|");
}

/** Returns hexadecimal digits in either case. */
function hex(code: number, digits = 1): string {
  const text = code.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
