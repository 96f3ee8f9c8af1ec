/**
 * Returns whether a service may take two names for one, as databases do that compare them without case, accents
 * or outer white space.
 */
export function areAlike(name: string, other: unknown): boolean {
  return typeof other === "string" && folded(name) === folded(other);
}

function folded(name: string): string {
  return name.normalize("NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
