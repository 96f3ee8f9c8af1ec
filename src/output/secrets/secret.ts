/** A text that must never be shown. */
export interface Secret {
  readonly isIn: (text: string) => boolean;
  readonly replace: (text: string, mark: string) => string;
}

/** In UTF-16 units. Shorter secrets match only as a whole word, because they occur in almost any text. */
const minPartLength = 4;

/** Maximum number of times that a text is decoded: JSON in JSON, or a percent-encoded percent sign. */
const maxRounds = 4;

const escapeForms = /\\(?:u([0-9a-f]{4})|(["\\/bfnrt]))|%([0-9a-f]{2})/gi;

/** Escapes of letters and digits, and of the backslash and percent sign that begin other escapes. */
const letterEscape = /(?:\\u00|%)(?:[4-7][0-9a-f]|3[0-9]|25)/i;

const controls: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Decodes the escapes of JSON and of URLs once. Bytes of a URL become characters of Latin-1. */
function decoded(text: string): string {
  return text.replace(escapeForms, (_, unit?: string, short?: string, byte?: string) =>
    characterOf(unit, short, byte),
  );
}

function characterOf(unit?: string, short?: string, byte?: string): string {
  if (short !== undefined) return controls[short] ?? short;
  return String.fromCharCode(Number.parseInt(unit ?? byte!, 16));
}

/** Returns a text, and what it is after each decoding. */
function roundsOf(text: string): string[] {
  const rounds = [text];
  for (let now = text; rounds.length <= maxRounds; rounds.push(now)) {
    const next = decoded(now);
    if (next === now) break;
    now = next;
  }
  return rounds;
}

/**
 * Creates the search for a secret, also with JSON escapes or percent-encoded: text and secret are decoded alike and
 * compared after each decoding.
 */
export function createSecret(secret: string): Secret {
  const rounds = roundsOf(secret).filter((text) => text !== "");
  const bytes = rounds.map((text) => Buffer.from(text).toString("latin1"));
  const forms = [...new Set([...rounds, ...bytes])];
  const letters = lettersOf(secret);
  return {
    isIn: (text) => {
      // Decoding takes a hundred times as long as this search.
      if (!letterEscape.test(text) && !text.includes(letters)) return false;
      return roundsOf(text).some((round) =>
        forms.some((form) => positionsIn(round, form).length > 0),
      );
    },
    replace: (text, mark) => {
      /** The ranges of the secret in the text. */
      const ranges: (readonly [start: number, end: number])[] = [];
      for (const { round, startOf } of mappedRounds(text)) {
        for (const form of forms) {
          for (const at of positionsIn(round, form)) {
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

function same(at: number): number {
  return at;
}

/** Yields a text after each decoding, and where each of its characters and its end are in the original. */
function* mappedRounds(
  text: string,
): Generator<{ readonly round: string; readonly startOf: (at: number) => number }> {
  let round = text;
  let startOf: (at: number) => number = same;
  yield { round, startOf };
  for (let count = 0; count < maxRounds; count += 1) {
    // Long enough for its end, too. Escapes become shorter.
    const starts = new Uint32Array(round.length + 1);
    let next = "";
    let from = 0;
    const copy = (to: number): void => {
      for (let at = from; at < to; at += 1) starts[next.length + at - from] = startOf(at);
      next += round.slice(from, to);
    };
    for (const found of round.matchAll(escapeForms)) {
      copy(found.index);
      starts[next.length] = startOf(found.index);
      next += characterOf(found[1], found[2], found[3]);
      from = found.index + found[0].length;
    }
    if (from === 0) return;
    copy(round.length);
    starts[next.length] = text.length;
    round = next;
    startOf = (at) => starts[at]!;
    yield { round, startOf };
  }
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
