/** Removes the slashes at the end of a text. The pattern `\/+$` would take quadratic time. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
