/** Returns text as it stands inside the single quotes of a POSIX shell: they keep everything but themselves. */
export function insideSingleQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

/** Returns text in single quotes. */
export function shellQuoted(text: string): string {
  return `'${insideSingleQuotes(text)}'`;
}

/** Returns a word as a POSIX shell reads it: as it is, or in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@+:,./-][\w@%+=:,./-]*$/.test(word) ? word : shellQuoted(word);
}
