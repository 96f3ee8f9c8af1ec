import { areAlike, normalized, quotedPair } from "./text.ts";

/** Names of HTML entities that are one letter and one accent: `eacute`. */
const accents: Readonly<Record<string, string>> = {
  acute: "\u0301",
  caron: "\u030c",
  cedil: "\u0327",
  circ: "\u0302",
  grave: "\u0300",
  ring: "\u030a",
  tilde: "\u0303",
  uml: "\u0308",
};

/** Other HTML entities that services write into names, each followed by its character. */
const entities: ReadonlyMap<string, string> = new Map(
  [
    `amp& lt< gt> quot" apos' nbsp\u00a0 shy\u00ad szligß aeligæ AEligÆ oeligœ OEligŒ oslashø OslashØ`,
    "ethð ETHÐ thornþ THORNÞ iexcl¡ iquest¿ ordfª ordmº ndash– mdash— lsquo‘ rsquo’ ldquo“ rdquo”",
    "bdquo„ laquo« raquo» hellip… bull• middot· deg° euro€ pound£ yen¥ cent¢ copy© reg® trade™ sect§",
  ].flatMap((line) => line.split(" ").map((word) => [word.slice(0, -1), word.slice(-1)] as const)),
);

function entity(text: string, name: string): string {
  const [, x, digits] = /^#(x?)([\da-f]{1,6})$/i.exec(name) ?? [];
  if (digits !== undefined) {
    const code = Number.parseInt(digits, x === "" ? 10 : 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : text;
  }
  const accent = accents[name.slice(1)];
  return entities.get(name) ?? (accent === undefined ? text : `${name[0]}${accent}`);
}

/** Decodes HTML entities. A service that encodes a name on each write encodes its entities, too. */
function withoutEntities(name: string): string {
  let text = name;
  for (let times = 0; times < 3 && text.includes("&"); times += 1) {
    text = text.replace(/&(#x?[\da-f]{1,6}|\w{2,8});/gi, entity);
  }
  return text;
}

/**
 * Returns the form in which names that are the same for people are equal ("Remote behaviour" of the command-line
 * contract): decomposed or composed letters, upper or lower case as Unicode folds it, white space, HTML entities.
 */
export function peopleForm(name: string): string {
  // Most names, of which a list may have a million.
  if (/^[!-%'-~]+(?: [!-%'-~]+)*$/.test(name)) return name.toUpperCase();
  const plain = normalized(withoutEntities(name), "NFC").trim().replaceAll(/\s+/g, " ");
  // Lower case first: the capital ẞ is SS only in that way. Case folding itself is not part of the language.
  return normalized(plain.toLowerCase().toUpperCase(), "NFC");
}

/** Returns whether people would take two names for one. */
export function areSameForPeople(name: string, found: unknown): boolean {
  return typeof found === "string" && peopleForm(name) === peopleForm(found);
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

/** Returns the error for a record whose name the service stored in place of the one that was sent. */
export const storedAs = aboutNames(
  (noun, wanted, stored) => `the service stored the ${noun} ${wanted} as ${stored}`,
);

/**
 * Returns whether a service may have stored a new record under a name: as sent, the same for people, cut off, or without
 * the characters that it does not know. Any other name is that of another record.
 */
export function mayBeStoredAs(name: string, stored: unknown): boolean {
  if (typeof stored !== "string") return true;
  const [sent, found] = [peopleForm(name), peopleForm(stored)];
  if (found !== "" && (areAlike(sent, found) || sent.startsWith(found))) return true;
  if (lettersOf(found) !== "" && lettersOf(sent) === lettersOf(found)) return true;
  return /[?\ufffd]/.test(found) && asciiOf(sent) === asciiOf(found);
}

/** Returns the letters and digits of a text. */
function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Returns a text without what a service may replace by question marks, and without those. */
function asciiOf(text: string): string {
  return text.replaceAll(/[^!-~]|\?/gu, "");
}
