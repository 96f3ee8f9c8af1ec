import * as rulings from "./rulings.ts";

/** What is wrong with one member, said as "name …", or undefined where it is right. */
export type FieldCheck = (value: unknown) => string | undefined;

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** A string of so many code points. Lone surrogates are refused: no UTF-8 text can hold them. */
function textFault(value: unknown, { least, most }: Bounds): string | undefined {
  if (typeof value !== "string") return `must be a string of ${least} to ${most} characters`;
  const length = value.length > 2 * most ? value.length : Array.from(value).length;
  if (length < least || length > most) return `must have ${least} to ${most} characters`;
  if (!value.isWellFormed()) return "must not hold half a surrogate pair";
  return undefined;
}

/** Rulings 5 and 7: the name of a sender ID or of a group. */
export const nameFault: FieldCheck = (value) => {
  const fault = textFault(value, rulings.nameLength);
  if (fault !== undefined) return fault;
  const name = value as string;
  if (rulings.nameControls.test(name)) return "must not hold control characters";
  if (name.trim() !== name) return "must not begin or end with white space";
  if (rulings.pathDots.includes(name)) return `must not be "${name}", which no path can carry`;
  return undefined;
};

/** Ruling 6. */
export const purposeFault: FieldCheck = (value) => {
  const fault = textFault(value, rulings.purposeLength);
  if (fault !== undefined) return fault;
  return rulings.purposeControls.test(value as string)
    ? "must not hold control characters but newline and tab"
    : undefined;
};

/** Ruling 8. NUL is refused as well: not every store can keep it. */
export const messageFault: FieldCheck = (value) => {
  if (value === null) return undefined;
  if (typeof value !== "string") {
    const { least, most } = rulings.messageLength;
    return `must be null or a string of ${least} to ${most} characters`;
  }
  const fault = textFault(value, rulings.messageLength);
  if (fault !== undefined) return fault;
  return value.includes("\0") ? "must not hold a NUL character" : undefined;
};

/** Ruling 12: no string and no number stands for a boolean. */
export const booleanFault: FieldCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** Ruling 13: send_holiday can be cleared. */
export const nullableBooleanFault: FieldCheck = (value) =>
  value === null || typeof value === "boolean" ? undefined : "must be true, false or null";

/** Ruling 14: its form; whether there is such a sender ID, the store tells. */
export const senderIdFault: FieldCheck = (value) =>
  value === null || typeof value === "string"
    ? undefined
    : "must be the name of a sender ID, its id in decimal as a string, or null";
