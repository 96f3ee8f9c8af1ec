/** Returns the banned phrases of a text, each with its offset. */
export function phrasesIn(
  text: string,
): { readonly phrase: string; readonly instead: string; readonly offset: number }[];
