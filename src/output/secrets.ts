import { readJson, stringEnd } from "../core/json-text.ts";

/** Texts that must never be shown, and functions that replace them. */
export type Secrets = ReturnType<typeof createSecrets>;

/** Minimum length of a long secret in UTF-16 units. Shorter ones occur in other texts by chance. */
const minLongLength = 8;

/** Replacements for secrets. The first one that contains no secret is used. */
const marks = ["[hidden]", "[removed]", "******"];

export function createSecrets() {
  const secrets = new Map<string, Secret>();
  const longSecrets = new Map<string, Secret>();
  let mark = marks[0]!;
  /** The last text without secrets, cached because responses are searched twice: on arrival and when printed. */
  let clean = "";

  const addKey = (text = ""): void => {
    if (text === "" || secrets.has(text)) return;
    const secret = createSecret(text);
    secrets.set(text, secret);
    if (text.length >= minLongLength) longSecrets.set(text, secret);
    clean = "";
    const isFree = (free: string): boolean =>
      [...secrets.keys()].every((key) => !free.includes(key));
    mark = marks.find(isFree) ?? "";
  };
  const hidingOf = (selected: ReadonlyMap<string, Secret>): Hiding => ({
    isIn: (text) => {
      if (text === clean || !mayBeIn(text, selected)) return false;
      for (const _ of rangesIn(text, selected)) return true;
      if (selected.size === secrets.size) clean = text;
      return false;
    },
    hide: (text) =>
      mayBeIn(text, selected) ? withoutRanges(text, [...rangesIn(text, selected)], mark) : text,
  });
  const all: Hiding = { ...hidingOf(secrets), hideNumber: () => JSON.stringify(mark) };
  const ofBodies = hidingOf(longSecrets);

  const hideValue = (value: unknown): unknown => {
    if (typeof value === "string") return all.hide(value);
    if (Array.isArray(value)) return value.map(hideValue);
    if (!isPlain(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, field]) => [all.hide(name), hideValue(field)]));
  };
  return {
    /** Adds a text to hide, unless it is shorter than 8 characters. */
    add: (secret: string | undefined = ""): void => {
      if (secret.length >= minLongLength) addKey(secret);
    },
    /** Adds the key in use, however short it is, because the service can return it. */
    addKey,
    hide: all.hide,
    /** Hides secrets in JSON or JSON Lines, which stay valid. */
    hideJson: (json: string): string => hideInJson(json, all),
    /** Hides secrets in a text that may be JSON. */
    hideReply: (text: string): string => hideInText(text, all),
    /**
     * Hides long secrets in a response before it is parsed. Short ones are hidden only in output, because they can occur
     * in a record by chance, and commands work with the records.
     */
    hideBody: (body: string): string => hideInText(body, ofBodies),
    /** Hides secrets in all texts of a value, including field names. Numbers are not hidden. */
    hideValue: <Value>(value: Value): Value =>
      secrets.size === 0 ? value : (hideValue(value) as Value),
    /** Returns whether a secret occurs in a text, or was replaced in it. */
    isHidden: (text: string): boolean =>
      secrets.size > 0 && (all.isIn(text) || (mark !== "" && text.includes(mark))),
    isEmpty: (): boolean => secrets.size === 0,
  };
}

/** Returns whether a value is a plain object. Instances of classes, such as lossless numbers, are not changed. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The secrets to hide. */
interface Hiding {
  readonly isIn: (text: string) => boolean;
  readonly hide: (text: string) => string;
  /** Returns the JSON string that replaces a number; without it, numbers are not hidden. */
  readonly hideNumber?: () => string;
}

/** Removes secrets from any text, JSON or not. In HTML, for example, quotes do not delimit strings. */
function hideInText(text: string, hiding: Hiding): string {
  if (!hiding.isIn(text)) return text;
  return readJson(text) === undefined ? hiding.hide(text) : hideInJson(text, hiding);
}

