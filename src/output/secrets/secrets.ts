import { hideInJson, hideInText, type Hiding } from "./hide-in-json.ts";
import { createSecret, type Secret } from "./secret.ts";

/** Text that must never be shown, and what is shown in its place. */
export interface Secrets {
  /** Hides a text from now on, unless it is shorter than 8 characters. */
  readonly add: (secret: string | undefined) => void;
  /** Hides the key in use from now on, however short it is: the service can send it back. */
  readonly addKey: (key: string | undefined) => void;
  readonly hide: (text: string) => string;
  /** Hides secrets in JSON or lines of JSON, which still are that then. */
  readonly hideJson: (json: string) => string;
  /** Hides secrets in a text that may be JSON. */
  readonly hideReply: (text: string) => string;
  /**
   * Hides long secrets in a response before it is read. Short ones are hidden when it is printed, because a short
   * text in a record may be the same by chance, and commands work with these records.
   */
  readonly hideBody: (body: string) => string;
  /** Hides secrets in every text of a value, names of fields included; numbers stay. */
  readonly hideValue: <Value>(value: Value) => Value;
  readonly isIn: (text: string) => boolean;
}

/** In characters: what is shorter may be a word of any text. */
const minLongLength = 8;

/** What stands in place of a secret: the first that holds none. */
const marks = ["[hidden]", "[removed]", "******"];

export function createSecrets(): Secrets {
  const secrets = new Map<string, Secret>();
  const longSecrets = new Map<string, Secret>();
  let mark = marks[0]!;
  /** The last text that was searched in vain: a response is searched when it comes, and when it is printed. */
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
  };
}

/** Records and their parts; what has a class of its own, such as a number with all of its digits, is kept. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
