import {
  array,
  asyncProperty,
  assert,
  boolean,
  constantFrom,
  nat,
  oneof,
  option,
  record,
  string,
  uniqueArray,
  uuid,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readManifest } from "../../src/manifest/read.ts";
import { jsonManifest, yamlManifest } from "../../src/manifest/export.ts";
import { anyCharacter } from "../support/any-character.ts";

function withoutLocation<One extends { location: unknown }>(one: One): Omit<One, "location"> {
  return Object.fromEntries(Object.entries(one).filter(([name]) => name !== "location")) as One;
}

function readBack(text: string) {
  const read = readManifest([{ name: "f", bytes: new TextEncoder().encode(text) }], {});
  if ("diagnostics" in read) throw new Error(`${JSON.stringify(read.diagnostics)}\n${text}`);
  const { senderIds = [], groups = [] } = read.manifest;
  return {
    senderIds: senderIds.map(withoutLocation),
    groups: groups.map(withoutLocation),
  };
}

const group = { name: "A", send_birthday: false, send_holiday: null, birthday_message: null };

describe("an export", () => {
  const senderIds = [
    { name: "ACME", purpose: "Order updates: all of them" },
    { name: "null", purpose: "One\n\n  two # no comment\n" },
  ];
  const groups = [
    {
      ...group,
      name: "Customers",
      send_birthday: true,
      birthday_message: "Hi {first_name}, ${you}!",
    },
    {
      uuid: "123e4567-e89b-12d3-a456-426614174000",
      ...group,
      name: "Zoë 😀",
      send_holiday: true,
    },
    { ...group, name: "12", birthday_message: " \u0085\u2028\ttab" },
  ];

  test("is readable YAML", async () => {
    expect([...yamlManifest(senderIds, groups)].join("")).toBe(
      `# Sender IDs and groups of a bulk-SMS service.
# \`sendctl diff -f FILE\` compares a service with this file; \`sendctl apply -f FILE\` changes the service to match it.
sender_ids:
  - name: ACME
    purpose: "Order updates: all of them"
  - name: "null"
    purpose: |
      One

        two # no comment
# The sender_id of each group is missing because the service never shows it. A group without it keeps its current
# sender ID. To set one, add \`sender_id: NAME\` (null for none) and apply with --resend-sender-id.
groups:
  - name: Customers
    send_birthday: true
    send_holiday: null
    birthday_message: Hi {first_name}, $\${you}!
  - uuid: "123e4567-e89b-12d3-a456-426614174000"
    name: Zoë 😀
    send_birthday: false
    send_holiday: true
    birthday_message: null
  - name: "12"
    send_birthday: false
    send_holiday: null
    birthday_message: " \\u0085\\u2028\\ttab"
`,
    );
  });

  test("is JSON with the layout of JSON.stringify", async () => {
    const text = [...jsonManifest(senderIds, groups)].join("");
    const escaped = groups.map((one) => ({
      ...one,
      birthday_message: one.birthday_message?.replace("${", () => "$${") ?? null,
    }));
    const value = { sender_ids: senderIds, groups: escaped };
    expect(JSON.parse(text)).toStrictEqual(value);
    expect(text.replace("\\u0085\\u2028", "\u0085\u2028")).toBe(
      `${JSON.stringify(value, null, 2)}\n`,
    );
  });

  test("without records has empty lists", async () => {
    const yaml = [...yamlManifest([], [])].join("");
    expect(yaml.replaceAll(/^#.*\n/gm, "")).toBe("sender_ids: []\ngroups: []\n");
    const json = [...jsonManifest([], [])].join("");
    expect(json).toBe('{\n  "sender_ids": [],\n  "groups": []\n}\n');
  });
});

/** Texts that YAML could mistake for another value or syntax. */
const pieces = constantFrom(
  ..."abc é 😀 \n \n\n \t \r \u0085 \u2028 \u2029 \ufeff \0 \x1b \x7f \u202e \u200d | > - -- --- ... : :: # ## , [ ] { } & * ! % @ ` ' \" \\ / ? ~ = < << $ ${ $${ ${A} } . .. 1 0 0x1f 1e3 .inf .NaN null true False yes No ON off y 2024-01-01 12:30 +1 _ key:".split(
    " ",
  ),
  " ",
  "  ",
  ": ",
  " #",
  "\n ",
  " \n",
  "x".repeat(300),
);
const anyText: Arbitrary<string> = oneof(
  string({ unit: anyCharacter }),
  string({ unit: "grapheme" }),
  string({ unit: pieces, maxLength: 6 }),
  array(string({ unit: pieces, maxLength: 4 }), { maxLength: 5 }).map((lines) => lines.join("\n")),
).filter((text) => text.isWellFormed());
const anyName = anyText.filter((text) => !["", ".", ".."].includes(text));

const anySenderIds = uniqueArray(
  record({ name: anyName, purpose: anyText }, { noNullPrototype: true }),
  {
    maxLength: 6,
    selector: ({ name }) => name,
  },
);
const anyGroups = uniqueArray(
  record(
    {
      name: anyName,
      send_birthday: boolean(),
      send_holiday: option(boolean()),
      birthday_message: option(anyText),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 6, selector: ({ name }) => name },
).chain((groups) =>
  uniqueArray(uuid(), { minLength: groups.length, maxLength: groups.length }).chain((uuids) =>
    nat({ max: groups.length }).map((from) =>
      groups.map((one, index) => (index < from ? one : { uuid: uuids[index]!, ...one })),
    ),
  ),
);

describe("a written manifest is read back unchanged", () => {
  for (const [name, write] of [
    ["YAML", yamlManifest],
    ["JSON", jsonManifest],
  ] as const) {
    test(`as ${name}`, { timeout: 120_000 }, async () => {
      await assert(
        asyncProperty(anySenderIds, anyGroups, async (senderIds, groups) => {
          const text = [...write(senderIds, groups)].join("");
          expect(readBack(text)).toStrictEqual({ senderIds, groups });
        }),
        { numRuns: 1000 },
      );
    });
  }

  test("by a YAML 1.1 reader as well", async () => {
    const withoutDollars = anyText.map((text) => text.replaceAll("$", ""));
    await assert(
      asyncProperty(withoutDollars, async (purpose) => {
        const text = [...yamlManifest([{ name: "a", purpose }], [])].join("");
        const expected = { sender_ids: [{ name: "a", purpose }], groups: [] };
        expect(parse(text, { version: "1.1" })).toStrictEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
