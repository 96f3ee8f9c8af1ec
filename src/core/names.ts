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
 * Returns a key that two names share if a person would take them for the same: composed letters, case folded, without outer
 * white space, inner white space folded, and HTML's five entities decoded.
 */
export function comparisonKey(name: string): string {
  // Most names, of which a list may have a million.
  if (/^[!-%'-~]+(?: [!-%'-~]+)*$/.test(name)) return name.toUpperCase();
  const decoded = name.replaceAll(
    /&(?:amp|lt|gt|quot|apos|#0?39);/gi,
    (entity) => entities[entity.toLowerCase()]!,
  );
  const plain = normalized(decoded, "NFC").trim().replaceAll(/\s+/g, " ");
  // Lower case first: the capital ẞ is SS only in that way. Case folding itself is not part of the language.
  return normalized(plain.toLowerCase().toUpperCase(), "NFC");
}

/** Returns whether people would take two names for one. */
export function sameName(name: string, found: unknown): boolean {
  return typeof found === "string" && comparisonKey(name) === comparisonKey(found);
}

/** Creates errors about a name and the one that a service has for it. @param say returns what happened */
function aboutNames(say: (noun: string, wanted: string, stored: string) => string) {
  return (noun: string, name: string, existing: string, id = "unknown") => {
    const [wanted, stored] = quotedPair(name, existing);
    const message = `${say(noun, wanted, stored)} (id ${id})`;
    return { message, hint: `write it as the service stores it: ${stored}` };
  };
}

/** Returns the error for a name that is the same for people as that of an existing record, which is another one. */
export const sameForPeople = aboutNames(
  (noun, wanted, stored) =>
    `the ${noun} ${wanted} is the same for people as the existing ${stored}`,
);

/** Returns the error for a record that the service returned for another name. */
export const otherName = aboutNames(
  (noun, wanted, stored) => `for the ${noun} ${wanted} the service returned ${stored}`,
);

/**
 * Returns whether a service may treat two names as equal, as databases do whose comparisons ignore case, accents
 * or outer white space.
 */
export function areAlike(name: string, found: unknown): boolean {
  return typeof found === "string" && folded(name) === folded(found);
}

function folded(name: string): string {
  return normalized(name, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();
}
