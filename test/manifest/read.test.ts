import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/manifest/read.ts";

const encoder = new TextEncoder();

/** Reads a manifest and returns its contents without locations. */
function contents(text: string, env = {}) {
  const read = readManifest([{ name: "f", bytes: encoder.encode(text) }], env);
  if ("diagnostics" in read) throw new Error(JSON.stringify(read.diagnostics));
  return JSON.parse(
    JSON.stringify(read.manifest, (key, value: unknown) =>
      key === "location" || key === "senderIdLocation" ? undefined : value,
    ),
  ) as unknown;
}

/** Returns the diagnostics of files as they are printed. */
function diagnostics(
  texts: string | Readonly<Record<string, string | Uint8Array>>,
  env = {},
): string[] {
  const files = typeof texts === "string" ? { f: texts } : texts;
  const sources = Object.entries(files).map(([name, text]) => ({
    name,
    bytes: typeof text === "string" ? encoder.encode(text) : text,
  }));
  const read = readManifest(sources, env);
  if (!("diagnostics" in read)) return [];
  return read.diagnostics.map(
    ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
  );
}

test.each([
  ["birthday_message: {first_name}, hi", 3],
  ["birthday_message: {first_name}", 3],
])("a text that begins with a placeholder has to be quoted: %s", (line) => {
  const source = { name: "m.yaml", bytes: Buffer.from(`groups:\n  - name: A\n    ${line}\n`) };
  const read = readManifest([source], {});
  const [diagnostic] = "diagnostics" in read ? read.diagnostics : [];
  expect(diagnostic).toMatchObject({
    line: 3,
    message: expect.stringContaining("put a text that begins with { in quotes"),
  });
});

describe("a manifest", () => {
  const whole = {
    senderIds: [{ name: "ACME", purpose: "Orders" }],
    groups: [
      {
        id: "7",
        uuid: "123e4567-e89b-12d3-a456-426614174000",
        name: "Customers",
        send_birthday: true,
        send_holiday: null,
        birthday_message: "Hi {first_name}",
        sender_id: "ACME",
      },
    ],
  };

  test("can be written in YAML", () => {
    const text = `
$schema: ./schema.json
sender_ids:
  - name: ACME
    purpose: Orders
groups:
  - id: 7
    uuid: 123E4567-e89b-12d3-a456-426614174000
    name: Customers
    send_birthday: true
    send_holiday: null
    birthday_message: Hi {first_name}
    sender_id: ACME
`;
    expect(contents(text)).toStrictEqual(whole);
    expect(contents(text.replaceAll("\n", "\r\n"))).toStrictEqual(whole);
    expect(contents(`\ufeff${text}`)).toStrictEqual(whole);
    expect(contents(`%YAML 1.2\n---\n${text}...\n`)).toStrictEqual(whole);
  });

  test("can be written in JSON, with any whitespace", () => {
    const { senderIds, groups } = whole;
    const value = { $schema: "./schema.json", sender_ids: senderIds, groups };
    for (const space of [0, 2, "\t"]) {
      expect(contents(JSON.stringify(value, null, space))).toStrictEqual(whole);
    }
    expect(contents('{"groups":[{"name":"\\ud83d\\ude00\\/\\n"}]}')).toStrictEqual({
      groups: [{ name: "😀/\n" }],
    });
  });

  test("does not manage missing sections", () => {
    expect(contents("groups: []")).toStrictEqual({ groups: [] });
    expect(contents("sender_ids: []")).toStrictEqual({ senderIds: [] });
    expect(contents("{}")).toStrictEqual({});
  });

  test("has the locations of groups and their sender IDs", () => {
    const text = 'groups:\n  - name: "😀"\n    sender_id: A\n  - {sender_id: null, name: b}\n';
    expect(readManifest([{ name: "f", bytes: encoder.encode(text) }], {})).toStrictEqual({
      manifest: {
        senderIds: undefined,
        groups: [
          {
            name: "😀",
            sender_id: "A",
            senderIdLocation: { file: "f", line: 3, column: 16 },
            location: { file: "f", line: 2, column: 5 },
          },
          {
            name: "b",
            sender_id: null,
            senderIdLocation: { file: "f", line: 4, column: 17 },
            location: { file: "f", line: 4, column: 5 },
          },
        ],
      },
      warnings: [],
    });
  });

  test("accepts ids of any size", () => {
    for (const [id, read] of [
      ["9007199254740993", "9007199254740993"],
      ['"123456789012345678901234567890"', "123456789012345678901234567890"],
      ["1e3", "1000"],
      ["007", "7"],
      ["+5", "5"],
    ] as const) {
      expect(contents(`groups: [{name: a, id: ${id}}]`)).toStrictEqual({
        groups: [{ name: "a", id: read }],
      });
    }
  });

  test("can use anchors and aliases", () => {
    const text = `
sender_ids: [{name: &n ACME, purpose: *n}]
groups:
  - {name: a, sender_id: *n, birthday_message: &m "Hi {first_name}", send_birthday: &b true}
  - {name: b, birthday_message: *m, send_birthday: *b}
`;
    expect(contents(text)).toStrictEqual({
      senderIds: [{ name: "ACME", purpose: "ACME" }],
      groups: [
        { name: "a", sender_id: "ACME", birthday_message: "Hi {first_name}", send_birthday: true },
        { name: "b", birthday_message: "Hi {first_name}", send_birthday: true },
      ],
    });
  });

  test("can have groups of the same name if each has an id or uuid", () => {
    const uuid = "123e4567-e89b-12d3-a456-426614174000";
    expect(contents(`groups: [{name: a, id: 1}, {name: a, uuid: ${uuid}}]`)).toStrictEqual({
      groups: [
        { name: "a", id: "1" },
        { name: "a", uuid },
      ],
    });
  });
});

