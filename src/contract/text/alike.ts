/**
 * Returns whether a service may treat two names as equal, as databases do whose comparisons ignore case, accents
 * or outer white space.
 */
export function areAlike(name: string, other: unknown): boolean {
  return typeof other === "string" && folded(name) === folded(other);
}

function folded(name: string): string {
  return normalized(name, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}

/** More marks on one letter than any language writes. Sorting them takes time that grows with their square. */
const manyMarks = /\p{M}{31}/u;

/** Returns a text in a Unicode normalization form, or unchanged if a letter has more than 30 marks. */
export function normalized(text: string, form: "NFC" | "NFKD"): string {
  return manyMarks.test(text) ? text : text.normalize(form);
}
