/**
 * The pattern of a secret in text: each character literally, or as JSON, JavaScript, a URL, HTML or a shell escapes it,
 * up to four times. Repetitions are bounded because a hostile service may send the text: the search time must grow only
 * linearly with its length.
 */

/** Backslashes before a character, each possibly escaped itself. */
const backslashes = String.raw`(?:\\(?:u005[cC])?){0,16}`;

/** One backslash before the first character is enough and keeps the search of a text of backslashes fast. */
const firstBackslash = String.raw`\\?`;

/** Maximum length of a part in UTF-16 units. Longer secrets are searched in parts to limit the size of patterns. */
const maxPatternLength = 256;

const namedEntities: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "/": "sol",
};

/** Splits a secret into parts of about the same length. */
export function partsOf(secret: string): string[] {
  const count = Math.ceil(secret.length / maxPatternLength);
  const length = Math.ceil(secret.length / count);
  return Array.from({ length: count }, (_, index) =>
    secret.slice(index * length, (index + 1) * length),
  );
}

/** Returns the pattern of a secret. @param isWord whether it matches only without adjacent letters and digits */
export function keyPattern(secret: string, isWord: boolean): RegExp {
  // A run of backslashes or quotes is one unit, because alternatives per character would backtrack exponentially.
  const units = secret.match(/\\+|'+|"+|[^\\'"]/gu) ?? [];
  const pattern = units
    .map((unit, index) => {
      if (index === 0) return unitPattern(unit, firstBackslash);
      // Backslashes after a run of backslashes are matched by the run.
      return unitPattern(unit, units[index - 1]!.startsWith("\\") ? "" : backslashes);
    })
    .join("");
  if (!isWord) return new RegExp(pattern, "g");
  const before = String.raw`(?:(?<![0-9A-Za-z])|(?<=\\[bfnrt]))`;
  return new RegExp(`${before}(?:${pattern})(?![0-9A-Za-z])`, "g");
}

/** Returns the pattern of a unit. @param escape the pattern of the backslashes before it */
function unitPattern(unit: string, escape: string): string {
  const { length } = unit;
  if (unit.startsWith("\\")) {
    return String.raw`(?:\\(?:u005[cC])?|${encoded("\\")}){${length},${16 * length}}`;
  }
  if (!/^['"]/.test(unit)) return `(?:${escape}(?:${literal(unit)}|${encoded(unit)}))`;
  // CSV and YAML double a quote; a shell closes and reopens its own quotes around it.
  const quote = unit[0]!;
  const more = `(?:[\\\\${quote}]|${encoded(quote)}){${length - 1},${16 * length}}?`;
  return `(?:${escape}(?:${quote}|${encoded(quote)})${more})`;
}

/**
 * Returns a pattern that matches every text with an escaped form of a secret, and few other texts, which mostly escape
 * other characters.
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

/** Returns the pattern of a character in all its escaped forms, without the backslashes before it. */
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

/** Returns the pattern of hexadecimal digits in either case. */
function hex(code: number, digits = 1): string {
  const text = code.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