/** Removes secrets from the strings and numbers of JSON or JSON Lines. They stay valid, and other strings unchanged. */
function hideInJson(json: string, { isIn, hide, hideNumber }: Hiding): string {
  if (!isIn(json)) return json;
  const hideNumbers = (text: string): string =>
    hideNumber === undefined
      ? text
      : text.replace(/-?\d[\d.eE+-]*/g, (number) => (isIn(number) ? hideNumber() : number));
  let shown = "";
  let at = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', at)) {
    const end = stringEnd(json, start);
    const token = json.slice(start, end);
    const text = JSON.parse(token) as string;
    const hidden = hide(text);
    shown +=
      hideNumbers(json.slice(at, start)) + (hidden === text ? token : JSON.stringify(hidden));
    at = end;
  }
  return shown + hideNumbers(json.slice(at));
}

/** A text that must never be shown. */
interface Secret {
  /** The text after each decoding, also as a URL has it. */
  readonly forms: readonly string[];
  /** Letters and digits that every text with it has, escaped or not; "" if there are none. */
  readonly letters: string;
}

function createSecret(text: string): Secret {
  const decoded = Array.from(decodings(text), (decoding) => decoding.text).filter(Boolean);
  const bytes = decoded.map((form) => Buffer.from(form).toString("latin1"));
  const runs = /[\\%]/.test(text) ? [] : (text.match(/[A-Za-z0-9]+/g) ?? []);
  const letters = runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
  return { forms: [...new Set([...decoded, ...bytes])], letters };
}

/** A secret within a text. */
type Range = readonly [start: number, end: number];

/** Escapes of letters and digits, and of the backslash and percent sign that begin other escapes. */
const letterEscape = /(?:\\u00|%)(?:[4-7][0-9a-f]|3[0-9]|25)/i;

/** In UTF-16 units. Shorter secrets match only as a whole word, because they occur in almost any text. */
const minPartLength = 4;

/**
 * Yields where secrets are in a text, also with JSON escapes or percent-encoded: text and secrets are decoded alike and
 * compared after each decoding.
 */
function* rangesIn(text: string, secrets: ReadonlyMap<string, Secret>): Generator<Range> {
  const forms = Array.from(secrets.values(), (secret) => secret.forms).flat();
  for (const { text: decoded, starts } of decodings(text)) {
    for (const form of forms) {
      for (let at = decoded.indexOf(form); at >= 0; at = decoded.indexOf(form, at + 1)) {
        const end = at + form.length;
        const isFound = form.length >= minPartLength || isWord(decoded, at, end);
        if (isFound) yield [starts?.[at] ?? at, starts?.[end] ?? end];
      }
    }
  }
}

/** Returns whether a secret may be in a text. Decoding the text takes a hundred times as long as this search. */
function mayBeIn(text: string, secrets: ReadonlyMap<string, Secret>): boolean {
  if (secrets.size > 0 && letterEscape.test(text)) return true;
  for (const { letters } of secrets.values()) if (text.includes(letters)) return true;
  return false;
}

function isWord(text: string, start: number, end: number): boolean {
  return !/[0-9A-Za-z]/.test(`${text[start - 1] ?? ""}${text[end] ?? ""}`);
}

function withoutRanges(text: string, ranges: readonly Range[], mark: string): string {
  let shown = "";
  let shownTo = 0;
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (start >= shownTo) shown += text.slice(shownTo, start) + mark;
    shownTo = Math.max(shownTo, end);
  }
  return shown + text.slice(shownTo);
}

/** A text after some decodings. */
interface Decoding {
  readonly text: string;
  /** Where each of its characters, and its end, are in the original text; undefined for that one. */
  readonly starts?: Uint32Array;
}

/** Maximum number of times that a text is decoded: JSON in JSON, or a percent-encoded percent sign. */
const maxRounds = 4;

/** Yields a text, and what it is after each decoding of its escapes. Bytes of a URL become characters of Latin-1. */
function* decodings(original: string): Generator<Decoding> {
  let decoding: Decoding | undefined = { text: original };
  for (let round = 0; decoding !== undefined && round <= maxRounds; round += 1) {
    yield decoding;
    decoding = decoded(decoding);
  }
}

const escape = /\\u[0-9a-f]{4}|\\["\\/bfnrt]|%[0-9a-f]{2}/iy;

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
  if (text.startsWith("%")) return Number.parseInt(text.slice(1), 16);
  // JSON has no upper-case short escapes.
  return (JSON.parse(`"${text.toLowerCase()}"`) as string).charCodeAt(0);
}
