import {
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type CountryCode,
} from "libphonenumber-js/core";
import metadata from "libphonenumber-js/metadata.min.json";

/** Converts a phone number to E.164, or returns an error. */
export type PhoneCheck = (text: string) => { readonly phone: string } | { readonly error: string };

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * Creates a check of phone numbers against the whole numbering plan of their country. It does not check the
 * ranges in use: they grow every month, and an older sendctl must not reject the numbers of a new range. Numbers
 * reserved for examples are valid, too.
 *
 * @param country whose national numbers are also accepted, such as GB
 * @param orElse what else can be done about a number without a country code, for its error
 * @returns undefined for an unknown country
 */
export function createPhoneCheck(
  country: string | undefined,
  orElse = ", or pass --country",
): PhoneCheck | undefined {
  const code = country?.toUpperCase() as CountryCode | undefined;
  if (code !== undefined && !isSupportedCountry(code, metadata)) return undefined;
  return (given) => {
    // A fast path for E.164, which nearly all numbers use: the library takes ten times as long.
    if (e164.test(given) && fits(given)) return { phone: given };
    // A full-width plus, as East Asian input methods write it; the library knows such digits.
    const text = given.replace(/^\s*\uff0b/, "+");
    try {
      const parsed = parsePhoneNumberWithError(
        text,
        code === undefined ? { extract: false } : { defaultCountry: code, extract: false },
        metadata,
      );
      if (parsed.ext !== undefined) return { error: "has an extension: remove it" };
      // Spreadsheets drop the + of a number.
      const whole = `+${text.replace(/\D/g, "")}`;
      const hasCode = whole.startsWith(`+${parsed.countryCallingCode}`) && whole !== parsed.number;
      if (!/^\s*\+/.test(text) && hasCode && fits(whole)) {
        return { error: `may be ${whole} or ${parsed.number}: start it with + and the code` };
      }
      if (fits(parsed.number)) return { phone: parsed.number };
      return { error: `is not a valid number of its country (+${parsed.countryCallingCode})` };
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

/** National number patterns by calling code, one for each country that shares it. */
const plans = new Map<string, readonly RegExp[]>();

/** Index of the national number pattern in a country's entry of the library's metadata. */
const patternIndex = 2;

function plansOf(callingCode: string): readonly RegExp[] {
  const known = plans.get(callingCode);
  if (known !== undefined) return known;
  const { country_calling_codes: countries, nonGeographic } = metadata as unknown as Tables;
  const tables = [
    ...(countries[callingCode] ?? []).map((country) => metadata.countries[country]!),
    ...(callingCode in nonGeographic ? [nonGeographic[callingCode]!] : []),
  ];
  const patterns = tables.map((table) => new RegExp(`^(?:${String(table[patternIndex])})$`));
  plans.set(callingCode, patterns);
  return patterns;
}

interface Tables {
  readonly country_calling_codes: Readonly<Record<string, readonly CountryCode[]>>;
  readonly nonGeographic: Readonly<Record<string, readonly unknown[]>>;
}

/** Returns whether a number matches a plan. No calling code is a prefix of another, so at most one length matches. */
function fits(number: string): boolean {
  return [2, 3, 4].some((end) => {
    const national = number.slice(end);
    return plansOf(number.slice(1, end)).some((plan) => plan.test(national));
  });
}
