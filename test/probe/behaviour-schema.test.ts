import { Ajv } from "ajv";
import { assert, constantFrom, oneof, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { behaviours } from "./behaviours.ts";
import { readBehaviour } from "../../src/probe/behaviour-file.ts";
import { behaviourSchema } from "../../src/probe/behaviour-text.ts";
import { contradictionsIn, switches, type SwitchName } from "../../src/contract/behaviour.ts";

const validate = new Ajv({ strict: true }).compile(behaviourSchema);

function isRead(behaviour: unknown): boolean {
  try {
    readBehaviour(new TextEncoder().encode(JSON.stringify(behaviour)), "f");
    return true;
  } catch {
    return false;
  }
}

const words = ["", "200", "null", "refused", "kept", "ignored", "id", "name", "envelope"];
const numbers = [0, 1, 15, 60.5, 200, 401, 404, 409, 422, 1000];
const someValue = constantFrom(null, true, false, [], {}, ...numbers, ...words);
const names = [...Object.keys(switches), "$schema", "color"] as SwitchName[];
const attempts = record(Object.fromEntries(names.map((name) => [name, someValue])), {
  requiredKeys: [],
});

describe("the schema of behaviours", () => {
  test("accepts what readBehaviour accepts, except for contradictions", () => {
    assert(
      property(oneof(behaviours, attempts, attempts.map(firstOf)), (behaviour) => {
        const isValid = validate(behaviour);
        const isSound = isValid && contradictionsIn(behaviour).length === 0;
        expect(isRead(behaviour), JSON.stringify(behaviour)).toBe(isSound);
      }),
      { numRuns: 1000 },
    );
  });

  test("describes every switch, and its default", () => {
    const { properties } = behaviourSchema as {
      properties: Record<string, { description: string; default?: unknown }>;
    };
    expect(Object.keys(properties)).toStrictEqual(["$schema", ...Object.keys(switches)]);
    const isDescribed = Object.values(properties).every(
      ({ description }) => description.length > 9,
    );
    expect(isDescribed).toBe(true);
    expect(properties["per_page_default"]?.default).toBe(15);
    expect(properties["default_send_holiday"]?.default).toBeNull();
  });
});

/** Keeps one field, so that most of the behaviours have one problem at most. */
function firstOf(behaviour: object): object {
  return Object.fromEntries(Object.entries(behaviour).slice(0, 1));
}
