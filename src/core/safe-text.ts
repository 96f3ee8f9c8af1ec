/**
 * Control characters, for a class of a regular expression: what Unicode calls Cc. V8 takes 0.2 ms for `\p{Cc}`, because
 * it looks up every character.
 */
export const controlCharacters = String.raw`\0-\x1f\x7f-\x9f`;

/** Matches a control character. */
export const control = new RegExp(`[${controlCharacters}]`);

/**
 * Escapes untrusted text. Characters that a terminal would interpret instead of showing are written as escapes: control
 * characters, escape sequences, line separators, bidirectional overrides and isolates, lone surrogates.
 */
const unsafe = new RegExp(
  String.raw`[${controlCharacters}\ud800-\udfff\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]`,
  "gu",
);

const shortForms: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns text as one line that is safe to show. */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => shortForms[character] ?? escaped(character));
}

/** Returns text that is safe to show, with its line ends. */
export function safeLines(text: string): string {
  return text.split("\n").map(safeText).join("\n");
}

/** Returns equivalent JSON that is safe to show. Only strings can contain unsafe characters. */
export function safeJson(json: string): string {
  return json.replace(unsafe, (character) => (character === "\n" ? character : escaped(character)));
}

/** Characters that are allowed besides safe text: line ends, tabs, and the colours of src/output/terminal.ts. */
const ofScreen = String.raw`\r?\n|\t|\u001b\[(?:[12]|22|3[1-3]|39)m`;
const unsafeOnScreen = new RegExp(`(${ofScreen})|${unsafe.source}`, "gu");

/** Returns complete output that is safe to show, including its line ends, tabs and colours. */
export function safeOnScreen(text: string): string {
  return text.replace(
    unsafeOnScreen,
    (found, allowed: string | undefined) => allowed ?? escaped(found),
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Escapes text for the inside of single quotes in a POSIX shell, where only the quote itself is special. */
export function insideSingleQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

/** Returns text in single quotes. */
export function shellQuoted(text: string): string {
  return `'${insideSingleQuotes(text)}'`;
}

/** Returns a word of a POSIX shell command line, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@+:,./-][\w@%+=:,./-]*$/.test(word) ? word : shellQuoted(word);
}

/** Removes the slashes at the end of a text. The pattern `\/+$` would take quadratic time. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
