import * as fc from "fast-check";
import { getExampleNumber, isSupportedCountry } from "libphonenumber-js/max";
import examples from "libphonenumber-js/examples.mobile.json";
import { expect, test } from "vitest";
import { createPhoneCheck } from "../../../src/engine/contacts/phone.ts";

const international = createPhoneCheck(undefined);
const british = createPhoneCheck("gb");

const ada = { phone: "+447911123456" };

test("converts numbers in any notation to E.164", () => {
  for (const text of [
    "+447911123456",
    "+44 7911 123456",
    "+44 (0)7911-123456",
    "+44 79.11.12-34.56",
    "+44\u202f7911\u2009123\u2007456",
    "\u202a+44\u00a07911 123456\u202c ",
  ]) {
    expect(international(text)).toEqual(ada);
  }
  for (const text of ["07911 123456", "00447911123456", "0044 7911 123456", "+44 7911 123456"]) {
    expect(british(text)).toEqual(ada);
  }
  // A country other than the default, and a calling code without a country.
  expect(british("+1 415 555 2671")).toEqual({ phone: "+14155552671" });
  expect(international("+80012345678")).toEqual({ phone: "+80012345678" });
});

test("accepts numbers reserved for examples and fiction", () => {
  for (const phone of ["+447700900123", "+15551234567", "+12025550123"]) {
    expect(international(phone)).toEqual({ phone });
  }
});

for (const [text, says] of [
  ["07911123456", /country code/],
  ["00447911123456", /country code/],
  ["+4479111234567", /is not a valid number of its country \(\+44\)/],
  ["+4915112345601.0", /fraction/],
  ["+49 151 12345601.00", /fraction/],
  ["+49 151 12345601 . 0 ", /fraction/],
  ["+49.15112345601.0", /fraction/],
  ["+4915112345601.0\u202c", /fraction/],
  ["+4915112345601,0", /not a phone number, or more than one/],
  ["4.915112345601E+12", /is rounded/],
  ["+49 151 12345601 / 02", /not a phone number, or more than one/],
  ["+49 151 12345601 or 02", /not a phone number, or more than one/],
  ["+49 30 1234567/8", /not a phone number, or more than one/],
  ["+49 30 1234567 (work)", /not a phone number, or more than one/],
  ["+49 30 1234567 (8)", /not a phone number, or more than one/],
  ["＋４４ 7911 123456", /not a phone number, or more than one/],
  ["+9991234567", /country code/],
  ["+44", /not a phone number|too short/],
  ["12", /country code|too short|not a phone number/],
  ["Ada", /not a phone number, or more than one/],
  ["=+447911123456", /not a phone number, or more than one/],
  ["call +447911123456", /not a phone number, or more than one/],
  ["+447911123456 ext. 5", /not a phone number, or more than one/],
  ["+447911123456 +447911123457", /./],
  [`+${"4".repeat(400)}`, /too long|not a phone number/],
] as const) {
  test(`rejects "${text.slice(0, 30)}"`, () => {
    const checked = international(text);
    expect(checked).toHaveProperty("error");
    expect((checked as { error: string }).error).toMatch(says);
  });
}

test("rejects unknown countries", () => {
  for (const country of ["XX", "", "GBR", "toString"]) {
    expect(() => createPhoneCheck(country)).toThrow(`unknown country "${country}"`);
  }
});

test("accepts an example of every country in international and national form", () => {
  const countries = Object.keys(examples).filter((one) => isSupportedCountry(one));
  expect(countries.length).toBeGreaterThan(200);
  for (const country of countries) {
    const example = getExampleNumber(country, examples)!;
    expect([country, international(example.number)]).toEqual([country, { phone: example.number }]);
    const check = createPhoneCheck(country);
    expect([country, check(example.formatNational())]).toEqual([
      country,
      { phone: example.number },
    ]);
  }
});

test("any text is rejected or becomes a number, which stays the same when checked again", () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^\+?[0-9 ().-]{1,18}$/),
    fc.stringMatching(/^\+[1-9][0-9]{6,14}$/),
  );
  fc.assert(
    fc.property(text, (text) => {
      const checked = international(text);
      if ("error" in checked) return;
      expect(checked.phone).toMatch(/^\+[1-9]\d{5,14}$/);
      expect(international(checked.phone)).toEqual(checked);
    }),
    { numRuns: 2000 },
  );
});
