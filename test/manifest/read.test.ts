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

  test("can span several documents", () => {
    const text =
      "---\ngroups:\n- name: a\n---\n---\ngroups: [{name: b}]\n...\n---\nsender_ids: []\n";
    expect(contents(text)).toStrictEqual({
      senderIds: [],
      groups: [{ name: "a" }, { name: "b" }],
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

describe("a variable", () => {
  test("can be part of a text, or the whole value of another type", () => {
    const env = { A: "acme", HOLIDAY: "null", ON: "true", ID: "12", EMPTY: "", NESTED: "${A}" };
    const text = `
sender_ids: [{name: "\${A}-\${A}", purpose: "$\${A} $$\${A} $5 \${EMPTY:-}\${NESTED}"}]
groups: [{name: a, id: "\${ID}", send_birthday: "\${ON}", send_holiday: "\${HOLIDAY}", sender_id: "\${A}"}]
`;
    expect(contents(text, env)).toStrictEqual({
      senderIds: [{ name: "acme-acme", purpose: "${A} $${A} $5 ${A}" }],
      groups: [{ name: "a", id: "12", send_birthday: true, send_holiday: null, sender_id: "acme" }],
    });
  });

  test("is reported if it is unset, malformed, secret or invalid", () => {
    const env = { BAD: "hidden", EMPTY: "", SENDCTL_SECRET_KEY: "sk", NULL: "null" };
    const text = `
sender_ids:
  - name: "x\${UNSET}\${UNSET}"
    purpose: "\${"
  - name: \${EMPTY}
    purpose: \${SENDCTL_SECRET_KEY}
  - name: a
    purpose: \${constructor}
groups:
  - id: \${BAD}
    uuid: \${BAD}
    name: \${EMPTY:-}
    send_birthday: \${NULL}
    send_holiday: \${BAD}
  - name: b
    send_birthday: \${BAD} or not
`;
    expect(diagnostics(text, env)).toStrictEqual([
      "f:3:11: ${UNSET} is not set in the environment",
      "f:4:14: invalid variable: write ${NAME}, ${NAME:-} if it may be empty, or $${ for a literal ${",
      "f:5:11: ${EMPTY} is empty in the environment; write ${EMPTY:-} to allow that",
      "f:6:14: ${SENDCTL_SECRET_KEY} is refused: a manifest must not contain secrets",
      "f:8:14: ${constructor} is not set in the environment",
      "f:10:9: id must be a positive whole number, but the value of ${BAD} is not",
      "f:11:11: uuid must be like 123e4567-e89b-12d3-a456-426614174000, but the value of ${BAD} is not",
      "f:12:11: name must not be empty, but the value of ${EMPTY} is",
      "f:13:20: send_birthday must be true or false, but the value of ${NULL} is not",
      "f:14:19: send_holiday must be true, false or null, but the value of ${BAD} is not",
      'f:16:20: send_birthday must be true or false, not the text "${BAD} or not"',
    ]);
  });

  test("cannot be a field name", () => {
    expect(diagnostics('{"${A}": 1}', { A: "groups" })).toStrictEqual([
      'f:1:2: unknown field "${A}"; a manifest can have sender_ids, groups, $schema',
    ]);
  });
});

describe("reports", () => {
  const empty = "the file is empty; to declare no records, write sender_ids: [] or groups: []";
  const cases: Readonly<
    Record<string, readonly [text: string, ...diagnostics: readonly string[]]>
  > = {
    "an empty file": ["", `1:1: ${empty}`],
    "white space and comments": ["\n  # nothing\n---\n", `1:1: ${empty}`],
    "a list": ["- a", "1:1: a manifest must be a mapping, not a list"],
    null: ["null", "1:1: a manifest must be a mapping, not null"],
    text: ["hello", '1:1: a manifest must be a mapping, not the text "hello"'],
    "a quote that is never closed": [
      'groups:\n  - name: "A\n  - name: B\n',
      '2:11: unclosed quote: "',
    ],
    "a single quote in brackets that is never closed": ["groups: ['a\n", "1:10: unclosed quote: '"],
    "a quote of JSON that is never closed": [
      '{"groups": [{"name": "A}]}\n',
      '1:22: unclosed quote: "',
    ],
    "a bracket that is never closed": [
      "groups: [{name: A}, {name: B}\nsender_ids: []\n",
      "2:1: invalid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    "a brace that a bracket closes": [
      "groups: [{name: A}, {name: B]\n",
      "1:29: invalid YAML: Flow map in block collection must be sufficiently indented and end with a }",
    ],
    "a superfluous bracket": ["groups: []]\n", "1:11: unexpected closing bracket: ]"],
    "sections that are not lists": [
      "sender_ids:\ngroups: {name: a}\n$schema: 1\n",
      "1:12: sender_ids must be a list, but the value is missing; write sender_ids: [] for none, or remove sender_ids to leave the existing ones unchanged",
      "2:9: groups must be a list, not a mapping; start each item with a dash",
      "3:10: $schema must be text, not the number 1",
    ],
    "items that are not mappings": [
      "groups: [a, [b], null, 1]",
      '1:10: a group must be a mapping, not the text "a"',
      "1:13: a group must be a mapping, not a list",
      "1:18: a group must be a mapping, not null",
      "1:24: a group must be a mapping, not the number 1",
    ],
    "missing fields": [
      "sender_ids: [{}, {name: a}, {purpose: b}]\ngroups:\n- id: 1\n",
      "1:14: missing required field name",
      "1:14: missing required field purpose",
      "1:18: missing required field purpose",
      "1:29: missing required field name",
      "3:3: missing required field name",
    ],
    "wrong types": [
      `groups:
  - name: 123
    id: 0
    uuid: x
    send_birthday: "true"
    send_holiday: no
    birthday_message: [a]
    sender_id: true
  - name:
    id: 1.5
    send_birthday: null
    send_holiday:
    birthday_message:
    sender_id: {}
`,
      '2:11: name must be text, not the number 123; write "123"',
      "3:9: id must be a positive whole number, not the number 0",
      '4:11: uuid must be like 123e4567-e89b-12d3-a456-426614174000, not "x"',
      '5:20: send_birthday must be true or false, not the text "true"; write true',
      '6:19: send_holiday must be true, false or null, not the text "no"; write false',
      "7:23: birthday_message must be text, not a list",
      '8:16: sender_id must be text, not the boolean true; write "true"',
      "9:10: name must be text, but the value is missing",
      "10:9: id must be a positive whole number, not the number 1.5",
      "11:20: send_birthday must be true or false, not null",
      "12:18: send_holiday must be true, false or null, but the value is missing",
      "13:22: birthday_message must be text, but the value is missing",
      "14:16: sender_id must be text, not a mapping",
    ],
    "unknown fields": [
      "sender_id: []\nGroups: []\ngroups: [{nmae: a, name: b, sendBirthday: true, color: red, 1: 2}]\n",
      '1:1: unknown field "sender_id"; did you mean sender_ids?',
      '2:1: unknown field "Groups"; did you mean groups?',
      '3:11: unknown field "nmae"; did you mean name?',
      '3:29: unknown field "sendBirthday"; did you mean send_birthday?',
      '3:49: unknown field "color"; a group can have id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id',
      '3:61: unknown field "1"; a group can have id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id',
    ],
    "names that a URL path cannot contain": [
      'sender_ids: [{name: ., purpose: a}, {name: "", purpose: a}]\ngroups: [{name: "", sender_id: ..}, {name: b, sender_id: "\\ud800"}]',
      '1:21: "." cannot be the name of a sender ID: a URL path cannot contain it',
      "1:44: name must not be empty",
      "2:17: name must not be empty",
      '2:32: ".." cannot be the name of a sender ID: a URL path cannot contain it',
      "2:58: sender_id must not contain half a surrogate pair",
    ],
    "half a surrogate pair": [
      'groups: [{name: "a\\ud83d"}, {name: b, birthday_message: "\\udc00"}]',
      "1:17: name must not contain half a surrogate pair",
      "1:57: birthday_message must not contain half a surrogate pair",
    ],
    "invalid ids": [
      'groups: [{name: a, id: -1}, {name: b, id: "01"}, {name: c, id: .inf}, {name: d, id: null}, {name: e, id: x}]',
      "1:24: id must be a positive whole number, not the number -1",
      '1:43: id must be a positive whole number, not "01"',
      "1:64: id must be a positive whole number, not the number .inf",
      "1:85: id must be a positive whole number, not null",
      '1:106: id must be a positive whole number, not "x"',
    ],
    "duplicate fields": [
      "groups: [{name: a, name: b}]\ngroups: []\n",
      "1:20: duplicate field name (first at f:1:11)",
      "2:1: duplicate field groups (first at f:1:1)",
    ],
    "duplicate keys of records": [
      `sender_ids: [{name: a, purpose: b}, {name: a, purpose: c}]
groups:
  - {name: a, id: 1, uuid: 123e4567-e89b-12d3-a456-426614174000}
  - {name: b, id: "1", uuid: 123E4567-E89B-12D3-A456-426614174000}
  - {name: a}
  - {name: a, id: 2}
`,
      "1:44: duplicate sender ID name (first at f:1:21)",
      "4:19: duplicate group id (first at f:3:19)",
      "4:30: duplicate group uuid (first at f:3:28)",
      "5:12: duplicate group name (first at f:3:12); add the id or uuid to each of them, or remove one",
      "6:12: duplicate group name (first at f:5:12); add the id or uuid to each of them, or remove one",
    ],
    tags: [
      "groups: !!seq\n  - name: !!binary aGk=\n  - name: !foo b\n    birthday_message: !!str 1\n",
      "1:9: the tag !!seq is not supported; remove it",
      "2:11: the tag !!binary is not supported; remove it",
      "3:11: the tag !foo is not supported; remove it",
      "4:23: the tag !!str is not supported; remove it",
    ],
    "another YAML version": [
      "%YAML 1.1\n---\ngroups: []\n",
      "1:1: %YAML 1.1 is not supported; write YAML 1.2",
    ],
    "field names that are not text": [
      "? [a]\n: b\n? {c: d}\n: e\n? &a x\n: 1\n*a : 2\n",
      "1:3: a field name must be text, not a list",
      "3:3: a field name must be text, not a mapping",
      '5:6: unknown field "x"; a manifest can have sender_ids, groups, $schema',
      "7:1: a field name must be text, not an alias",
    ],
    "merge keys": [
      "groups:\n  - &a {name: a}\n  - <<: *a\n    name: b\n",
      "3:5: merge keys (<<) are not supported; write out the fields",
    ],
    "invalid aliases": [
      "groups: &g\n  - name: *x\n  - *g\n  - {name: *g}\n",
      "2:11: unknown alias *x: no anchor &x precedes it",
      "3:5: the alias *g is inside its own anchor &g",
      "4:12: the alias *g is inside its own anchor &g",
    ],
    "an alias of the whole manifest inside it": [
      "&a\ngroups: *a\n",
      "2:9: the alias *a is inside its own anchor &a",
    ],
    "the first syntax error, after which nothing is read": [
      "groups: []\n---\n}\n---\ngroups: [1]]\n",
      "3:1: unexpected closing bracket: }",
    ],
    "a NUL byte": ["groups: []\n# \0", "1:1: the file contains a NUL byte; it must be text"],
  };
  for (const [name, [text, ...expected]] of Object.entries(cases)) {
    test(`the location of ${name}`, () =>
      expect(diagnostics(text)).toStrictEqual(expected.map((one) => `f:${one}`)));
  }

  test("bytes that are neither UTF-8 nor UTF-16 with a mark", () => {
    const latin1 = new Uint8Array([...encoder.encode("groups:\n- name: é"), 0xe9, 0x0a]);
    const cutOff = encoder.encode("😀").subarray(0, 3);
    expect(diagnostics({ latin1, cutOff })).toStrictEqual([
      "latin1:1:1: the file is not UTF-8; save it as UTF-8",
      "cutOff:1:1: the file is not UTF-8; save it as UTF-8",
    ]);
  });

  test("problems of several files, in the order of the files", () => {
    const text = "sender_ids: [{name: a, purpose: b}]\ngroups: [{name: a}]\n";
    expect(diagnostics({ z: text, a: text, empty: "" })).toStrictEqual([
      "a:1:21: duplicate sender ID name (first at z:1:21)",
      "a:2:17: duplicate group name (first at z:2:17); add the id or uuid to each of them, or remove one",
      `empty:1:1: ${empty}`,
    ]);
  });

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
