/** Length of the end of a key that counts as the key: 144 random bits of one that `local key create` made. */
const endLength = 24;

/** The format of keys created by `local key create`. */
const keyForm = /sk_[\w-]{43}/;

/** Words that may be a key of 16 characters or more, or the end of one, in base64 or in hexadecimal. */
const base64Words = /[\w+/-]{22,}/g;
const hexWords = /[0-9a-f]{32,}/gi;

/** How often a text may be percent-encoded. */
const maxLevels = 3;

/**
 * Returns whether a text may contain a key: as it is, without its first characters, percent-encoded up to three times,
 * in base64, or in hexadecimal.
 *
 * @param key the key of the request, if any
 */
export function mayContainKey(text: string, key: string | undefined): boolean {
  const end = key?.slice(-endLength);
  if (text.length < (end?.length ?? endLength)) return false;
  const isIn = (part: string): boolean =>
    (end !== undefined && part.includes(end)) || keyForm.test(part);
  let plain = text;
  for (let level = 0; level < maxLevels && plain.includes("%"); level += 1) {
    // A key is ASCII, so other escapes, and malformed ones, cannot be part of it.
    plain = plain.replace(/%([2-7][0-9a-f])/gi, (_, code: string) => decoded(code, 0, "hex"));
  }
  if (isIn(plain)) return true;
  // The key may begin anywhere in the word: four characters of base64 are three bytes.
  const isInBase64 = (word: string): boolean =>
    [0, 1, 2, 3].some((start) => isIn(decoded(word, start, "base64")));
  const isInHex = (word: string): boolean =>
    [0, 1].some((start) => isIn(decoded(word, start, "hex")));
  return (
    (plain.match(base64Words)?.some(isInBase64) ?? false) ||
    (plain.match(hexWords)?.some(isInHex) ?? false)
  );
}

function decoded(word: string, start: number, encoding: "base64" | "hex"): string {
  return Buffer.from(word.slice(start), encoding).toString("latin1");
}
