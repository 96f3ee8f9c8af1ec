import { escapePattern, keyPattern, partsOf } from "./key-pattern.ts";

/** A text that must never be shown. */
export interface Secret {
  readonly isIn: (text: string) => boolean;
  readonly replace: (text: string, mark: string) => string;
}

/** In UTF-16 units. Shorter secrets match only as a whole word, because they occur in almost any text. */
const minPartLength = 4;

/** In UTF-16 units. Shorter secrets are not searched in base64, where they occur by chance. */
const minBase64Length = 8;

/**
 * Creates the search for a secret in all forms in which a service may return it.
 *
 * Most texts are searched only for the plain secret and its base64 forms. The slower pattern of all other forms is
 * created and used only for texts with an escape that may belong to one.
 */
export function createSecret(secret: string): Secret {
  const isWord = secret.length < minPartLength;
  const plain = [secret, ...base64Forms(secret)];
  // Quotes can be doubled without an escape.
  const escape = /['"]/.test(secret) ? /(?:)/ : escapePattern(secret);
  let created: readonly RegExp[] | undefined;
  const patterns = (): readonly RegExp[] =>
    (created ??= partsOf(secret).map((part) => keyPattern(part, isWord)));
  const mayBeEncoded = (text: string): boolean => escape.test(text);
  const isEncodedIn = (text: string): boolean =>
    patterns().some((pattern) => text.search(pattern) >= 0);

  return {
    isIn: (text) => {
      const isPlain = plain.some((form) => text.includes(form));
      if (isPlain && !isWord) return true;
      return (isPlain || mayBeEncoded(text)) && isEncodedIn(text);
    },
    replace: (text, mark) => {
      let shown = text;
      for (const pattern of patterns()) shown = shown.replace(pattern, () => mark);
      for (const form of plain.slice(1)) shown = shown.replaceAll(form, () => mark);
      return shown;
    },
  };
}

/**
 * Returns the base64 forms of a secret at any offset of a longer text, in the alphabets of MIME and URLs, without the
 * characters that depend on adjacent bytes.
 */
function base64Forms(secret: string): string[] {
  if (secret.length < minBase64Length) return [];
  const forms = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
  });
  const ofUrls = forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([...forms, ...ofUrls])];
}
