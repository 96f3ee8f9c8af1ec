/**
 * Which inputs are right, said once more and in other words than the engine's: rulings 4 to 14, 18, 19.
 */

type IsRight = (value: unknown) => boolean;

const halfSurrogate = /\p{Cs}/u;

/** C0, DEL and C1. */
function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** A string of 1 to `most` characters that UTF-8 can hold. */
function isText(value: unknown, most: number): value is string {
  if (typeof value !== "string" || halfSurrogate.test(value)) return false;
  const characters = Array.from(value).length;
  return characters >= 1 && characters <= most;
}

const isName: IsRight = (value) =>
  isText(value, 255) &&
  !Array.from(value).some(isControl) &&
  !/^\s|\s$/.test(value) &&
  value !== "." &&
  value !== "..";

const isPurpose: IsRight = (value) =>
  isText(value, 1000) && !Array.from(value.replace(/[\n\t]/g, "")).some(isControl);
const isMessage: IsRight = (value) =>
  value === null || (isText(value, 1600) && !value.includes("\u0000"));
const isBoolean: IsRight = (value) => value === true || value === false;
const isHoliday: IsRight = (value) => value === null || isBoolean(value);
const isSenderId: IsRight = (value) => value === null || typeof value === "string";

interface BodyForm {
  readonly members: Readonly<Record<string, IsRight>>;
  readonly required: readonly string[];
}

export const bodies = {
  senderIdCreate: {
    members: { name: isName, purpose: isPurpose },
    required: ["name", "purpose"],
  },
  groupCreate: {
    members: { name: isName, send_birthday: isBoolean, birthday_message: isMessage },
    required: ["name"],
  },
  groupUpdate: {
    members: {
      name: isName,
      send_birthday: isBoolean,
      send_holiday: isHoliday,
      birthday_message: isMessage,
      sender_id: isSenderId,
    },
    required: [],
  },
} satisfies Record<string, BodyForm>;

/** The members at fault, in alphabetical order; "body" where it is no object at all. */
export function faultsOf(body: unknown, { members, required }: BodyForm): readonly string[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return ["body"];
  const right = new Map(Object.entries(members));
  const given = new Map(Object.entries(body));
  const missing = required.filter((name) => !given.has(name));
  const wrong = [...given].filter(([name, value]) => right.get(name)?.(value) !== true);
  return [...missing, ...wrong.map(([name]) => name)].toSorted();
}

/** A whole number from 1 to `most`, as a number or in decimal digits; undefined for anything else. */
function wholeNumber(value: unknown, most: number): number | undefined {
  const isDigits = typeof value === "string" && /^[0-9]+$/.test(value);
  const number = isDigits ? Number(value) : value;
  const isRight = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= most;
  return isRight ? (number as number) : undefined;
}

export interface PageAsked {
  readonly perPage: number;
  readonly page: number;
}

/** Rulings 18 and 19: the page asked for, or the fields at fault. */
export function pageAsked(query: {
  readonly perPage?: unknown;
  readonly page?: unknown;
}): PageAsked | readonly string[] {
  const perPage = query.perPage === undefined ? 15 : wholeNumber(query.perPage, 1000);
  const page = query.page === undefined ? 1 : wholeNumber(query.page, Number.MAX_SAFE_INTEGER);
  if (perPage !== undefined && page !== undefined) return { perPage, page };
  return [...(page === undefined ? ["page"] : []), ...(perPage === undefined ? ["perPage"] : [])];
}
