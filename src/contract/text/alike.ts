/**
 * Returns whether a service may treat two names as equal, as databases do whose comparisons ignore case, accents
 * or outer white space.
 */
export function areAlike(name: string, other: unknown): boolean {
  return typeof other === "string" && folded(name) === folded(other);
}

function folded(name: string): string {
  return name.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
