import * as fc from "fast-check";
import type { OperationName } from "../../../src/contract/operations.ts";
import {
  rightNames,
  strayKeys,
  wrongFlags,
  wrongNames,
  wrongNumbers,
} from "../support/hostile-texts.ts";
import { anyCharacter } from "../../support/any-character.ts";

/**
 * The properties of created records that later steps can refer to, of either integration, even
 * after deletion.
 */
export type Remembered = "name" | "sender ID" | "group" | "uuid" | "UUID";

/** A literal text, or a property of the nth newest record. */
export type Text =
  | { readonly text: string }
  | { readonly remembered: Remembered; readonly nth: number };

export interface Call {
  readonly operation: OperationName;
  /** The calling integration, 0 or 1. */
  readonly caller: number;
  /** How far the clock advances before the call, in microseconds; may be zero or negative. */
  readonly pause: number;
  /** Each operation uses only its own inputs. */
  readonly name?: Text;
  readonly id?: Text;
  readonly sender?: Text;
  readonly body?: unknown;
  readonly query?: { readonly perPage?: unknown; readonly page?: unknown };
}

/** A call, a new contact in the nth newest group, or closing and reopening the database. */
export type Step = Call | { readonly contactOf: number } | "reopen";

/** Generates the usual kind `times` times as often as the rare one. */
function mostly<Value>(usual: fc.Arbitrary<Value>, times: number, rare: fc.Arbitrary<Value>) {
  return fc.oneof({ arbitrary: usual, weight: times }, { arbitrary: rare, weight: 1 });
}

const anyText = fc.string({ unit: anyCharacter, maxLength: 40 });
const loneSurrogates = fc.constantFrom("\ud800", "a\udfff", "\ud83dx", "\u0000");

// A few names are frequent, so that conflicts occur.
const names = fc.oneof(
  fc.constantFrom("ACME", "1", "2", "3"),
  fc.constantFrom(...rightNames),
  anyText,
);
const name = mostly<unknown>(names, 12, fc.constantFrom(...wrongNames));
const purpose = mostly<unknown>(
  fc.constantFrom("Alerts", " a\n\tb ", "😀".repeat(1000), "\u202e"),
  12,
  fc.oneof(
    fc.constantFrom("", "a\rb", "\u0000", "p".repeat(1001), null, 5, []),
    loneSurrogates,
    anyText,
  ),
);
const message = mostly<unknown>(
  fc.constantFrom(null, "Happy birthday {first_name}!", "\u001b[31m\r\n", "😀".repeat(1600)),
  12,
  fc.oneof(fc.constantFrom("", "m".repeat(1601), false, 0, {}), loneSurrogates, anyText),
);
const flag = mostly<unknown>(fc.boolean(), 12, fc.constantFrom(null, ...wrongFlags));
const notObject = fc.constantFrom<unknown>(null, [], [{}], "{}", 1, true);
const strayName = fc.constantFrom(
  "__proto__",
  "toString",
  "Name",
  "send_holiday",
  "sender_id",
  "1",
);

/**
 * Generates a body of these fields, some of them missing; rarely with an unknown field, or not an
 * object.
 */
function body(fields: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) {
  const whole = fc.record(fields, { requiredKeys: [...required] });
  const partial = fc.record(fields, { requiredKeys: [] });
  const withStray = fc
    .tuple(partial, strayName, fc.jsonValue({ maxDepth: 1 }))
    .map(([given, stray, value]) => Object.fromEntries([...Object.entries(given), [stray, value]]));
  return mostly<unknown>(mostly<unknown>(whole, 8, partial), 12, fc.oneof(notObject, withStray));
}

const text = (...values: readonly string[]): fc.Arbitrary<Text> =>
  fc.constantFrom(...values).map((text) => ({ text }));
const remembered = (...kinds: readonly Remembered[]): fc.Arbitrary<Text> =>
  fc.record({ remembered: fc.constantFrom(...kinds), nth: fc.nat(4) });

const strayText = fc.oneof(
  text(...strayKeys, ...rightNames),
  anyText.map((text) => ({ text })),
);
const nameText = mostly(remembered("name"), 5, fc.oneof(remembered("sender ID"), strayText));
const idText = mostly(remembered("group", "uuid", "UUID"), 5, strayText);
const senderText = mostly(remembered("name", "sender ID"), 5, strayText);

const number = fc.oneof(
  fc.constantFrom<unknown>(1, 2, 3, "1", "2", "15", "007", 1000, "1000"),
  fc.constantFrom<unknown>(1001, "1001", 999_999_999_999_999, ...wrongNumbers),
);
const query = fc.record(
  { perPage: mostly<unknown>(fc.integer({ min: 1, max: 5 }), 2, number), page: number },
  { requiredKeys: [] },
);

const caller = mostly<number>(fc.constant(0), 3, fc.constant(1));
const pause = fc.constantFrom(0, 0, 1, 0.4, 999, 1e6, 3.6e9, -1, -5e6, -8.64e10);

type Input = Omit<Call, "operation" | "caller" | "pause">;

function calls(
  weight: number,
  operation: OperationName,
  input: { readonly [Name in keyof Input]?: fc.Arbitrary<Input[Name]> },
) {
  const known = { operation: fc.constant(operation), caller, pause };
  return { weight, arbitrary: fc.record({ ...known, ...input }) as fc.Arbitrary<Step> };
}

const atCreation = { name, send_birthday: flag, birthday_message: message };
const changes = { ...atCreation, send_holiday: flag, sender_id: fc.constant(null) };

export const step: fc.Arbitrary<Step> = fc.oneof(
  calls(6, "sender-id.create", { body: body({ name, purpose }, ["name", "purpose"]) }),
  calls(2, "sender-id.list", { query }),
  calls(3, "sender-id.fetch", { name: nameText }),
  calls(2, "sender-id.delete", { name: nameText }),
  calls(6, "group.create", { body: body(atCreation, ["name"]) }),
  calls(3, "group.list", { query }),
  calls(3, "group.fetch", { id: idText }),
  calls(3, "group.update", { id: idText, body: body(changes, []) }),
  calls(4, "group.update", { id: idText, sender: senderText }),
  calls(1, "group.delete", { id: idText }),
  { weight: 1, arbitrary: fc.record({ contactOf: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constant<Step>("reopen") },
);