describe("reports", () => {
  test("the first hundred problems, and a count of the rest", () => {
    const text = `groups:\n${"- 1\n".repeat(5000)}`;
    const reported = diagnostics({ f: text, g: "" });
    expect(reported).toHaveLength(101);
    expect(reported.slice(-2)).toStrictEqual([
      "f:101:3: a group must be a mapping, not the number 1",
      "f:101:3: and 4901 more",
    ]);
  });
});

describe("limits time and memory for", () => {
  const billion = ["a: &a0 [lol]"];
  for (let i = 1; i < 30; i += 1) billion.push(`b${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`);
  const laughing = ["groups:", "- &a0 {name: lol}"];
  for (let i = 1; i < 30; i += 1) laughing.push(`- &a${i} [${`*a${i - 1},`.repeat(10)}]`);

  test("nested aliases (billion laughs)", () => {
    expect(diagnostics(billion.join("\n"))[0]).toBe(
      'f:1:1: unknown field "a"; a manifest can have sender_ids, groups, $schema',
    );
    expect(diagnostics(laughing.join("\n"))[0]).toBe(
      "f:3:7: a group must be a mapping, not a list",
    );
  });

  test("texts expanded by aliases or variables", () => {
    const text = `groups:\n- {name: a, birthday_message: &m ${"x".repeat(1e6)}}\n`;
    const more = Array.from({ length: 50 }, (_, i) => `- {name: ${i}x, birthday_message: *m}\n`);
    const message = "aliases and variables add too much text; use fewer of them";
    expect(diagnostics(text + more.join(""))).toStrictEqual([`f:19:33: ${message}`]);
    const env = { A: "x".repeat(1e5) };
    expect(diagnostics(`groups: [{name: "${"${A}".repeat(1e6)}"}]`, env)).toStrictEqual([
      `f:1:17: ${message}`,
    ]);
  });

  for (const [name, text, location] of [
    ["brackets", "[".repeat(1e5), "1:32"],
    ["braces", `groups: ${"{a: ".repeat(1e5)}`, "1:129"],
    ["dashes", "- ".repeat(1e5), "1:63"],
    ["lines", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""), "32:32"],
  ] as const) {
    test(`deep nesting of ${name}`, () => {
      expect(diagnostics(text)).toStrictEqual([`f:${location}: nested deeper than 32 levels`]);
    });
  }

  test("a file of 50 MiB", () => {
    const bytes = new Uint8Array(50 * 1024 * 1024);
    expect(diagnostics({ f: bytes })).toStrictEqual([
      "f:1:1: the file is larger than 8 MiB; split it into several files",
    ]);
  });

  test("millions of tokens", () => {
    // Spaces and line ends are tokens, which are read faster than others.
    const reported = diagnostics(" \n".repeat(2e6));
    expect(reported).toStrictEqual([
      "f:1250001:1: the file has more than 2,500,000 YAML tokens; split it into several files",
    ]);
  });
});
