/**
 * What the engine does where the specification is silent: every ruling that is a number, a pattern or a
 * switch, by its number. The README has the whole table. None is ever assumed of a remote service.
 */

/** Ruling 3, reasons that an operation is refused for, by HTTP status. */
export const refusals = { notFound: 404, conflict: 409, invalid: 422 } as const;

/** Rulings 5 and 7: sender ID and group names, in characters (Unicode code points). */
export const nameLength = { least: 1, most: 255 } as const;

/** Rulings 5 and 7: what a URL path can't carry as a segment. */
export const pathDots: readonly string[] = [".", ".."];

/** Rulings 5 and 7: no control characters in a name. */
export const nameControls = /\p{Cc}/u;

/** Ruling 6: a purpose, in characters. */
export const purposeLength = { least: 1, most: 1000 } as const;

/** Ruling 6: no control characters in a purpose but newline and tab. */
export const purposeControls = /[^\P{Cc}\n\t]/u;

/** Ruling 8: a birthday message, in characters. */
export const messageLength = { least: 1, most: 1600 } as const;

/** Ruling 9: what a group is created with where nothing is said. */
export const groupDefaults = {
  send_birthday: false,
  send_holiday: null,
  birthday_message: null,
} as const;

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
export const faultsTold = 100;

/** Ruling 28: when who was born on 29 February has a birthday in a year without one. */
export const leapDay = { born: "02-29", instead: "02-28" } as const;
