import type { Behaviour, PartialBehaviour } from "../contract/behaviour.ts";
import type { TextRulingNumber } from "../contract/resources.ts";
import { control } from "../contract/text/controls.ts";

/**
 * Rulings: what the engine does where the specification is silent. This file has every ruling that is a number,
 * a pattern or a switch; docs/behaviour.md has the whole table. None is ever assumed of a remote service.
 */

/** Limits of a text field. */
export interface TextRuling {
  /** Length in characters (Unicode code points). */
  readonly min: number;
  readonly max: number;
  /** Matches forbidden characters, which error messages call `refusedName`. */
  readonly refused: RegExp;
  readonly refusedName: string;
  /** Whether it is used as a URL path segment, so that it may not have outer white space or be a dot segment. */
  readonly isKey?: true;
  /** Whether outer white space is stored, even in a key. */
  readonly keepsSpaces?: boolean;
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

/** Ruling 18: page size. */
export const perPage = { min: 1, max: 1000, default: 15 } as const;

/** Ruling 19: pages are numbered from 1, and an empty list has one page. */
export const firstPage = 1;

/** Rulings 14 and 20: an id in decimal, without leading zeros. */
export const decimalId = /^[1-9][0-9]{0,14}$/;

/** Ruling 20: a group's uuid. */
export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ruling 27: maximum length of a first name in characters. An empty one is stored as none. */
export const firstNameLength = { max: 255 } as const;

/** Ruling 27: control characters are forbidden in a first name. */
export const firstNameControls = control;

/** Ruling 27: maximum number of invalid lines that are reported. The rest are counted. */
export const maxDiagnostics = 100;

/** Ruling 28: the birthday of contacts born on 29 February in other years. */
export const leapDay = { born: "02-29", instead: "02-28" } as const;

/** Ruling 4: the fields that the body of a group needs, by the switches. */
export const requiredGroupFields: {
  readonly create: Readonly<Record<Behaviour["group_create_requires"], readonly string[]>>;
  readonly update: Readonly<Record<Behaviour["group_update_requires"], readonly string[]>>;
} = {
  create: {
    name: ["name"],
    name_and_send_birthday: ["name", "send_birthday"],
    every_field: ["name", "send_birthday", "birthday_message"],
  },
  update: {
    nothing: [],
    name: ["name"],
    every_field: ["name", "send_birthday", "send_holiday", "birthday_message"],
  },
};

/**
 * The engine's own rulings as a behaviour. The table of switches, src/contract/behaviour.ts, has the same values, and
 * is loaded only by commands that read or write behaviours.
 */
export const ownBehaviour: Behaviour = {
  create_status: 201,
  delete_status: 200,
  error_body: "envelope",
  error_status: "by_cause",
  no_key_status: 401,
  unknown_key_status: 401,
  unknown_path_status: 404,
  not_found_status: 404,
  invalid_status: 422,
  taken_status: 409,
  sender_id_create_requires: "name_and_purpose",
  group_create_requires: "name",
  group_update_requires: "nothing",
  group_name_max: name.max,
  group_name_unique: false,
  group_name_spaces: "refused",
  birthday_message_max: textRulings[8].max,
  birthday_message_empty: "refused",
  birthday_message_spaces: "kept",
  default_send_birthday: false,
  default_send_holiday: null,
  default_birthday_message: null,
  update_fields_in_create: "refused",
  unknown_fields: "refused",
  types: "strict",
  omitted_in_update: "kept",
  null_in_update: "cleared",
  sender_id_means: "name_or_id",
  per_page_default: perPage.default,
  per_page_max: perPage.max,
  per_page_over_max: "refused",
  per_page_invalid: "refused",
  page_parameter: "honoured",
  past_the_end: "empty",
  group_lookup: "id_or_uuid",
};

/** Returns the switches of a behaviour that differ from the engine's own rulings. */
export function changedFrom(given: PartialBehaviour): PartialBehaviour {
  const own: PartialBehaviour = ownBehaviour;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && value !== own[name as keyof Behaviour],
    ),
  );
}
