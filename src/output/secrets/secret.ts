/** A text that must never be shown. */
export interface Secret {
  readonly isIn: (text: string) => boolean;
  readonly replace: (text: string, mark: string) => string;
}

/** In UTF-16 units. Shorter secrets match only as a whole word, because they occur in almost any text. */
const minPartLength = 4;

/** Maximum number of times that a text is decoded: JSON in JSON, or a percent-encoded percent sign. */
const maxRounds = 4;

/** Escapes of letters and digits, and of the backslash and percent sign that begin other escapes. */
const letterEscape = /(?:\\u00|%)(?:[4-7][0-9a-f]|3[0-9]|25)/i;

/**
 * Creates the search for a secret, also with JSON escapes or percent-encoded: text and secret are decoded alike and
 * compared after each decoding.
 */
export function createSecret(secret: string): Secret {
  const rounds = [...decodings(secret)].map(({ text }) => text).filter((text) => text !== "");
  const bytes = rounds.map((text) => Buffer.from(text).toString("latin1"));
  const forms = [...new Set([...rounds, ...bytes])];
  const letters = lettersOf(secret);
  return {
    isIn: (text) => {
      // Decoding takes a hundred times as long as this search.
      if (!letterEscape.test(text) && !text.includes(letters)) return false;
      for (const round of decodings(text)) {
        if (forms.some((form) => positionsIn(round.text, form).length > 0)) return true;
      }
      return false;
    },
    replace: (text, mark) => {
      /** The ranges of the secret in the text. */
      const ranges: (readonly [start: number, end: number])[] = [];
      for (const round of decodings(text)) {
        const startOf = (at: number): number => round.starts?.[at] ?? at;
        for (const form of forms) {
          for (const at of positionsIn(round.text, form)) {
            ranges.push([startOf(at), startOf(at + form.length)]);
          }
        }
      }
      return replaced(text, ranges, mark);
    },
  };
}

/** Returns letters and digits of a secret that every text with it has, escaped or not; "" if there are none. */
function lettersOf(secret: string): string {
  if (/[\\%]/.test(secret)) return "";
  const runs = secret.match(/[A-Za-z0-9]+/g) ?? [];
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

function positionsIn(text: string, form: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    if (form.length >= minPartLength || isWord(text, at, at + form.length)) positions.push(at);
  }
  return positions;
}

function isWord(text: string, start: number, end: number): boolean {
  return !/[0-9A-Za-z]/.test(`${text[start - 1] ?? ""}${text[end] ?? ""}`);
}

/** A text after some decodings. */
interface Decoding {
  readonly text: string;
  /** Where each of its characters, and its end, are in the original text; undefined for that one. */
  readonly starts: Uint32Array | undefined;
}

/** Yields a text, and what it is after each decoding of its escapes. Bytes of a URL become characters of Latin-1. */
function* decodings(original: string): Generator<Decoding> {
  let now: Decoding | undefined = { text: original, starts: undefined };
  for (let round = 0; now !== undefined && round <= maxRounds; round += 1) {
    yield now;
    now = decoded(now);
  }
}

const escape = /\\u[0-9a-f]{4}|\\["\\/bfnrt]|%[0-9a-f]{2}/iy;

const shortEscapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Decodes the escapes of JSON and of URLs once; undefined if there are none. */
function decoded({ text, starts }: Decoding): Decoding | undefined {
  const units = new Uint16Array(text.length);
  const nextStarts = new Uint32Array(text.length + 1);
  let length = 0;
  let end: number;
  for (let at = 0; at < text.length; at = end) {
    end = escapeEnd(text, at);
    nextStarts[length] = starts?.[at] ?? at;
    units[length] = end - at === 1 ? text.charCodeAt(at) : unitOf(text.slice(at, end));
    length += 1;
  }
  if (length === text.length) return undefined;
  nextStarts[length] = starts?.[text.length] ?? text.length;
  return { text: Buffer.from(units.buffer, 0, 2 * length).toString("utf16le"), starts: nextStarts };
}

/** Returns the end of the escape at an index, or of the character if there is none. */
function escapeEnd(text: string, at: number): number {
  const first = text[at];
  if (first !== "\\" && first !== "%") return at + 1;
  escape.lastIndex = at;
  return escape.test(text) ? escape.lastIndex : at + 1;
}

/** Returns the UTF-16 unit that an escape means. */
function unitOf(text: string): number {
  if (text.length > 2) return Number.parseInt(text.slice(text.startsWith("%") ? 1 : 2), 16);
  return (shortEscapes[text[1]!] ?? text[1]!).charCodeAt(0);
}

function replaced(
  text: string,
  ranges: readonly (readonly [start: number, end: number])[],
  mark: string,
): string {
  let shown = "";
  let shownTo = 0;
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (start >= shownTo) shown += text.slice(shownTo, start) + mark;
    shownTo = Math.max(shownTo, end);
  }
  return shown + text.slice(shownTo);
}
