import type { CST } from "yaml";

/** A quote or bracket that is never closed, and its offset in the text. */
export interface Unclosed {
  readonly offset: number;
  readonly message: string;
}

const quotes = new Map([
  ["double-quoted-scalar", '"'],
  ["single-quoted-scalar", "'"],
]);

/**
 * Returns the innermost unclosed quote or bracket of a document. It causes the errors that yaml reports at the end of
 * the text for every bracket around it.
 */
export function unclosedIn(token: CST.Token | null | undefined): Unclosed | undefined {
  if (token === null || token === undefined) return undefined;
  if (token.type === "document") return unclosedIn(token.value);
  if ("items" in token) {
    for (const { key, value } of token.items) {
      const inner = unclosedIn(key) ?? unclosedIn(value);
      if (inner !== undefined) return inner;
    }
    return token.type === "flow-collection" ? unclosedBracket(token) : undefined;
  }
  const quote = quotes.get(token.type);
  if (quote === undefined || !("source" in token)) return undefined;
  const { source, offset } = token;
  if (source.length > 1 && source.endsWith(quote)) return undefined;
  return { offset, message: `unclosed quote: ${quote}` };
}

function unclosedBracket({ start, end }: CST.FlowCollection): Unclosed | undefined {
  const closing = start.source === "{" ? "}" : "]";
  if (end.some(({ source }) => source === closing)) return undefined;
  return { offset: start.offset, message: `unclosed bracket: ${start.source}` };
}
