/** The last characters of a key, to know it by; a short one would be half told by them. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}
