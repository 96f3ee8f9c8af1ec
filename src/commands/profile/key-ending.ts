/** Returns the last characters of a key, which identify it; none of a short key, which they would half reveal. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}
