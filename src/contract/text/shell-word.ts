/** Escapes text for the inside of single quotes in a POSIX shell, where only the quote itself is special. */
export function insideSingleQuotes(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}

/** Returns text in single quotes. */
export function shellQuoted(text: string): string {
  return `'${insideSingleQuotes(text)}'`;
}

/** Returns a word of a POSIX shell command line, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@+:,./-][\w@%+=:,./-]*$/.test(word) ? word : shellQuoted(word);
}
