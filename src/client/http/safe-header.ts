import type { HttpResponse } from "./attempt.ts";

/** Length of the longest part of a key that a header may contain by chance, in UTF-16 units. */
const maxShared = 7;

/** Returns whether a text shares a part with the key that is too long for chance. */
export function hasPartOf(key: string | undefined, text: string): boolean {
  const length = maxShared + 1;
  if (key === undefined || key.length < length) return false;
  for (let start = 0; start + length <= text.length; start += 1) {
    if (key.includes(text.slice(start, start + length))) return true;
  }
  return false;
}

/** Returns a token that a response has in a header. One with the key, or with a part of it, gets into no URL and no message. */
export function tokenIn(
  { headers }: Pick<HttpResponse, "headers">,
  name: string,
  form: RegExp,
  key: string | undefined,
  hide: (text: string) => string = (text) => text,
): string | undefined {
  const sent = headers[name.toLowerCase()];
  if (typeof sent !== "string" || !form.test(sent) || hide(sent) !== sent) return undefined;
  // A short key is not hidden in other text.
  const isInside = key !== undefined && key !== "" && sent.includes(key);
  return isInside || hasPartOf(key, sent) ? undefined : sent;
}
