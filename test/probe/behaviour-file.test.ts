import { Ajv } from "ajv";
import { assert, constantFrom, oneof, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { anyBehaviour } from "../engine/behaviour/arbitrary.ts";
import { readBehaviour, behaviourSchema, behaviourText } from "../../src/probe/behaviour-file.ts";
import {
  contradictionsIn,
  switches,
  type PartialBehaviour,
  type SwitchName,
} from "../../src/contract/behaviour.ts";
import type { SendctlError } from "../../src/core/error.ts";

function read(text: string | Uint8Array): PartialBehaviour {
  return readBehaviour(typeof text === "string" ? new TextEncoder().encode(text) : text, "b.yaml");
}

/** Returns the errors of a file as `LINE:COLUMN: message`; none if it can be read. */
function errorsOf(text: string | Uint8Array): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    const { kind, details } = error as SendctlError;
    const { file, diagnostics = [] } = details;
    const isAsPromised = kind === "usage" && file === "b.yaml";
    return isAsPromised
      ? diagnostics.map(({ line, column, message }) => `${line}:${column}: ${message}`)
      : [String(error)];
  }
}

describe("a behaviour file", () => {
  test("is read as YAML and as JSON", () => {
    const behaviour = { not_found_status: 422, group_name_unique: true, unknown_fields: "ignored" };
    const yaml =
      "# Shop\n$schema: ./b.json\nnot_found_status: 422\ngroup_name_unique: true\nunknown_fields: ignored\n";
    expect(read(yaml)).toStrictEqual(behaviour);
    expect(read(JSON.stringify(behaviour, null, 2))).toStrictEqual(behaviour);
    expect(read("{}")).toStrictEqual({});
  });

  test("reads back what was written, with every value of every switch", () => {
    assert(
      property(anyBehaviour, (behaviour) => {
        expect(read(behaviourText(behaviour))).toEqual(behaviour);
        expect(read(JSON.stringify(behaviour))).toEqual(behaviour);
      }),
      { numRuns: 300 },
    );
  });

  test("has one comment per switch and no others", () => {
    expect(behaviourText({ not_found_status: 422 }).split("\n")).toStrictEqual([
      expect.stringMatching(/^# .*sendctl schema behaviour$/),
      "",
      "# HTTP status for an unknown name or id",
      "not_found_status: 422",
      "",
    ]);
  });

  for (const [text, ...errors] of [
    ["notfoundstatus: 422", '1:1: unknown switch "notfoundstatus"; did you mean not_found_status?'],
    ["\nzzz: 1", '2:1: unknown switch "zzz"; sendctl schema behaviour lists all switches'],
    [
      "not_found_status: 418",
      "1:19: not_found_status must be 404, 400, 410 or 422, not the number 418",
    ],
    [
      'not_found_status: "422"',
      '1:19: not_found_status must be 404, 400, 410 or 422, not the text "422"',
    ],
    ["group_name_unique: yes", '1:20: group_name_unique must be false or true, not the text "yes"'],
    [
      "group_name_unique:",
      "1:19: group_name_unique must be false or true, but the value is missing",
    ],
    [
      "per_page_max: 5",
      "1:15: per_page_max must be a whole number from 10 to 1000, not the number 5",
    ],
    [
      "per_page_max: 20.5",
      "1:15: per_page_max must be a whole number from 10 to 1000, not the number 20.5",
    ],
    ["error_status: [by_cause]", "1:15: error_status must be by_cause or always_200, not a list"],
    [
      "error_status: by_cause\nunknown_fields: ignored\nerror_status: always_200",
      "3:1: duplicate switch error_status (first at b.yaml:1:1)",
    ],
    [
      "per_page_max: 20\nper_page_default: 50",
      "1:15: per_page_max conflicts with per_page_default: the default page size is larger than the largest one",
    ],
    [
      "per_page_max: 10",
      "1:15: per_page_max conflicts with per_page_default (default: 15): the default page size is larger than the largest one",
    ],
    [
      "not_found_status: 422\nerror_status: always_200",
      "1:19: not_found_status conflicts with error_status: every refusal has status 200",
    ],
    ["- error_status", "1:1: a behaviour must be a mapping, not a list"],
    ["error_status: !!str by_cause", "1:15: the tag !!str is not supported; remove it"],
    ["$schema: 1", "1:10: $schema must be text, not the number 1"],
    [
      "error_status: by_cause\n---\nerror_status: by_cause",
      "3:1: a behaviour file must be a single document",
    ],
    [
      "error_status: {",
      "1:16: invalid YAML: Flow map in block collection must be sufficiently indented and end with a }",
    ],
    ["", "1:1: the file is empty; to change no switch, write {}"],
    ["a: *x", '1:1: unknown switch "a"; sendctl schema behaviour lists all switches'],
  ] as const) {
    test(`is refused with its errors: ${JSON.stringify(text)}`, () => {
      expect([...errorsOf(text)].toSorted()).toStrictEqual([...errors].toSorted());
    });
  }

  test("is refused if it is not UTF-8, or over 64 KiB", () => {
    expect(errorsOf(Buffer.from([0x74, 0xff]))).toStrictEqual([
      "1:1: the file is not UTF-8; save it as UTF-8",
    ]);
    const limit = 64 * 1024;
    expect(read(`error_status: by_cause\n${"#".repeat(limit - 23)}`)).toStrictEqual({
      error_status: "by_cause",
    });
    expect(errorsOf(`error_status: by_cause\n${"#".repeat(limit - 22)}`)).toStrictEqual([
      "1:1: the file is larger than 64 KiB; a behaviour file has one short line for each switch",
    ]);
  });
});

const validate = new Ajv({ strict: true }).compile(behaviourSchema);

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
      property(oneof(anyBehaviour, attempts, attempts.map(firstOf)), (behaviour) => {
        const isValid = validate(behaviour);
        const isSound = isValid && contradictionsIn(behaviour).length === 0;
        const text = JSON.stringify(behaviour);
        expect(errorsOf(text).length === 0, text).toBe(isSound);
      }),
      { numRuns: 1000 },
    );
  });

  test("describes every switch, and its default", () => {
    const { properties } = behaviourSchema as {
      properties: Record<string, { description: string; default?: unknown }>;
    };
    expect(Object.keys(properties)).toStrictEqual(["$schema", ...Object.keys(switches)]);
    const short = Object.values(properties).filter(({ description }) => description.length < 10);
    expect(short).toStrictEqual([]);
    expect(properties["per_page_default"]?.default).toBe(15);
  });
});

/** Keeps one field, so that most of the behaviours have one problem at most. */
function firstOf(behaviour: object): object {
  return Object.fromEntries(Object.entries(behaviour).slice(0, 1));
}
