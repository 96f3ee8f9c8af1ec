import type { TextRulingNumber } from "../contract/resources.ts";
import type { NewGroup } from "./store.ts";

/**
 * What the engine does where the specification is silent: every ruling that is a number, a pattern or a
 * switch, by its number. The README has the whole table. None is ever assumed of a remote service.
 */

/** Ruling 3, reasons that an operation is refused for, by HTTP status. */
export const refusals = { notFound: 404, conflict: 409, invalid: 422 } as const;

/** What a text may be. */
export interface TextRuling {
  /** In characters (Unicode code points). */
  readonly least: number;
  readonly most: number;
  /** What it must not hold, and the name of that. */
  readonly refused: RegExp;
  readonly refusedName: string;
  /** A path of a URL has to carry it as a segment, and nobody sees white space around it. */
  readonly isKey?: true;
}

/** Rulings 5 and 7: names. */
const name: TextRuling = {
  least: 1,
  most: 255,
  refused: /\p{Cc}/u,
  refusedName: "control characters",
  isKey: true,
};

/** The limits of texts, by the numbers of their rulings. Not every store can keep NUL: ruling 8. */
export const textRulings: Readonly<Record<TextRulingNumber, TextRuling>> = {
  5: name,
  6: {
    least: 1,
    most: 1000,
    refused: /[^\P{Cc}\n\t]/u,
    refusedName: "control characters but newline and tab",
  },
  7: name,
  // oxlint-disable-next-line no-control-regex
  8: { least: 1, most: 1600, refused: /\0/, refusedName: "a NUL character" },
};

/** Rulings 5 and 7: what a URL path can't carry as a segment. */
export const pathDots: readonly string[] = [".", ".."];

/** Ruling 9: the fields of a new group that are not given. */
export const groupDefaults: Omit<NewGroup, "name"> = {
  send_birthday: false,
  send_holiday: null,
  birthday_message: null,
};

/** Ruling 17: a sender ID's status right after creation. */
export const firstStatus = "PENDING";

/** Ruling 17: what a review makes of it. */
export const reviewStatuses: readonly string[] = [firstStatus, "APPROVED", "REJECTED"];

/** Ruling 18: records a page. */
export const perPage = { least: 1, most: 1000, default: 15 } as const;

/** Ruling 19: pages count from 1, and an empty list has one. */
export const firstPage = 1;

/** Rulings 14 and 20: an id in decimal, as it would be printed. */
export const decimalId = /^[1-9][0-9]{0,14}$/;

/** Ruling 20: a group's uuid. */
export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ruling 27: a contact's first name, in characters; empty is none. */
export const firstNameLength = { most: 255 } as const;

/** Ruling 27: no control characters in a first name. */
export const firstNameControls = /\p{Cc}/u;

/** Ruling 27: lines at fault that are told; the rest is counted. */
export const mostDiagnostics = 100;

/** Ruling 28: when who was born on 29 February has a birthday in a year without one. */
export const leapDay = { born: "02-29", instead: "02-28" } as const;
