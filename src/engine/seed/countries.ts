import words from "./words.json";

/** The country of a seeded group's contacts, with its phone prefixes, cities and names. */
export interface Country {
  /** The country's calling code. */
  readonly code: string;
  /** Mobile prefixes after the calling code, ascending and of equal length. */
  readonly prefixes: readonly string[];
  /** Number of digits after the prefix. Any digits are valid. */
  readonly digits: number;
  readonly cities: readonly string[];
  readonly firstNames: readonly string[];
  readonly birthdayMessage: string;
}

/** The countries of `words.json`, whose lists without spaces in their items are written as one string. */
export const countries: readonly Country[] = words.countries.map((country) => ({
  ...country,
  prefixes: country.prefixes.split(" "),
  firstNames: country.firstNames.split(" "),
}));
