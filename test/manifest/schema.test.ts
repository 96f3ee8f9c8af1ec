import { Ajv } from "ajv";
import {
  assert,
  boolean,
  constant,
  constantFrom,
  integer,
  object,
  oneof,
  option,
  property,
  record,
  string,
  tuple,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/server/openapi.ts";
import { formatNames } from "../../src/output/formats/formats.ts";
import { behaviourSchema } from "../../src/probe/behaviour-file.ts";
import { manifestFields } from "../../src/manifest/manifest.ts";
import { readManifest } from "../../src/manifest/read.ts";
import { manifestSchema } from "../../src/manifest/schema.ts";
import { test as atHome } from "../support/home.ts";

const validate = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(
  manifestSchema,
);
const env = { A: "a", ON: "true", ID: "12", UUID: "123e4567-e89b-12d3-a456-426614174000" };

function isRead(manifest: unknown): boolean {
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  return "manifest" in readManifest([{ name: "f", bytes }], env);
}

/** Variables, valid and not, and texts that resemble them. */
const variables =
  "${A} ${ON} ${ID} ${UUID} ${ ${} ${1} $${ $${A} $$${A} a${A} ${SENDCTL_SECRET_KEY} $${SENDCTL_SECRET_KEY} $ $$ }{";

const anything = oneof(
  constantFrom(null, true, false, 0, 1, 1.5, -1, "", ".", "..", "x", "true", "12", "01", [], {}),
  constantFrom(...variables.split(" "), env.UUID),
  string(),
  object({ maxDepth: 1 }),
);

/** Returns mostly valid values, so that an invalid manifest usually has a single problem. */
function mostly<Value>(right: Arbitrary<Value>): Arbitrary<unknown> {
  return oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: anything });
}

/** Adds unknown fields to some values. */
function withUnknown(known: Arbitrary<object>): Arbitrary<object> {
  const none = constant({});
  const some = constantFrom({ color: 1 }, { Name: "a" }, { "": null });
  const more = oneof({ weight: 9, arbitrary: none }, { weight: 1, arbitrary: some });
  return tuple(known, more).map(([one, rest]) => ({ ...one, ...rest }));
}

const text = constantFrom("Orders", "${A} b", "$${A}", "ü\n");
const senderId = withUnknown(
  record({ name: mostly(constant("ACME")), purpose: mostly(text) }, { requiredKeys: ["purpose"] }),
);
const group = withUnknown(
  record(
    {
      id: mostly(oneof(integer({ min: 1 }), constantFrom("12", "${ID}"))),
      uuid: mostly(constantFrom(env.UUID, "${UUID}", env.UUID.toUpperCase())),
      name: mostly(constant("Customers")),
      send_birthday: mostly(oneof(boolean(), constant("${ON}"))),
      send_holiday: mostly(oneof(option(boolean()), constant("${ON}"))),
      birthday_message: mostly(option(text)),
      sender_id: mostly(option(constant("ACME"))),
    },
    { requiredKeys: [] },
  ),
);
// At most one of each, because the schema cannot express duplicates.
const manifest = withUnknown(
  record(
    {
      $schema: mostly(constant("x")),
      sender_ids: mostly(oneof(constant([]), tuple(mostly(senderId)))),
      groups: mostly(oneof(constant([]), tuple(mostly(group)))),
    },
    { requiredKeys: [] },
  ),
);

/** Returns whether validity depends on the value of a variable, which the schema cannot know. */
function dependsOnVariables(value: unknown): boolean {
  return /"(?:id|uuid|send_birthday|send_holiday)":"[^"]*\$\{/.test(JSON.stringify(value));
}

describe("the schema", () => {
  test("accepts exactly the manifests that can be read", { timeout: 60_000 }, () => {
    let accepted = 0;
    let refused = 0;
    assert(
      property(manifest, (value) => {
        const isAccepted = isRead(value);
        if (isAccepted) accepted += 1;
        else refused += 1;
        const isValid = validate(value);
        const isCorrect = isAccepted ? isValid : !isValid || dependsOnVariables(value);
        expect(isCorrect, JSON.stringify({ isAccepted, errors: validate.errors })).toBe(true);
      }),
      { numRuns: 1500 },
    );
    // Both cases must occur.
    expect(Math.min(accepted, refused)).toBeGreaterThan(500);
  });

  test("has valid examples", () => {
    const { examples } = manifestSchema as { examples: readonly unknown[] };
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(validate(example)).toBe(true);
      expect(isRead(example)).toBe(true);
    }
  });

  test("describes every field", () => {
    const { definitions } = manifestSchema as {
      definitions: Record<string, { properties: Record<string, { description?: string }> }>;
    };
    const described = Object.entries(definitions).flatMap(([name, { properties }]) =>
      Object.entries(properties).map(([field, { description }]) => [
        `${name}.${field}`,
        (description ?? "").length > 20,
      ]),
    );
    const known = Object.values(manifestFields).flatMap((fields) => fields.known);
    expect(described).toHaveLength(known.length);
    expect(described.filter(([, isDescribed]) => isDescribed !== true)).toStrictEqual([]);
  });
});

const schemas = {
  manifest: manifestSchema,
  behaviour: behaviourSchema,
  openapi: openApiDocument(),
};

atHome.for(Object.entries(schemas))(
  "sendctl schema %s prints it under any configuration",
  async ([name, schema], { home, expect }) => {
    const env = { SENDCTL_TIMEOUT: "soon", SENDCTL_PROFILE: "none", SENDCTL_BASE_URL: "ftp://x" };
    const expected = { exitCode: 0, stdout: `${JSON.stringify(schema, null, 2)}\n`, stderr: "" };
    for (const options of [[], ["-o", "table"], ["--json"]]) {
      expect(await home.run(["schema", name, ...options], env)).toStrictEqual(expected);
    }
    for (const format of formatNames) {
      const any = { ...env, SENDCTL_OUTPUT: format };
      expect(await home.run(["schema", name], any)).toStrictEqual(expected);
    }
  },
);
