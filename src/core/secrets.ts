import { readJson, stringEnd } from "./json-text.ts";

/** Texts that must never be shown, and functions that replace them. */
export type Secrets = ReturnType<typeof createSecrets>;

/** Minimum length of a long secret in UTF-16 units. Shorter ones occur in other texts by chance. */
const minLongLength = 8;

/** Replacements for secrets. The first one that contains no secret is used. */
const marks = ["[hidden]", "[removed]", "******"];

/**
 * Creates the functions that hide secrets: as they are, as JSON escapes them, percent-encoded, or
 * with HTML's entities, whole or, from 8 characters on, wrapped over lines. A text with an encoded
 * secret is shown decoded.
 *
 * @param given the first secrets, however short they are
 */
export function createSecrets(given: readonly (string | undefined)[] = []) {
  const secrets: string[] = [];
  let mark = "";
  let patterns: ReturnType<typeof patternsOf> | undefined;

  const addKey = (key = ""): void => {
    if (key === "" || secrets.includes(key)) return;
    secrets.push(key);
    mark = marks.find((free) => secrets.every((secret) => !free.includes(secret))) ?? "";
    patterns = undefined;
  };
  for (const key of given) addKey(key);

  /** Returns whether a text may have a secret. Most texts have none, and this search is fast. */
  const mayBeIn = (text: string): boolean =>
    secrets.length > 0 &&
    (mayBeEncoded.test(text) || secrets.some((secret) => text.includes(secret)));
  /** Hides secrets as they are, whole or wrapped over lines. */
  const hidePlain = (text: string): string => {
    patterns ??= patternsOf(secrets);
    const shown = text.replace(patterns.all, mark);
    const joined = joinedLines(shown);
    const hidden = joined.replace(patterns.long, mark);
    return hidden === joined ? shown : hidden;
  };
  const hide = (text: string): string => {
    if (!mayBeIn(text)) return text;
    const shown = hidePlain(text);
    for (const [sign, escapes, decoded] of encodings) {
      if (!shown.includes(sign)) continue;
      const plain = joinedLines(shown).replace(escapes, decoded);
      const hidden = hidePlain(plain);
      // Another secret in it may be encoded twice.
      if (hidden !== plain) return hide(hidden);
    }
    return shown;
  };
  const isIn = (text: string): boolean =>
    mayBeIn(text) &&
    [text, text.replace(jsonEscapes, unescaped)].some((form) => hide(form) !== form);
  const hideNumbers = (text: string): string =>
    text.replace(/-?\d[\d.eE+-]*/g, (digits) => (isIn(digits) ? JSON.stringify(mark) : digits));
  const hideJson = (json: string): string => {
    if (!isIn(json)) return json;
    let shown = "";
    let at = 0;
    for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', at)) {
      const end = stringEnd(json, start);
      const token = json.slice(start, end);
      const text = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
      const hidden = hide(text);
      shown +=
        hideNumbers(json.slice(at, start)) + (hidden === text ? token : JSON.stringify(hidden));
      at = end;
    }
    return shown + hideNumbers(json.slice(at));
  };
  const hideValue = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hideValue);
    if (!isPlain(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, field]) => [hide(name), hideValue(field)]));
  };
  return {
    /** Adds a text to hide, unless it is shorter than 8 characters. */
    add: (secret: string | undefined = ""): void => {
      if (secret.length >= minLongLength) addKey(secret);
    },
    /** Adds the key in use, however short it is, because the service can return it. */
    addKey,
    hide,
    /** Hides secrets in strings and numbers of JSON or JSON Lines, which stay valid. */
    hideJson,
    /** Hides secrets in a text that may be JSON. */
    hideReply: (text: string): string => {
      if (!mayBeIn(text)) return text;
      return readJson(text) === undefined ? hide(text) : hideJson(text);
    },
    /** Hides secrets in all texts of a value, including field names. Numbers are not hidden. */
    hideValue: <Value>(value: Value): Value =>
      secrets.length === 0 ? value : (hideValue(value) as Value),
    /** Returns whether a secret occurs in a text, which may be JSON. */
    isIn,
    isEmpty: (): boolean => secrets.length === 0,
  };
}

/** Returns whether a value is a plain object, not an instance of a class. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Every text with a secret that is not as it is has one of these. */
const mayBeEncoded = /[\\%&\n]/;

/** In UTF-16 units. Shorter secrets, which occur in almost any text, match only as whole words. */
const minPartLength = 4;

/** Returns regular expressions for all secrets, and for those that are looked for over lines. */
function patternsOf(secrets: readonly string[]) {
  const long = secrets.filter(({ length }) => length >= minLongLength);
  return { all: patternOf(secrets), long: patternOf(long) };
}

function patternOf(secrets: readonly string[]): RegExp {
  const exact = secrets.map((secret) => {
    const escaped = secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    return secret.length < minPartLength ? `(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])` : escaped;
  });
  return exact.length === 0 ? /(?!)/g : new RegExp(exact.join("|"), "g");
}

function joinedLines(text: string): string {
  return text.replaceAll(/\r?\n[ \t]*/g, "");
}

const jsonEscapes = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/g;

function unescaped(escape: string): string {
  return JSON.parse(`"${escape}"`) as string;
}

/** How texts are encoded: a character of each that is, what to decode, and how. */
const encodings: readonly (readonly [string, RegExp, (escape: string) => string])[] = [
  ["\\", jsonEscapes, unescaped],
  [
    "%",
    /(?:%[0-9a-fA-F]{2})+/g,
    (escape) => Buffer.from(escape.replaceAll("%", ""), "hex").toString(),
  ],
  [
    "&",
    /&(?:#0*[0-9]{1,6}|#[xX]0*[0-9a-fA-F]{1,5}|amp|lt|gt|quot|apos|sol|equals|plus|lowbar);/g,
    (escape) => entities.get(escape) ?? String.fromCodePoint(Number(`0${escape.slice(2, -1)}`)),
  ],
];

/** The entities of HTML with a name that an escaped text has. */
const entities: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&sol;", "/"],
  ["&equals;", "="],
  ["&plus;", "+"],
  ["&lowbar;", "_"],
]);
