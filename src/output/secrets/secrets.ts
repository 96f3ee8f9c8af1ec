import { createSecret, type Secret } from "./secret.ts";
import { readJson } from "../../core/foreign-json.ts";
import { stringEnd } from "../../core/json-text.ts";

/** Texts that must never be shown, and functions that replace them. */
export interface Secrets {
  /** Adds a text to hide, unless it is shorter than 8 characters. */
  readonly add: (secret: string | undefined) => void;
  /** Adds the key in use, however short it is, because the service can return it. */
  readonly addKey: (key: string | undefined) => void;
  readonly hide: (text: string) => string;
  /** Hides secrets in JSON or JSON Lines, which stay valid. */
  readonly hideJson: (json: string) => string;
  /** Hides secrets in a text that may be JSON. */
  readonly hideReply: (text: string) => string;
  /**
   * Hides long secrets in a response before it is parsed. Short ones are hidden only in output, because they can occur
   * in a record by chance, and commands work with the records.
   */
  readonly hideBody: (body: string) => string;
  /** Hides secrets in all texts of a value, including field names. Numbers are not hidden. */
  readonly hideValue: <Value>(value: Value) => Value;
  readonly isIn: (text: string) => boolean;
  readonly isEmpty: () => boolean;
}

/** Minimum length of a long secret in UTF-16 units. Shorter ones occur in other texts by chance. */
const minLongLength = 8;

/** Replacements for secrets. The first one that contains no secret is used. */
const marks = ["[hidden]", "[removed]", "******"];

export function createSecrets(): Secrets {
  const secrets = new Map<string, Secret>();
  const longSecrets = new Map<string, Secret>();
  let mark = marks[0]!;
  /** The last text without secrets, cached because responses are searched twice: on arrival and when printed. */
  let clean = "";

  const addKey = (text = ""): void => {
    if (text === "" || secrets.has(text)) return;
    const secret = createSecret(text);
    secrets.set(text, secret);
    clean = "";
    if (text.length >= minLongLength) longSecrets.set(text, secret);
    const isFree = (one: string): boolean => [...secrets.keys()].every((key) => !one.includes(key));
    mark = marks.find(isFree) ?? "";
  };
  const hidingOf = (some: ReadonlyMap<string, Secret>): Hiding => ({
    isIn: (text) => {
      if (text === clean) return false;
      for (const secret of some.values()) if (secret.isIn(text)) return true;
      if (some.size === secrets.size) clean = text;
      return false;
    },
    hide: (text) => {
      let shown = text;
      for (const secret of some.values()) {
        if (secret.isIn(shown)) shown = secret.replace(shown, mark);
      }
      return shown;
    },
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
    add: (secret = "") => {
      if (secret.length >= minLongLength) addKey(secret);
    },
    addKey,
    hide: all.hide,
    hideJson: (json) => (secrets.size === 0 ? json : hideInJson(json, all)),
    hideReply: (text) => (secrets.size === 0 ? text : hideInText(text, all)),
    hideBody: (body) => (longSecrets.size === 0 ? body : hideInText(body, ofBodies)),
    hideValue: <Value>(value: Value) => (secrets.size === 0 ? value : (hideValue(value) as Value)),
    isIn: all.isIn,
    isEmpty: () => secrets.size === 0,
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

/** Removes secrets from the strings and numbers of JSON or JSON Lines. They stay valid, and other strings unchanged. */
function hideInJson(json: string, hiding: Hiding): string {
  if (!hiding.isIn(json)) return json;
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start < 0) break;
    const end = stringEnd(json, start);
    parts.push(hiddenNumbers(json.slice(at, start), hiding));
    parts.push(hiddenString(json.slice(start, end), hiding));
    at = end;
  }
  parts.push(hiddenNumbers(json.slice(at), hiding));
  return parts.join("");
}

/** Removes secrets from any text, JSON or not. In HTML, for example, quotes do not delimit strings. */
function hideInText(text: string, hiding: Hiding): string {
  if (!hiding.isIn(text)) return text;
  return readJson(text) === undefined ? hiding.hide(text) : hideInJson(text, hiding);
}

function hiddenString(token: string, { hide }: Hiding): string {
  const text = JSON.parse(token) as string;
  const shown = hide(text);
  return shown === text ? token : JSON.stringify(shown);
}

function hiddenNumbers(text: string, { isIn, hideNumber }: Hiding): string {
  if (hideNumber === undefined) return text;
  return text.replace(/-?\d[\d.eE+-]*/g, (number) => (isIn(number) ? hideNumber() : number));
}
