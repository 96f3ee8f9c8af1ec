/** Replaces line ends, with the white space around them. A pattern that begins with `\s*` would take quadratic time. */
export function joinLines(text: string, separator: string): string {
  return text.replace(/\s+/g, (space) => (/[\r\n]/.test(space) ? separator : space));
}
