import { type Alias, CST, Composer, Lexer, LineCounter, type Node, Parser, visit } from "yaml";
import { isUtf8 } from "node:buffer";

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

/** The text of a file, or the first problem of its bytes. Lines and columns start at 1. */
export type Decoded =
  | { readonly text: string }
  | { readonly message: string; readonly line: number; readonly column: number };

/** The largest size of a kind of file, and what to do about a larger one. */
export interface FileLimit {
  readonly bytes: number;
  readonly help: string;
}

/** Decodes a file. A file over the limit is rejected by its length, so that not all of it needs to be read. */
export function decodeText(bytes: Uint8Array, limit: FileLimit): Decoded {
  if (bytes.length > limit.bytes) {
    const kib = limit.bytes / 1024;
    const size = kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
    return at("", `the file is larger than ${size}; ${limit.help}`);
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return at("", "the file is UTF-16; save it as UTF-8");
  }
  const text = new TextDecoder().decode(bytes);
  const zero = text.indexOf("\0");
  // Each invalid byte is decoded as this character. A file may also contain it, before its first invalid byte.
  const invalid = isUtf8(bytes) ? -1 : text.indexOf("\ufffd");
  if (invalid >= 0 && (zero < 0 || invalid < zero)) {
    return at(text.slice(0, invalid), "the file is not UTF-8; save it as UTF-8");
  }
  if (zero < 0) return { text };
  return at(text.slice(0, zero), "the file contains a NUL byte; it must be text");
}

/** Returns a problem that is located right after a text. */
function at(before: string, message: string): Decoded {
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { message, line, column: before.length - lineStart + 1 };
}

/** Returns a function that converts offsets in a text to lines and columns. */
export function createLocations(
  text: string,
): (offset: number) => { readonly line: number; readonly column: number } {
  const counter = new LineCounter();
  counter.addNewLine(0);
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    counter.addNewLine(at + 1);
  }
  return (offset) => {
    const { line, col: column } = counter.linePos(offset);
    return { line, column };
  };
}
