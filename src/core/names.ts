import { normalized, quotedPair } from "./text.ts";

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#039;": "'",
  "&apos;": "'",
};

/**
 * Returns a key that two names share if a person would take them for the same: composed letters,
 * folded case, trimmed and folded white space, and HTML's five entities decoded.
 */
export function comparisonKey(name: string): string {
  // Most names, of which a list may have a million.
  if (/^[!-%'-~]+(?: [!-%'-~]+)*$/.test(name)) return name.toUpperCase();
  const decoded = name.replaceAll(
    /&(?:amp|lt|gt|quot|apos|#0?39);/gi,
    (entity) => entities[entity.toLowerCase()]!,
  );
  const plain = normalized(decoded, "NFC").trim().replaceAll(/\s+/g, " ");
  // Lower case first, or the capital ẞ does not become SS. The language lacks case folding.
  return normalized(plain.toLowerCase().toUpperCase(), "NFC");
}

/** Returns whether people would take two names for one. */
export function sameName(name: string, found: unknown): boolean {
  return typeof found === "string" && comparisonKey(name) === comparisonKey(found);
}

/** Creates errors about a name and that of a service. @param say returns what happened */
function aboutNames(say: (noun: string, wanted: string, stored: string) => string) {
  return (noun: string, name: string, existing: string, id = "unknown") => {
    const [wanted, stored] = quotedPair(name, existing);
    const message = `${say(noun, wanted, stored)} (id ${id})`;
    return { message, hint: `write it as the service stores it: ${stored}` };
  };
}

/** Returns the error for a name that people take for that of another, existing record. */
export const sameForPeople = aboutNames(
  (noun, wanted, stored) => `the ${noun} ${wanted} reads the same as the existing ${stored}`,
);

/** Returns the error for a record that the service returned for another name. */
export const otherName = aboutNames(
  (noun, wanted, stored) => `for the ${noun} ${wanted} the service returned ${stored}`,
);

/**
 * Returns whether a service may treat two names as equal, as databases do whose comparisons ignore
 * case, accents or outer white space.
 */
export function areAlike(name: string, found: unknown): boolean {
  return typeof found === "string" && folded(name) === folded(found);
}

function folded(name: string): string {
  return normalized(name, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
