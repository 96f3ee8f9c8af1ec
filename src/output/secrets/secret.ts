import { escapePattern, keyPattern, partsOf } from "./key-pattern.ts";

/** One text that must never be shown. */
export interface Secret {
  readonly isIn: (text: string) => boolean;
  readonly replace: (text: string, mark: string) => string;
}

/** In characters. What is shorter counts only as a word: two letters are part of almost any other. */
const minPartLength = 4;

/** In characters. A shorter secret in base64 would be a part of other base64 by chance. */
const minBase64Length = 8;

/**
 * Makes the search for a secret in text, in any form that a service may send it back in.
 *
 * Most texts are searched for the plain secret and for base64 alone: the pattern of all other forms takes longer,
 * and is made and tried only where a text has an escape that may belong to one.
 */
export function createSecret(secret: string): Secret {
  const isWord = secret.length < minPartLength;
  const plain = [secret, ...base64Forms(secret)];
  // A quote may be doubled, which takes no escape.
  const escape = /['"]/.test(secret) ? /(?:)/ : escapePattern(secret);
  let made: readonly RegExp[] | undefined;
  const patterns = (): readonly RegExp[] =>
    (made ??= partsOf(secret).map((part) => keyPattern(part, isWord)));
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
 * Returns what base64 makes of a secret wherever it stands in a longer text, in the alphabets of MIME and of URLs.
 * Characters that depend on what is next to the secret are left out.
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
