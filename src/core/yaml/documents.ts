import { Composer, CST, Lexer, Parser, visit, type Alias, type Node } from "yaml";

/**
 * Limits that bound the time and memory to read YAML. Measured with yaml 2.9 on Node 20: a manifest of groups takes
 * 0.5 s and 60 MiB of memory per MiB; a hostile file takes 4 µs and 500 bytes per token.
 */

/** Maximum number of tokens in one file. Every word, indicator, space and line end is a token. */
const tokenLimit = 2_500_000;

/** Maximum nesting of collections and scalars; a manifest needs seven levels. */
const depthLimit = 32;

/** One document of a YAML stream. JSON is YAML, too. */
export interface YamlDocument {
  readonly contents: Node | null;
  /** The node of each alias; undefined if no anchor of that name precedes it. */
  readonly targets: ReadonlyMap<Alias, Node | undefined>;
}

/** Reports a problem at an offset of the text. */
export type Report = (offset: number, message: string) => void;

/** The location of an error in the forms that yaml uses. */
type ErrorSource = number | readonly number[] | { readonly offset: number };
type OnError = (source: ErrorSource, code: string, message: string, isWarning?: boolean) => void;

/**
 * Yields the valid documents of a text and reports problems of the others.
 *
 * Replaces yaml's parseAllDocuments, which stores every error and comment and overflows the stack on deep nesting.
 * This function stops at the first token or level over the limit.
 */
export function* yamlDocuments(text: string, report: Report): Generator<YamlDocument, void> {
  const hasAliases = text.includes("*");
  let composing = createComposing(report);
  const finished = function* (): Generator<YamlDocument, void> {
    const contents = composing.finish();
    if (contents !== undefined) {
      yield { contents, targets: hasAliases ? targetsIn(contents) : new Map() };
    }
    composing = createComposing(report);
  };
  const parser = new Parser();
  const tokens = function* (): Generator<CST.Token, void> {
    let count = 0;
    let isScalar = false;
    for (const lexeme of new Lexer().lex(text)) {
      count += 1;
      if (count > tokenLimit) {
        const limit = tokenLimit.toLocaleString("en");
        report(
          parser.offset,
          `the file has more than ${limit} YAML tokens; split it into several files`,
        );
        return;
      }
      if (!isScalar) {
        if (lexeme.startsWith("!")) {
          report(parser.offset, `the tag ${cut(lexeme)} is not supported; remove it`);
        } else if (/^%YAML\s+(?!1\.2\s*$)/.test(lexeme)) {
          report(parser.offset, `${cut(lexeme)} is not supported; write YAML 1.2`);
        }
      }
      isScalar = !isScalar && lexeme === CST.SCALAR;
      const { offset } = parser;
      yield* parser.next(lexeme);
      if (parser.stack.length > depthLimit) {
        report(offset, `nested deeper than ${depthLimit} levels`);
        return;
      }
    }
    yield* parser.end();
  };
  for (const token of tokens()) {
    // A token after a document that does not belong to its end starts the next document.
    if (composing.hasDocument() && (token.type === "document" || token.type === "directive")) {
      yield* finished();
    }
    composing.take(token);
  }
  yield* finished();
}

/** Composes nodes from the tokens of one document. */
function createComposing(report: Report) {
  let hasDocument = false;
  let isValid = true;
  /** The current document, until its first error. */
  let current: CST.Token | undefined;
  let unclosed: Unclosed | undefined;
  const composer = new Composer({ uniqueKeys: false, version: "1.2", schema: "core" });
  const onError: OnError = (source, code, message, isWarning) => {
    // Tags are reported by their token, whether yaml knows them or not.
    if (isWarning === true || code === "TAG_RESOLVE_FAILED") return;
    isValid = false;
    if (current !== undefined) {
      unclosed = unclosedIn(current);
      current = undefined;
      if (unclosed !== undefined) report(unclosed.offset, unclosed.message);
    }
    // The parser treats everything after an open quote or bracket as a part of it.
    if (unclosed !== undefined && offsetOf(source) >= unclosed.offset) return;
    report(offsetOf(source), invalidText(message));
  };
  // The default handler creates an Error for each problem, and a text can have millions.
  Object.assign(composer, { onError });
  return {
    take: (token: CST.Token): void => {
      if (token.type === "error") {
        isValid = false;
        report(token.offset, unexpectedText(token));
      } else if (token.type === "document" || token.type === "directive" || hasDocument) {
        if (token.type === "document") {
          hasDocument = true;
          current = token;
        }
        // Composed immediately; `finish` returns the document.
        for (const _ of composer.next(token));
      }
    },
    hasDocument: () => hasDocument,
    /** Returns the contents, null for an empty document; undefined without a valid document. */
    finish: (): Node | null | undefined => {
      let contents: Node | null | undefined;
      for (const document of composer.end()) contents = document.contents;
      return isValid && hasDocument ? (contents ?? null) : undefined;
    },
  };
}

/** A quote or bracket that is never closed, and its offset in the text. */
interface Unclosed {
  readonly offset: number;
  readonly message: string;
}

/**
 * Returns the innermost unclosed quote or bracket of a document. It causes the errors that yaml reports at the end of
 * the text for every bracket around it.
 */
function unclosedIn(token: CST.Token | null | undefined): Unclosed | undefined {
  if (token === null || token === undefined) return undefined;
  if (token.type === "document") return unclosedIn(token.value);
  if ("items" in token) {
    for (const { key, value } of token.items) {
      const inner = unclosedIn(key) ?? unclosedIn(value);
      if (inner !== undefined) return inner;
    }
    if (token.type !== "flow-collection") return undefined;
    const { source, offset } = token.start;
    const closing = source === "{" ? "}" : "]";
    const isClosed = token.end.some((end) => end.source === closing);
    return isClosed ? undefined : { offset, message: `unclosed bracket: ${source}` };
  }
  if (token.type !== "double-quoted-scalar" && token.type !== "single-quoted-scalar")
    return undefined;
  const { source, offset } = token;
  const quote = token.type === "double-quoted-scalar" ? '"' : "'";
  const isClosed = source.length > 1 && source.endsWith(quote);
  return isClosed ? undefined : { offset, message: `unclosed quote: ${quote}` };
}

function unexpectedText({ source, message }: CST.ErrorToken): string {
  return /^[\]}]$/.test(source) ? `unexpected closing bracket: ${source}` : invalidText(message);
}

function invalidText(message: string): string {
  return `invalid YAML: ${cut(message, 160).replaceAll(/\s+/g, " ").trim()}`;
}

function offsetOf(source: ErrorSource): number {
  if (typeof source === "number") return source;
  return "offset" in source ? source.offset : (source[0] ?? 0);
}

/** Resolves all aliases in one pass; yaml would search the whole document for each of them. */
function targetsIn(contents: Node | null): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  visit(contents, {
    Alias: (_, alias) => void targets.set(alias, anchors.get(alias.source)),
    Value: (_, value) => {
      if (value.anchor !== undefined) anchors.set(value.anchor, value);
    },
  });
  return targets;
}

/** Shortens a text for a message. @param max in UTF-16 units */
export function cut(text: string, max = 40): string {
  if (text.length <= max) return text;
  // Never split a surrogate pair.
  return `${text.slice(0, max).replace(/[\ud800-\udbff]$/, "")}…`;
}
