import type { Field } from "../contract/resources.ts";
import { pathDots, textRulings, type TextRuling } from "./rulings.ts";

/** Returns the error of a field, worded to follow its name, or undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

/** Returns the check of a body field (rulings 5 to 8 and 12 to 14). */
export function checkOf(field: Field): FieldCheck {
  if (field.type === "boolean")
    return field.null === undefined ? booleanError : nullableBooleanError;
  if (field.refersTo !== undefined) return senderIdError;
  const ruling = textRulings[field.ruling as keyof typeof textRulings];
  return field.null === undefined
    ? (value) => textError(value, ruling, "")
    : (value) => (value === null ? undefined : textError(value, ruling, "null or "));
}

/** Ruling 5: the limits of a sender ID's name apply to the names of integrations. */
export const nameError: FieldCheck = (value) => textError(value, textRulings[5], "");

/** Checks a text. UTF-8 cannot encode lone surrogates. @param alternative "" or "null or " */
function textError(value: unknown, ruling: TextRuling, alternative: string): string | undefined {
  const { min, max, refused, refusedName, isKey } = ruling;
  if (typeof value !== "string")
    return `must be ${alternative}a string of ${min} to ${max} characters`;
  const length = value.length > 2 * max ? value.length : Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!value.isWellFormed()) return "must not contain half a surrogate pair";
  if (refused.test(value)) return `must not contain ${refusedName}`;
  if (isKey !== true) return undefined;
  if (value.trim() !== value) return "must not begin or end with white space";
  return pathDots.includes(value)
    ? `must not be "${value}", which a URL path cannot contain`
    : undefined;
}

/** Ruling 12: strings and numbers are not booleans. */
const booleanError: FieldCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** Ruling 13. */
const nullableBooleanError: FieldCheck = (value) =>
  value === null || typeof value === "boolean" ? undefined : "must be true, false or null";

/** Ruling 14: checks only the type. The store finds out whether the sender ID exists. */
const senderIdError: FieldCheck = (value) =>
  value === null || typeof value === "string"
    ? undefined
    : "must be the name of a sender ID, its id in decimal as a string, or null";
