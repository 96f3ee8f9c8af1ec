/**
 * Cursors of lists: where a page ended, as a text that only the engine understands. They select records of the caller's
 * integration only, whatever they contain. The check excludes cursors of other lists and integrations, and damaged ones.
 */

const form = /^([0-9a-z]{1,11})-[0-9a-z]{1,14}$/;

/** Returns the cursor of a page. @param list the list and its integration @param id the last id of the page */
export function cursorAfter(list: string, id: number): string {
  return `${id.toString(36)}-${checkOf(`${list} ${id}`)}`;
}

/** Returns the id that a page ended with; undefined if the text is not a cursor of this list. */
export function idBefore(list: string, cursor: unknown): number | undefined {
  const digits = typeof cursor === "string" ? form.exec(cursor)?.[1] : undefined;
  const id = digits === undefined ? Number.NaN : Number.parseInt(digits, 36);
  return Number.isSafeInteger(id) && cursorAfter(list, id) === cursor ? id : undefined;
}

/** Returns a checksum: FNV-1a with 32 bits, twice. It prevents accidents, not forgery, which gains nothing. */
function checkOf(text: string): string {
  const half = (begin: number): string => {
    let hash = begin;
    for (let at = 0; at < text.length; at += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    return (hash >>> 0).toString(36);
  };
  return half(0x811c9dc5) + half(0x9747b28c);
}
