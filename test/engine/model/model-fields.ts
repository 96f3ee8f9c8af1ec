/** Validates input independently of the engine: rulings 4 to 14, 18 and 19. */

type IsValid = (value: unknown) => boolean;

const loneSurrogate = /\p{Cs}/u;

/** Returns whether a character is a C0 or C1 control or DEL. */
function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** Returns whether a value is a string of 1 to `max` characters that UTF-8 can encode. */
function isText(value: unknown, max: number): value is string {
  if (typeof value !== "string" || loneSurrogate.test(value)) return false;
  const characters = Array.from(value).length;
  return characters >= 1 && characters <= max;
}

const isName: IsValid = (value) =>
  isText(value, 255) &&
  !Array.from(value).some(isControl) &&
  !/^\s|\s$/.test(value) &&
  value !== "." &&
  value !== "..";

const isPurpose: IsValid = (value) =>
  isText(value, 1000) && !Array.from(value.replace(/[\n\t]/g, "")).some(isControl);
const isMessage: IsValid = (value) =>
  value === null || (isText(value, 1600) && !value.includes("\u0000"));
const isBoolean: IsValid = (value) => value === true || value === false;
const isHoliday: IsValid = (value) => value === null || isBoolean(value);
const isSenderId: IsValid = (value) => value === null || typeof value === "string";

interface BodyForm {
  readonly fields: Readonly<Record<string, IsValid>>;
  readonly required: readonly string[];
}

export const bodies = {
  senderIdCreate: {
    fields: { name: isName, purpose: isPurpose },
    required: ["name", "purpose"],
  },
  groupCreate: {
    fields: { name: isName, send_birthday: isBoolean, birthday_message: isMessage },
    required: ["name"],
  },
  groupUpdate: {
    fields: {
      name: isName,
      send_birthday: isBoolean,
      send_holiday: isHoliday,
      birthday_message: isMessage,
      sender_id: isSenderId,
    },
    required: [],
  },
} satisfies Record<string, BodyForm>;

/** Returns the invalid and missing fields in alphabetical order; "body" if it is not an object. */
export function invalidFields(body: unknown, { fields, required }: BodyForm): readonly string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return ["body"];
  const checks = new Map(Object.entries(fields));
  const given = new Map(Object.entries(body));
  const missing = required.filter((name) => !given.has(name));
  const invalid = [...given].filter(([name, value]) => checks.get(name)?.(value) !== true);
  return [...missing, ...invalid.map(([name]) => name)].toSorted();
}

/**
 * Parses a whole number from 1 to `max`, given as a number or in decimal digits; undefined for
 * anything else.
 */
function wholeNumber(value: unknown, max: number): number | undefined {
  const isDigits = typeof value === "string" && /^[0-9]+$/.test(value);
  const number = isDigits ? Number(value) : value;
  const isValid = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= max;
  return isValid ? (number as number) : undefined;
}

export interface RequestedPage {
  readonly perPage: number;
  readonly page: number;
}

/** Rulings 18 and 19: returns the requested page, or the invalid fields. */
export function requestedPage(query: {
  readonly perPage?: unknown;
  readonly page?: unknown;
}): RequestedPage | readonly string[] {
  const perPage = query.perPage === undefined ? 15 : wholeNumber(query.perPage, 1000);
  const page = query.page === undefined ? 1 : wholeNumber(query.page, Number.MAX_SAFE_INTEGER);
  if (perPage !== undefined && page !== undefined) return { perPage, page };
  return [...(page === undefined ? ["page"] : []), ...(perPage === undefined ? ["perPage"] : [])];
}
