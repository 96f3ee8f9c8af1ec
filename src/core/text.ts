/**
 * Control characters, for a class of a regular expression: what Unicode calls Cc. V8 takes 0.2 ms
 * for `\p{Cc}`, because it looks up every character.
 */
const controlCharacters = String.raw`\0-\x1f\x7f-\x9f`;

/** Starts of a formula: a sign, also full-width, or a control character, which may be skipped. */
export const formulaStart = String.raw`[${controlCharacters}=+\-@\uff1d\uff0b\uff0d\uff20]`;

/** Matches a control character. */
export const control = new RegExp(`[${controlCharacters}]`);

/**
 * Escapes untrusted text: the characters that a terminal interprets instead of showing them, such
 * as controls, escape sequences, line separators, bidirectional controls, lone surrogates.
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

/** Characters allowed besides safe text: line ends, tabs, colours of src/output/terminal.ts. */
const ofScreen = String.raw`\r?\n|\t|\u001b\[(?:[12]|22|3[1-3]|39)m`;
const unsafeOnScreen = new RegExp(`(${ofScreen})|${unsafe.source}`, "gu");

/** Returns complete output that is safe to show, including its line ends, tabs and colours. */
export function safeOnScreen(text: string): string {
  return text.replace(
    unsafeOnScreen,
    (found, allowed: string | undefined) => allowed ?? escaped(found),
  );
}

/** Returns a UTF-16 unit as an escape of JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** An emoji, perhaps of several that are joined by characters which show nothing alone. */
const emoji = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?`;

/** Further characters that show nothing or look like a space: zero-width, marks, fillers, tags. */
const invisible = new RegExp(
  String.raw`(${emoji}(?:\u200d${emoji})*)|[\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`,
  "gu",
);

/** Returns text as one safe line in which everything is visible: for refusals of a value. */
export function visibleText(text: string): string {
  return safeText(text).replace(
    invisible,
    (found, shown: string | undefined) => shown ?? found.replace(/[^]/g, escaped),
  );
}

/**
 * Returns two different texts in quotes as `visibleText`. If they look alike even so, everything
 * but ASCII is escaped: `"Cafe\u0301"`, `"Caf\u00e9"`.
 */
export function quotedPair(left: string, right: string): readonly [string, string] {
  const [a, b] = [left, right].map((text) => visibleText(JSON.stringify(text))) as [string, string];
  if (lookOf(a) !== lookOf(b)) return [a, b];
  return [a.replace(/[^\0-~]/g, escaped), b.replace(/[^\0-~]/g, escaped)];
}

/** Letters of Cyrillic, Greek and others, each with the letter of ASCII that it looks like. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  "АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ԌG ԚQ ԜW аa еe оo рp сc уy хx ѕs іi јj ԁd һh ԛq ԝw ӏl кk мm ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv ρp υu ιi αa օo հh ոn սu ցg ıi ɑa ɡg"
    .split(" ")
    .map((pair) => [pair[0]!, pair[1]!]),
);

/** Returns a text without invisible characters, and with ASCII letters for their lookalikes. */
function lookOf(text: string): string {
  const seen = normalized(text, "NFKC").replaceAll(/\\u[\da-f]{4}|\s|\u200d|\ufe0f/g, "");
  return seen.replaceAll(/[^\0-~]/g, (letter) => lookAlikes.get(letter) ?? letter);
}

/** Returns whether people would see the same in two texts, although they differ. */
export function looksAlike(left: string, right: string): boolean {
  return lookOf(left) === lookOf(right);
}

/** Escapes text for the inside of POSIX single quotes, where only the quote is special. */
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

/** More marks on a letter than any language writes. Sorting them takes quadratic time. */
const manyMarks = /\p{M}{31}/u;

/** Returns a text in a Unicode normalization form, or unchanged if a letter has over 30 marks. */
export function normalized(text: string, form: "NFC" | "NFKC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}

/** Returns words as alternatives: `a, b or c`. */
export function orList(words: readonly string[]): string {
  return words.join(", ").replace(/, (?=[^ ]+$)/, " or ");
}

/** Returns the known word that is closest to a mistyped one; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const mistakes = known.map((name) => ({ name, count: distance(plain(word), plain(name)) }));
  const [best] = mistakes.toSorted((a, b) => a.count - b.count);
  return best !== undefined && best.count <= Math.max(1, plain(best.name).length / 4)
    ? best.name
    : undefined;
}

/** Returns whether a word may mean a name: in another case, a letter off, or as its beginning. */
export function isNear(word: string, name: string): boolean {
  const [typed, known] = [word.trim().toLowerCase(), name.trim().toLowerCase()];
  if (typed.length > 100 || known.length > 100) return typed === known;
  if (typed.length > 2 && known.startsWith(typed)) return true;
  return distance(typed, known) <= Math.min(2, Math.max(typed.length, known.length) / 4);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, "");
}

/** Returns the number of letters to add, drop, change or swap with their neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      // No letter equals what is before the first one.
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1, swapped));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}

/** Returns a count with its noun: `1 group`, `3 groups`. */
export function counted(count: number | bigint, noun: string, plural = `${noun}s`): string {
  return `${count} ${Number(count) === 1 ? noun : plural}`;
}

/** Returns the first names of a list, and counts the others: `Ada, Bob and 3 more`. */
export function firstOf(names: readonly string[], max = 5): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Shortens a text for a message. @param max in UTF-16 units */
export function cut(text: string, max = 40): string {
  if (text.length <= max) return text;
  // Never split a surrogate pair.
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Formats a number of bytes for people. */
export function sizeText(bytes: number): string {
  if (bytes === 0) return "empty";
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  return `${size.toFixed(power === 0 || size >= 10 ? 0 : 1)} ${units[power]}`;
}

/** Returns a text with a capital at the beginning. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns a line without the blanks and quotes around it, as in a column cut out of a CSV file. */
export function plainWord(line: string): string {
  const word = line.trim();
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(word) ?? [];
  return quoted === undefined ? word : quoted.replaceAll('""', '"').trim();
}

/** HTML's own five entities, which services write into names. */
