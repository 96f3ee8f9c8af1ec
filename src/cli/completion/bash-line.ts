import { insideSingleQuotes } from "../../output/shell-word.ts";
import type { Candidate } from "./candidate.ts";

type Quote = "" | "'" | '"';

/** A command line of bash as far as the cursor. */
interface BashLine {
  /** Those after the program's name, without their quotes; the one that is being written last. */
  readonly words: readonly string[];
  /** Whether the last word is where output goes or input comes from. */
  readonly isRedirected: boolean;
  /** How the last word has to be gone on with; undefined behind a quote that is closed already. */
  readonly quote: Quote | undefined;
  /** How many characters of the last word, without quotes, bash leaves as they stand. */
  readonly kept: number;
}

/**
 * Splits a line as bash does. Its own words won't do: they are quoted, and are split at `:` and `=`, too.
 *
 * @param line from its command to the cursor
 * @param breaks the characters at which bash begins to replace a word (COMP_WORDBREAKS)
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word = "";
  let before = "";
  let raw = "";
  let quote: Quote = "";
  let isClosed = false;
  let kept = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index]!;
    const next = line[index + 1];
    if (quote === "" && /\s/.test(character)) {
      if (raw !== "") {
        words.push(word);
        before = raw;
      }
      [word, raw, kept, isClosed] = ["", "", 0, false];
      continue;
    }
    raw += character;
    if (quote === "" && (character === "'" || character === '"')) {
      [quote, kept] = [character, word.length];
    } else if (quote !== "" && character === quote) {
      [quote, isClosed] = ["", true];
    } else if (character === "\\" && isEscape(quote, next)) {
      word += next ?? "";
      raw += next ?? "";
      index += 1;
    } else {
      word += character;
      if (quote === "" && breaks.includes(character)) [kept, isClosed] = [word.length, false];
    }
  }
  // Before the program, variables may be set for it.
  const first = words.findIndex((one) => !/^\w+=/.test(one));
  return {
    words: [...words.slice(first + 1), word],
    isRedirected: /^\d*[<>]+[&|]?$/.test(before),
    quote: isClosed && quote === "" ? undefined : quote,
    kept,
  };
}

/** Whether a backslash takes the meaning from what follows, or is one. */
function isEscape(quote: Quote, next: string | undefined): boolean {
  if (quote === "") return true;
  return quote === '"' && next !== undefined && '"\\$`'.includes(next);
}

/** What bash puts into the line in place of what is typed, and what it lists, for each that goes on from there. */
export function continuationsOf(line: BashLine, candidates: readonly Candidate[]): Candidate[] {
  const { words, quote, kept } = line;
  if (quote === undefined) return [];
  const typed = words.at(-1) ?? "";
  return candidates
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, about }) => ({
      value: quoted(value.slice(kept), quote),
      about: about === "" ? value : `${value}  (${about})`,
    }));
}

/** Returns text as it goes on behind a quote, which bash closes unless that is the last character already. */
function quoted(text: string, quote: Quote): string {
  const shown = quote === "" ? escaped(text) : inside(text, quote);
  return quote !== "" && shown.endsWith(quote) ? `${shown}${quote}` : shown;
}

function inside(text: string, quote: "'" | '"'): string {
  if (quote === "'") return insideSingleQuotes(text);
  // Not even a backslash keeps `!` in double quotes from standing for an earlier command line.
  return text.replace(/["\\$`]/g, String.raw`\$&`).replaceAll("!", `"'!'"`);
}

function escaped(text: string): string {
  return text.replace(/[^\w%+,./:=@^\u0080-\uffff-]/g, String.raw`\$&`);
}
