import type { Field } from "../contract/resources.ts";
import { pathDots, textRulings, type TextRuling } from "./rulings.ts";

/** What is wrong with a field, worded to follow its name, or undefined where nothing is. */
export type FieldCheck = (value: unknown) => string | undefined;

/** The check of a field of a body: rulings 5 to 8, and 12 to 14. */
export function checkOf(field: Field): FieldCheck {
  if (field.type === "boolean")
    return field.null === undefined ? booleanError : nullableBooleanError;
  if (field.refersTo !== undefined) return senderIdError;
  const ruling = textRulings[field.ruling as keyof typeof textRulings];
  return field.null === undefined
    ? (value) => textError(value, ruling, "")
    : (value) => (value === null ? undefined : textError(value, ruling, "null or "));
}

/** Ruling 5: names of other records have the limits of a sender ID's. */
export const nameError: FieldCheck = (value) => textError(value, textRulings[5], "");

/** Lone surrogates are refused: no UTF-8 text can hold them. @param instead what it may be but a text */
function textError(value: unknown, ruling: TextRuling, instead: string): string | undefined {
  const { min, max, refused, refusedName, isKey } = ruling;
  if (typeof value !== "string") return `must be ${instead}a string of ${min} to ${max} characters`;
  const length = value.length > 2 * max ? value.length : Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!value.isWellFormed()) return "must not hold half a surrogate pair";
  if (refused.test(value)) return `must not hold ${refusedName}`;
  if (isKey !== true) return undefined;
  if (value.trim() !== value) return "must not begin or end with white space";
  return pathDots.includes(value) ? `must not be "${value}", which no path can carry` : undefined;
}

/** Ruling 12: neither a string nor a number stands for a boolean. */
const booleanError: FieldCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** Ruling 13. */
const nullableBooleanError: FieldCheck = (value) =>
  value === null || typeof value === "boolean" ? undefined : "must be true, false or null";

/** Ruling 14: its form. The store finds out whether such a sender ID exists. */
const senderIdError: FieldCheck = (value) =>
  value === null || typeof value === "string"
    ? undefined
    : "must be the name of a sender ID, its id in decimal as a string, or null";
