import { constant, constantFrom, double, integer, letrec, nat, oneof, string } from "fast-check";
import type { Arbitrary } from "fast-check";
import { anyCharacter } from "../support/any-character.ts";

/** Any word of a text. */
export function anyWord(text: string): Arbitrary<string> {
  return constantFrom(...text.split(/\s+/));
}

/** Texts that terminals interpret, that are invisible, or that contain lone surrogates. */
export const nastyText = oneof(
  string({ unit: anyCharacter, maxLength: 12 }),
  constantFrom(
    "",
    " ",
    "\u001b[31mred",
    "\u001b]0;title\u0007",
    "\u009b2J",
    "\u202eevil",
    "\ud800",
    "a\0b",
    "a\r\nb",
    "\u2028",
    "\ufeff",
    "__proto__",
    "constructor",
    "toString",
    "👩‍👩‍👧",
    "x".repeat(2000),
  ),
);

/** The text of a JSON number. */
const numeral = oneof(
  nat({ max: 40 }).map(String),
  integer().map(String),
  double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  constantFrom(
    "-0",
    "0.1",
    "1e400",
    "-1e400",
    "1e-400",
    "9007199254740993",
    "18446744073709551616",
    "123456789012345678901234567890",
    "1.5000000000000000000001",
    "9".repeat(400),
  ),
);

const literal = oneof(
  constantFrom("null", "true", "false"),
  numeral,
  nastyText.map((text) => JSON.stringify(text)),
);

/** JSON texts from single values to a few levels of nesting, possibly with duplicate fields. */
export const anyJson: Arbitrary<string> = letrec<{ value: string }>((tie) => ({
  value: oneof(
    { depthSize: "small", withCrossShrink: true },
    literal,
    constant([]).map(() => "{}"),
    arrayText(tie("value")),
    objectText(tie("value")),
  ),
})).value;

function arrayText(value: Arbitrary<string>): Arbitrary<string> {
  return several(value).map((all) => `[${all.join(",")}]`);
}

function objectText(value: Arbitrary<string>): Arbitrary<string> {
  const field = constantFrom("id", "name", "status", "message", "data", "__proto__", "errors");
  return several(value.chain((text) => field.map((name) => `"${name}":${text}`))).map(
    (all) => `{${all.join(",")}}`,
  );
}

function several(value: Arbitrary<string>): Arbitrary<readonly string[]> {
  return oneof(
    constant([] as string[]),
    value.map((one) => [one]),
    value.chain((one) => value.map((other) => [one, other])),
  );
}
