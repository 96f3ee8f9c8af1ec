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
