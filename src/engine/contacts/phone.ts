import {
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type CountryCode,
} from "libphonenumber-js/core";
import metadata from "libphonenumber-js/metadata.min.json";

/** The phone number as E.164 has it, or what is wrong with it. */
export type PhoneCheck = (text: string) => { readonly phone: string } | { readonly fault: string };

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * Checks phone numbers against the numbering plan of their country as a whole. Not against the ranges
 * that are in use: those grow every month, and a program that is older than a range must not refuse its
 * numbers; nor may it refuse numbers set apart for examples.
 *
 * @param country whose national numbers are understood as well, such as GB
 * @returns undefined for a country that there is not
 */
export function createPhoneCheck(country: string | undefined): PhoneCheck | undefined {
  const code = country?.toUpperCase() as CountryCode | undefined;
  if (code !== undefined && !isSupportedCountry(code, metadata)) return undefined;
  return (text) => {
    // Nearly all of them are written like this, and the library takes ten times as long.
    if (e164.test(text) && fits(text)) return { phone: text };
    try {
      const parsed = parsePhoneNumberWithError(
        text,
        code === undefined ? { extract: false } : { defaultCountry: code, extract: false },
        metadata,
      );
      if (parsed.ext !== undefined) return { fault: "has an extension: leave it out" };
      if (fits(parsed.number)) return { phone: parsed.number };
      return { fault: `fits no number of its country (+${parsed.countryCallingCode})` };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      // Of this library a message is a documented code, and the only one that it gives.
      return { fault: faults[error.message] ?? "is not a phone number" };
    }
  };
}

const faults: Readonly<Record<string, string>> = {
  INVALID_COUNTRY: "has no country code: begin it with + and the code, or give --country",
  TOO_SHORT: "is too short",
  TOO_LONG: "is too long",
};

/** By country code, the digits that may follow it in any of its countries. */
const plans = new Map<string, readonly RegExp[]>();

/** In the library's tables, where a country's pattern of national numbers stands. */
const patternAt = 2;

function plansOf(callingCode: string): readonly RegExp[] {
  const known = plans.get(callingCode);
  if (known !== undefined) return known;
  const { country_calling_codes: countries, nonGeographic } = metadata as unknown as Tables;
  const tables = [
    ...(countries[callingCode] ?? []).map((country) => metadata.countries[country]!),
    ...(callingCode in nonGeographic ? [nonGeographic[callingCode]!] : []),
  ];
  const made = tables.map((table) => new RegExp(`^(?:${String(table[patternAt])})$`));
  plans.set(callingCode, made);
  return made;
}

interface Tables {
  readonly country_calling_codes: Readonly<Record<string, readonly CountryCode[]>>;
  readonly nonGeographic: Readonly<Record<string, readonly unknown[]>>;
}

/** No country code is the beginning of another: of one to three digits, one at most is one. */
function fits(number: string): boolean {
  return [2, 3, 4].some((end) => {
    const national = number.slice(end);
    return plansOf(number.slice(1, end)).some((plan) => plan.test(national));
  });
}
