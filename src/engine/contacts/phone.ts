import {
  isPossiblePhoneNumber,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type CountryCode,
} from "libphonenumber-js/core";
import metadata from "libphonenumber-js/metadata.min.json";
import { SendctlError } from "../../core/error.ts";

/** Converts a phone number to E.164, or returns an error. */
export type PhoneCheck = (text: string) => { readonly phone: string } | { readonly error: string };

const e164 = /^\+[1-9]\d{6,14}$/;

/** What people write between the digits, and an area code in parentheses. */
const written = /^\+?(?:[\s.\p{Pd}]|\d|\([\d\s\p{Pd}]+\)(?=.*\d))+$/u;

/** A number that a spreadsheet took for a decimal: its only dot, or one after a long group. */
const fraction = /(?:^[^.]*|\d{5}\s*)\.\s*\d{1,2}$/;

/**
 * Creates a check of phone numbers: E.164, with what people write between the digits. It checks
 * only the length against a country's numbering plan: ranges grow every month, and an older sendctl
 * must not reject new numbers. What may be two numbers, or something else, is refused (ruling 27).
 *
 * @param country whose national numbers are also accepted, such as GB
 * @param orElse what else can be done about a number without a country code, for its error
 * @throws SendctlError "usage" for an unknown country
 */
export function createPhoneCheck(
  country: string | undefined,
  orElse = ", or pass --country",
): PhoneCheck {
  const code = country?.toUpperCase() as CountryCode | undefined;
  if (code !== undefined && !isSupportedCountry(code, metadata)) {
    const details = { hint: "use two letters, such as GB", field: "--country" };
    throw new SendctlError("usage", `unknown country "${country}"`, details);
  }
  const options = { extract: false, ...(code !== undefined && { defaultCountry: code }) };
  return (given) => {
    if (e164.test(given) && isPossible(given)) return { phone: given };
    // Address books leave invisible marks, and spaces that the library does not know.
    const text = given
      .replace(/\p{Cf}/gu, "")
      .replace(/\s/g, " ")
      .trim();
    if (/^[\d.,]+E\+\d+$/i.test(text)) return { error: "is rounded: write the number as text" };
    if (!written.test(text)) return { error: "is not a phone number, or more than one" };
    if (fraction.test(text)) return { error: "ends in a fraction: write the number as text" };
    try {
      const { number, countryCallingCode } = parsePhoneNumberWithError(text, options, metadata);
      if (!isPossible(number)) {
        return { error: `is not a valid number of its country (+${countryCallingCode})` };
      }
      // Spreadsheets drop the + of a number.
      const whole = `+${text.replace(/\D/g, "")}`;
      const hasCode = whole.startsWith(`+${countryCallingCode}`) && whole !== number;
      if (!text.startsWith("+") && hasCode && isPossible(whole)) {
        return { error: `may be ${whole} or ${number}: start it with + and the code` };
      }
      return { phone: number };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      // The library documents its messages as error codes, and has no other code.
      const reason = errors[error.message] ?? "is not a phone number";
      return { error: error.message === "INVALID_COUNTRY" ? reason + orElse : reason };
    }
  };
}

const errors: Readonly<Record<string, string>> = {
  INVALID_COUNTRY: "has no country code: start it with + and the code",
  TOO_SHORT: "is too short",
  TOO_LONG: "is too long",
};

/** Results by calling code, of up to three digits, and length, for files of a million numbers. */
const known = new Map<string, boolean>();

/** Returns whether numbers of the country of an E.164 number can have its length. */
function isPossible(number: string): boolean {
  const key = `${number.slice(1, 4)} ${number.length}`;
  const found = known.get(key) ?? isPossiblePhoneNumber(number, metadata);
  known.set(key, found);
  return found;
}
