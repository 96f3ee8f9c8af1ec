/**
 * Text from outside is data. What a terminal would obey instead of showing is written out: control
 * characters, escape sequences, line separators, bidirectional overrides and isolates, lone surrogates.
 */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const shortForms: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** One line that a terminal shows as it is. */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => shortForms[character] ?? escaped(character));
}

/** Lines that a terminal shows as they are. */
export function safeLines(text: string): string {
  return text.split("\n").map(safeText).join("\n");
}

/** JSON text that a terminal shows as it is, and that means what it meant: only strings hold such characters. */
export function safeJson(json: string): string {
  return json.replace(unsafe, (character) => (character === "\n" ? character : escaped(character)));
}

/** What passes besides safe text: ends of lines, tabs, and the colours of src/output/style.ts. */
const ofScreen = String.raw`\r?\n|\t|\u001b\[(?:[12]|22|3[1-3]|39)m`;
const unsafeOnScreen = new RegExp(`(${ofScreen})|${unsafe.source}`, "gu");

/** Returns all that a terminal gets at a time, with whatever it would obey written out. */
export function safeOnScreen(text: string): string {
  return text.replace(unsafeOnScreen, (found, ours: string | undefined) => ours ?? escaped(found));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
