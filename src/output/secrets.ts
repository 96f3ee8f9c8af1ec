import { readJson, stringEnd } from "../core/json-text.ts";

/** Texts that must never be shown, and functions that replace them. */
export type Secrets = ReturnType<typeof createSecrets>;

/** Minimum length of a long secret in UTF-16 units. Shorter ones occur in other texts by chance. */
const minLongLength = 8;

/** Replacements for secrets. The first one that contains no secret is used. */
const marks = ["[hidden]", "[removed]", "******"];

export function createSecrets() {
  const secrets: Secret[] = [];
  let mark = marks[0]!;
  let all = hidingOf(secrets, mark);

  const addKey = (key = ""): void => {
    if (key === "" || secrets.some(({ text }) => text === key)) return;
    secrets.push(createSecret(key));
    const isFree = (free: string): boolean => secrets.every(({ text }) => !free.includes(text));
    mark = marks.find(isFree) ?? "";
    all = hidingOf(secrets, mark);
  };
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
    hide: (text: string): string => all.hide(text),
    /** Hides secrets in JSON or JSON Lines, which stay valid. */
    hideJson: (json: string): string => hideInJson(json, all, mark),
    /** Hides secrets in a text that may be JSON. */
    hideReply: (text: string): string => hideInText(text, all, mark),
    /** Hides secrets in all texts of a value, including field names. Numbers are not hidden. */
    hideValue: <Value>(value: Value): Value =>
      secrets.length === 0 ? value : (hideValue(value) as Value),
    /** Returns whether a secret occurs in a text. */
    isIn: (text: string): boolean => secrets.length > 0 && all.isIn(text),
    isEmpty: (): boolean => secrets.length === 0,
  };
}

/** Returns whether a value is a plain object. Instances of classes, such as lossless numbers, are not changed. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What finds and hides some of the secrets. */
type Hiding = ReturnType<typeof hidingOf>;

/**
 * Returns what finds and hides secrets, also with JSON escapes or percent-encoded: text and secrets are decoded alike and
 * compared after each decoding. A word with an escaped secret is hidden as a whole, and the text if that is not enough.
 */
function hidingOf(secrets: readonly Secret[], mark: string) {
  const pattern = new RegExp(secrets.flatMap(({ forms }) => forms.map(patternOf)).join("|"), "g");
  const isIn = (text: string): boolean => {
    if (!mayBeIn(text, secrets)) return false;
    for (const decoded of decodings(text)) if (decoded.search(pattern) >= 0) return true;
    return false;
  };
  const hide = (text: string): string => {
    if (!isIn(text)) return text;
    const plain = text.replaceAll(pattern, mark);
    const words = plain.replaceAll(/[\w%\\/+=-]+/g, (word) => (isIn(word) ? mark : word));
    return isIn(words) ? mark : words;
  };
  return { isIn, hide };
}

/** Removes secrets from any text, JSON or not. In HTML, for example, quotes do not delimit strings. */
function hideInText(text: string, hiding: Hiding, mark: string): string {
  if (!hiding.isIn(text)) return text;
  return readJson(text) === undefined ? hiding.hide(text) : hideInJson(text, hiding, mark);
}

/**
 * Removes secrets from the strings and numbers of JSON or JSON Lines. They stay valid, and other strings unchanged.
 *
 * @param mark replaces a number
 */
function hideInJson(json: string, { isIn, hide }: Hiding, mark: string): string {
  if (!isIn(json)) return json;
  const hideNumbers = (text: string): string =>
    text.replace(/-?\d[\d.eE+-]*/g, (digits) => (isIn(digits) ? JSON.stringify(mark) : digits));
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
type Secret = ReturnType<typeof createSecret>;

function createSecret(text: string) {
  const decoded = [...decodings(text)].filter(Boolean);
  const bytes = decoded.map((form) => Buffer.from(form).toString("latin1"));
  const runs = /[\\%]/.test(text) ? [] : (text.match(/[A-Za-z0-9]+/g) ?? []);
  const letters = runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
  return {
    text,
    /** The text after each decoding, also as a URL has it. */
    forms: [...new Set([...decoded, ...bytes])],
    /** Letters and digits that every text with it has, escaped or not; "" if there are none. */
    letters,
  };
}

/** Escapes of letters and digits, and of the backslash and percent sign that begin other escapes. */
const letterEscape = /(?:\\u00|%)(?:[4-7][0-9a-f]|3[0-9]|25)/i;

/** In UTF-16 units. Shorter secrets match only as a whole word, because they occur in almost any text. */
const minPartLength = 4;

/** Returns a regular expression that matches a form of a secret. */
function patternOf(form: string): string {
  const exact = form.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return form.length < minPartLength ? `(?<![0-9A-Za-z])${exact}(?![0-9A-Za-z])` : exact;
}

/** Returns whether a secret may be in a text. Decoding the text takes a hundred times as long as this search. */
function mayBeIn(text: string, secrets: readonly Secret[]): boolean {
  if (secrets.length > 0 && letterEscape.test(text)) return true;
  return secrets.some(({ letters }) => text.includes(letters));
}

/** Maximum number of times that a text is decoded: JSON in JSON, or a percent-encoded percent sign. */
const maxRounds = 4;

/** Yields a text, and what it is after each decoding of its escapes. Bytes of a URL become characters of Latin-1. */
function* decodings(original: string): Generator<string> {
  let text: string | undefined;
  let next = original;
  for (let round = 0; next !== text && round <= maxRounds; round += 1) {
    text = next;
    yield text;
    next = text.replaceAll(escape, decoded);
  }
}

const escape = /\\u[0-9a-f]{4}|\\["\\/bfnrt]|%[0-9a-f]{2}/gi;

/** Returns the character that an escape means. */
function decoded(text: string): string {
  if (text.startsWith("%")) return String.fromCharCode(Number.parseInt(text.slice(1), 16));
  // JSON has no upper-case short escapes.
  return JSON.parse(`"${text.toLowerCase()}"`) as string;
}
