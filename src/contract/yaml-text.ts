/** Texts as YAML and JSON write them. Whatever is in them, they are read back as they were. */

/** Controls, separators, marks of direction and of byte order: what nobody sees, or a terminal obeys. */
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g;

/** Returns text in double quotes, as JSON and YAML both read it. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Words that some reader of YAML takes for something else than text. */
const meaningful = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** Begins with a letter, ends with no space, and has nothing in it that could end it or begin a comment. */
const plain =
  /^\p{L}(?:[\p{L}\p{M}\p{N}\p{Sc}\p{Extended_Pictographic}_.,;!?'"()[\]{}<>/@+*=%&|~^’‘“”«»–—…¡¿-]|:(?=[^\s,[\]{}])| (?=[^ #]))*$/u;

/** Control characters, and halves of a character. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/**
 * Returns text as a value of a YAML mapping: plain where that is safe, lines as lines where that is exact, and
 * in double quotes otherwise.
 *
 * @param indent of the mapping
 */
export function yamlText(text: string, indent: string): string {
  if (plain.test(text) && !meaningful.test(text)) return text;
  return (text.includes("\n") ? lines(text, indent) : undefined) ?? doubleQuoted(text);
}

/** Lines below each other; undefined where something in them would get lost, or could not be seen. */
function lines(text: string, indent: string): string | undefined {
  const isEnded = text.endsWith("\n");
  const all = (isEnded ? text.slice(0, -1) : text).split("\n");
  if (!/^\S/.test(all[0]!) || all.at(-1) === "") return undefined;
  if (!all.every((line) => line === "" || isVisible(line))) return undefined;
  const shown = all.map((line) => (line === "" ? "" : `${indent}  ${line}`));
  return `${isEnded ? "|" : "|-"}\n${shown.join("\n")}`;
}

/** To its last character. */
function isVisible(line: string): boolean {
  const hasHidden = unprintable.test(line) || line.search(invisible) >= 0;
  return !hasHidden && line.trimEnd() === line;
}
