/**
 * The pattern of a secret in text: each of its characters as it is, or as JSON, JavaScript, a URL, HTML or a shell
 * writes it, escaped up to four times. Repetitions are bounded, because the text comes from a service that may be
 * hostile: the time to search it grows with its length alone.
 */

/** Backslashes before a character, each perhaps written as an escape itself. */
const backslashes = String.raw`(?:\\(?:u005[cC])?){0,16}`;

/** In UTF-16 units: what is longer is searched for in parts, so that no pattern grows too large. */
const longestPattern = 256;

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
  const count = Math.ceil(secret.length / longestPattern);
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
    .map((unit, index) => unitPattern(unit, units[index - 1]?.startsWith("\\") === true))
    .join("");
  if (!isWord) return new RegExp(pattern, "g");
  const before = String.raw`(?:(?<![0-9A-Za-z])|(?<=\\[bfnrt]))`;
  return new RegExp(`${before}(?:${pattern})(?![0-9A-Za-z])`, "g");
}

/** @param isEscaped whether a run of backslashes, which includes those of an escape, comes before it */
function unitPattern(unit: string, isEscaped: boolean): string {
  const escape = isEscaped ? "" : backslashes;
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
