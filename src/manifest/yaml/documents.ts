import { Composer, CST, isAlias, isMap, isSeq, Lexer, Parser, type Alias, type Node } from "yaml";
import { depthLimit, tokenLimit } from "../limits.ts";
import { unclosedIn, type Unclosed } from "./unclosed.ts";

/** One document of a stream of YAML, of which JSON is one. */
export interface YamlDocument {
  readonly contents: Node | null;
  /** What each alias stands for; undefined where no anchor of its name stands before it. */
  readonly targets: ReadonlyMap<Alias, Node | undefined>;
}

/** Takes what is wrong at an offset of the text. */
export type Report = (offset: number, message: string) => void;

/** The places of an error, as yaml gives them. */
type ErrorSource = number | readonly number[] | { readonly offset: number };
type OnError = (source: ErrorSource, code: string, message: string, isWarning?: boolean) => void;

/**
 * The documents of a text that are whole; those that are not are reported. yaml's own parseAllDocuments
 * is taken apart here, because it holds all it finds: each mistake as an Error, each comment, and a depth
 * that ends in an overflow of the stack. So texts are refused while they are read, at a token too many or
 * a level too deep.
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
        report(parser.offset, "has more in it than can be read at once: make several files of it");
        return;
      }
      if (!isScalar) {
        if (lexeme.startsWith("!")) {
          report(parser.offset, `tags like ${cut(lexeme)} have no meaning here: leave it out`);
        } else if (/^%YAML\s+(?!1\.2\s*$)/.test(lexeme)) {
          report(parser.offset, `${cut(lexeme)} can't be read: manifests are YAML 1.2`);
        }
      }
      isScalar = !isScalar && lexeme === CST.SCALAR;
      const { offset } = parser;
      yield* parser.next(lexeme);
      if (parser.stack.length > depthLimit) {
        report(offset, `nests deeper than ${depthLimit} levels: no manifest does`);
        return;
      }
    }
    yield* parser.end();
  };
  for (const token of tokens()) {
    // What follows a document, and is not of its end, begins another.
    if (composing.hasDocument() && (token.type === "document" || token.type === "directive")) {
      yield* finished();
    }
    composing.take(token);
  }
  yield* finished();
}

interface Composing {
  readonly take: (token: CST.Token) => void;
  readonly hasDocument: () => boolean;
  /** Its contents, null where it has none; undefined where there is no document, or none that is whole. */
  readonly finish: () => Node | null | undefined;
}

/** Makes nodes of the tokens of one document. */
function createComposing(report: Report): Composing {
  let hasDocument = false;
  let isWhole = true;
  /** The document that is being composed, until its first error. */
  let current: CST.Token | undefined;
  let unclosed: Unclosed | undefined;
  const composer = new Composer({ uniqueKeys: false, version: "1.2", schema: "core" });
  const onError: OnError = (source, code, message, isWarning) => {
    // Tags are told by their token, whether yaml knows them or not.
    if (isWarning === true || code === "TAG_RESOLVE_FAILED") return;
    isWhole = false;
    if (current !== undefined) {
      unclosed = unclosedIn(current);
      current = undefined;
      if (unclosed !== undefined) report(unclosed.offset, unclosed.message);
    }
    // Whatever follows an open quote or bracket is read as a part of it.
    if (unclosed !== undefined && offsetOf(source) >= unclosed.offset) return;
    report(offsetOf(source), `is not YAML: ${cut(message, 160).replaceAll(/\s+/g, " ").trim()}`);
  };
  // It would make an Error of each, and a text can hold millions.
  Object.assign(composer, { onError });
  return {
    take: (token) => {
      if (token.type === "error") {
        isWhole = false;
        report(token.offset, unexpectedText(token));
      } else if (token.type === "document" || token.type === "directive" || hasDocument) {
        if (token.type === "document") {
          hasDocument = true;
          current = token;
        }
        // Composed at once; it is yielded at the end.
        for (const _ of composer.next(token));
      }
    },
    hasDocument: () => hasDocument,
    finish: () => {
      let contents: Node | null | undefined;
      for (const document of composer.end()) contents = document.contents;
      return isWhole && hasDocument ? (contents ?? null) : undefined;
    },
  };
}

function unexpectedText({ source, message }: CST.ErrorToken): string {
  return /^[\]}]$/.test(source)
    ? `a bracket is closed that is not open: ${source}`
    : `is not YAML: ${cut(message, 160).replaceAll(/\s+/g, " ").trim()}`;
}

function offsetOf(source: ErrorSource): number {
  if (typeof source === "number") return source;
  return "offset" in source ? source.offset : (source[0] ?? 0);
}

/** By itself, yaml would look for each through the whole document. */
function targetsIn(contents: Node | null): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  const walk = (node: unknown): void => {
    if (isAlias(node)) targets.set(node, anchors.get(node.source));
    else if (isMap(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      for (const { key, value } of node.items) {
        walk(key);
        walk(value);
      }
    } else if (isSeq(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      for (const item of node.items) walk(item);
    } else {
      const scalar = node as (Node & { anchor?: string }) | null;
      if (scalar?.anchor !== undefined) anchors.set(scalar.anchor, scalar);
    }
  };
  walk(contents);
  return targets;
}

/** Enough of a text to know it by. */
export function cut(text: string, most = 40): string {
  if (text.length <= most) return text;
  // Not between the halves of a character.
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}
