/** Text as YAML and JSON scalars. Every text round-trips unchanged. */

/** Invisible characters and those that affect a terminal: controls, separators, bidi, BOM. */
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** Returns a text in double quotes, valid in both JSON and YAML. */
export function doubleQuoted(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Escapes the invisible characters of JSON. */
export function escapeInvisible(json: string): string {
  return json.replace(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Words that some YAML parsers do not read as text. */
const keyword = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Starts with a letter, does not end with a space, and ends no scalar and starts no comment. */
const plain =
  /^\p{L}(?:[\p{L}\p{M}\p{N}\p{Sc}\p{Extended_Pictographic}_.,;!?'"()[\]{}<>/@+*=%&|~^’‘“”«»–—…¡¿-]|:(?=[^\s,[\]{}])| (?=[^ #]))*$/u;

/** In UTF-16 units. Searching millions for `plain` overflows the stack of regular expressions. */
const maxPlainLength = 10_000;

/** Control characters and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns a text as a value of a YAML mapping: plain if that is safe, a block scalar if that is
 * exact, and in double quotes otherwise.
 *
 * @param indent of the mapping
 */
export function yamlText(text: string, indent: string): string {
  if (text.length <= maxPlainLength && plain.test(text) && !keyword.test(text)) return text;
  return (text.includes("\n") ? lines(text, indent) : undefined) ?? doubleQuoted(text);
}

/** Returns a block scalar, or undefined if it would lose or hide characters. */
function lines(text: string, indent: string): string | undefined {
  const isEnded = text.endsWith("\n");
  const all = (isEnded ? text.slice(0, -1) : text).split("\n");
  if (!/^\S/.test(all[0]!) || all.at(-1) === "") return undefined;
  if (!all.every((line) => line === "" || isVisible(line))) return undefined;
  const shown = all.map((line) => (line === "" ? "" : `${indent}  ${line}`));
  return `${isEnded ? "|" : "|-"}\n${shown.join("\n")}`;
}

/** Returns whether a line has no hidden characters and no white space at its end. */
function isVisible(line: string): boolean {
  const hasHidden = unprintable.test(line) || line.search(invisible) >= 0;
  return !hasHidden && line.trimEnd() === line;
}
