/**
 * Control characters, for a class of a regular expression: what Unicode calls Cc. V8 takes 0.2 ms for `\p{Cc}`, because
 * it looks up every character.
 */
export const controlCharacters = String.raw`\0-\x1f\x7f-\x9f`;

/** Matches a control character. */
export const control = new RegExp(`[${controlCharacters}]`);
