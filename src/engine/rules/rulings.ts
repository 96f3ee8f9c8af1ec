import type { TextRulingNumber } from "../../contract/resources.ts";
import { control } from "../../core/text.ts";

/**
 * Rulings: what the engine does where the specification is silent. This file has every ruling that
 * is a number or a pattern, src/contract/behaviour.ts those that are switches, and
 * docs/behaviour.md the whole table. None is ever assumed of a remote service.
 */

/** Limits of a text field. */
export interface TextRuling {
  /** Length in characters (Unicode code points). */
  readonly min: number;
  readonly max: number;
  /** Matches forbidden characters, which error messages call `refusedName`. */
  readonly refused: RegExp;
  readonly refusedName: string;
  /** Whether it is a URL path segment: without outer white space, and not a dot segment. */
  readonly isKey?: true;
}

/** Rulings 5 and 7: names. */
const name: TextRuling = {
  min: 1,
  max: 255,
  refused: control,
  refusedName: "control characters",
  isKey: true,
};

/** Text limits by ruling number. Ruling 8 excludes NUL, which PostgreSQL cannot store. */
export const textRulings: Readonly<Record<TextRulingNumber, TextRuling>> = {
  5: name,
  6: {
    min: 1,
    max: 1000,
    refused: /[^\P{Cc}\n\t]/u,
    refusedName: "control characters but newline and tab",
  },
  7: name,
  // oxlint-disable-next-line no-control-regex
  8: { min: 1, max: 1600, refused: /\0/, refusedName: "a NUL character" },
};

/** Rulings 5 and 7: dot segments, which URL paths cannot contain. */
export const pathDots: readonly string[] = [".", ".."];

/** Ruling 17: the status of a new sender ID. */
export const firstStatus = "PENDING";

/** Ruling 17: the statuses that a review can set. */
export const reviewStatuses: readonly string[] = [firstStatus, "APPROVED", "REJECTED"];

/** Ruling 19: pages are numbered from 1, and an empty list has one page. */
export const firstPage = 1;

/** Rulings 14 and 20: an id in decimal, without leading zeros. */
export const decimalId = /^[1-9][0-9]{0,14}$/;

/** Ruling 27: maximum length of a first name in characters. An empty one is stored as none. */
export const maxFirstNameLength = 255;

/** Ruling 27: maximum number of invalid lines that are reported. The rest are counted. */
export const maxDiagnostics = 100;

/** Ruling 28: the birthday of contacts born on 29 February in other years. */
export const leapDay = { born: "02-29", instead: "02-28" } as const;
