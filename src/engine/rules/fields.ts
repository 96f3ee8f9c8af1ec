import { ownBehaviour, type Behaviour } from "../../contract/behaviour.ts";
import type { Field, TextRulingNumber } from "../../contract/resources.ts";
import { pathDots, textRulings, type TextRuling } from "./rulings.ts";

/** Returns the error of a field, worded to follow its name, or undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

/** Returns the check of a body field (rulings 5 to 8 and 12 to 14). */
export function checkOf(
  field: Field,
  by: "create" | "update" = "create",
  behaviour: Behaviour = ownBehaviour,
): FieldCheck {
  const isNullRefused = by === "update" && behaviour.null_in_update === "refused";
  const isNullable = field.null !== undefined && !isNullRefused;
  const check = checkOfValue(field, isNullable, behaviour);
  return isNullable ? (value) => (value === null ? undefined : check(value)) : check;
}

/** Returns the check of a value other than null. Strings and numbers are not booleans: ruling 12. */
function checkOfValue(field: Field, isNullable: boolean, behaviour: Behaviour): FieldCheck {
  if (field.type === "boolean") {
    const text = isNullable ? "must be true, false or null" : "must be true or false";
    return (value) => (typeof value === "boolean" ? undefined : text);
  }
  if (field.refersTo !== undefined) {
    // Ruling 14: the store finds out whether the sender ID exists.
    const text = `must be a string${isNullable ? " or null" : ""}`;
    return (value) => (typeof value === "string" ? undefined : text);
  }
  const ruling = textRuling(field.ruling as TextRulingNumber, behaviour);
  const alternative = isNullable ? "null or " : "";
  return (value) => textError(value, ruling, alternative);
}

/** Returns the limits of a text: those of its ruling, with the switches of rulings 7 and 8. */
export function textRuling(number: TextRulingNumber, behaviour: Behaviour): TextRuling {
  const own = textRulings[number];
  if (number === 7) {
    const keepsSpaces = behaviour.group_name_spaces === "kept";
    return { ...own, max: behaviour.group_name_max, keepsSpaces };
  }
  if (number !== 8) return own;
  const min = behaviour.birthday_message_empty === "refused" ? own.min : 0;
  return { ...own, min, max: behaviour.birthday_message_max };
}

/** Ruling 5: the limits of a sender ID's name apply to the names of integrations. */
export const nameError: FieldCheck = (value) => textError(value, textRulings[5], "");

/** Checks a text. UTF-8 cannot encode lone surrogates. @param alternative "" or "null or " */
function textError(value: unknown, ruling: TextRuling, alternative: string): string | undefined {
  const { min, max, refused, refusedName, isKey, keepsSpaces } = ruling;
  if (typeof value !== "string")
    return `must be ${alternative}a string of ${min} to ${max} characters`;
  const length = value.length > 2 * max ? value.length : Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!value.isWellFormed()) return "must not contain half a surrogate pair";
  if (refused.test(value)) return `must not contain ${refusedName}`;
  if (isKey !== true) return undefined;
  if (keepsSpaces !== true && value.trim() !== value)
    return "must not begin or end with white space";
  return pathDots.includes(value)
    ? `must not be "${value}", which a URL path cannot contain`
    : undefined;
}
