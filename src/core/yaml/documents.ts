import { CST, Composer, Lexer, LineCounter, Parser, visit } from "yaml";
import type { Alias, Document, Node } from "yaml";
import { decodeUpTo } from "../files.ts";
import { cut } from "../text.ts";

/**
 * Limits on the time and memory to read YAML. Measured with yaml 2.9 on Node 20: a manifest of
 * groups takes 0.5 s and 60 MiB per MiB; a hostile file takes 4 µs and 500 bytes per token.
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

/** The hint for a text that YAML reads as a mapping: `{first_name}, hello`. */
export const flowHint = '; put a text that begins with { in quotes: "{first_name}, …"';

/** The location of an error in the forms that yaml uses. */
type ErrorSource = number | readonly number[] | { readonly offset: number };
/** In UTF-16 units. */
const maxHintLength = 1000;

type OnError = (source: ErrorSource, code: string, message: string, isWarning?: boolean) => void;

/**
 * Yields the documents of a text up to the first syntax error, which it reports. Stops at the first
 * token or level over the limit: yaml's parseAllDocuments overflows the stack on deep nesting.
 */
export function* yamlDocuments(text: string, report: Report): Generator<YamlDocument, void> {
  let isValid = true;
  const fail: Report = (offset, message) => {
    // Errors after the first one are mostly its consequences.
    if (isValid) report(offset, message);
    isValid = false;
  };
  const composer = new Composer({ uniqueKeys: false, version: "1.2", schema: "core" });
  const onError: OnError = (source, code, message, isWarning) => {
    // Tags are reported by their token, whether yaml knows them or not.
    if (isWarning === true || code === "TAG_RESOLVE_FAILED") return;
    const offset = offsetOf(source);
    const [line = ""] = text.slice(text.lastIndexOf("\n", offset - 1) + 1).split("\n", 1);
    fail(offset, `${invalidText(message)}${syntaxHint(code, line)}`);
  };
  // The default handler creates an Error for each problem, and a text can have millions.
  Object.assign(composer, { onError });
  const hasAliases = text.includes("*");
  const composed = function* (): Generator<Document.Parsed, void> {
    for (const token of tokensOf(text, report, fail)) {
      if (token.type === "error") fail(token.offset, unexpectedText(token));
      else yield* composer.next(token);
      if (!isValid) return;
    }
    yield* composer.end();
  };
  for (const { contents } of composed()) {
    if (!isValid) return;
    yield { contents, targets: hasAliases ? targetsIn(contents) : new Map() };
  }
}

/** A field whose value YAML does not read as a scalar: its value, without a comment. */
const textField = /^[\s-]*[\w$]+:\s+(\S.*?)(?:\s+#.*)?\s*$/;

/** Returns the text to write instead of a line with a syntax error, if that can be known. */
function syntaxHint(code: string, line: string): string {
  if (code === "TAB_AS_INDENT") return "; use spaces";
  const [, value = ""] = textField.exec(line.slice(0, maxHintLength)) ?? [];
  if (/^\{[^"']*\}/.test(value)) return flowHint;
  const isText = ["BAD_SCALAR_START", "BLOCK_AS_IMPLICIT_KEY"].includes(code)
    ? /^(?!- )./.test(value)
    : /^(?:\[[^"'{]*\].|"[^"]*".|'[^']*'.)/.test(value);
  // A quote within a quoted text ends it.
  const [, quote, inner = ""] = /^(["'])(.*)\1$/.exec(value) ?? [];
  const meant = quote === "'" ? inner.replaceAll("''", "'") : quote === undefined ? value : inner;
  return isText ? `; write ${JSON.stringify(cut(meant))}` : "";
}

/** Yields the tokens of a text, and reports tags. @param fail reports the first one over a limit */
function* tokensOf(text: string, report: Report, fail: Report): Generator<CST.Token, void> {
  const parser = new Parser();
  let count = 0;
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    count += 1;
    if (count > tokenLimit) {
      const limit = tokenLimit.toLocaleString("en");
      fail(offset, `the file has more than ${limit} YAML tokens; split it into several files`);
      return;
    }
    if (!isScalar && lexeme.startsWith("!")) {
      report(offset, `the tag ${cut(lexeme)} is not supported; remove it`);
    } else if (!isScalar && /^%YAML\s+(?!1\.2\s*$)/.test(lexeme)) {
      report(offset, `${cut(lexeme)} is not supported; write YAML 1.2`);
    }
    if (
      !isScalar &&
      /^["']/.test(lexeme) &&
      (lexeme.length === 1 || !lexeme.endsWith(lexeme[0]!))
    ) {
      // yaml would report it at the end of the text.
      fail(offset, `unclosed quote: ${lexeme[0]}`);
      return;
    }
    isScalar = !isScalar && lexeme === CST.SCALAR;
    yield* parser.next(lexeme);
    if (parser.stack.length > depthLimit) {
      fail(offset, `nested deeper than ${depthLimit} levels`);
      return;
    }
  }
  yield* parser.end();
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

/** The largest size of a kind of file, and what to do about a larger one. */
export interface FileLimit {
  readonly bytes: number;
  readonly help: string;
}

/** Decodes a file, or returns why it cannot. Rejects one over the limit without decoding it. */
export function decodeText(
  bytes: Uint8Array,
  limit: FileLimit,
): { readonly text: string } | { readonly message: string } {
  const decoded = decodeUpTo(bytes, limit.bytes);
  if ("problem" in decoded) {
    const help = bytes.length > limit.bytes ? limit.help : (decoded.hint ?? "save it as UTF-8");
    return { message: `the file ${decoded.problem}; ${help}` };
  }
  return decoded.text.includes("\0")
    ? { message: "the file contains a NUL byte; it must be text" }
    : decoded;
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
