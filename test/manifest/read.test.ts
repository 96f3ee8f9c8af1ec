import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/manifest/read.ts";

const encoder = new TextEncoder();

/** What a manifest holds, without places. */
function contents(text: string, env = {}) {
  const read = readManifest([{ name: "f", bytes: encoder.encode(text) }], env);
  if ("diagnostics" in read) throw new Error(JSON.stringify(read.diagnostics));
  return JSON.parse(
    JSON.stringify(read.manifest, (key, value: unknown) =>
      key === "location" || key === "senderIdLocation" ? undefined : value,
    ),
  ) as unknown;
}

/** Diagnostics as they are printed. */
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

  test("is YAML", () => {
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

  test("is JSON, however it is laid out", () => {
    const { senderIds, groups } = whole;
    const value = { $schema: "./schema.json", sender_ids: senderIds, groups };
    for (const space of [0, 2, "\t"]) {
      expect(contents(JSON.stringify(value, null, space))).toStrictEqual(whole);
    }
    expect(contents('{"groups":[{"name":"\\ud83d\\ude00\\/\\n"}]}')).toStrictEqual({
      groups: [{ name: "😀/\n" }],
    });
  });

  test("may be in several documents and files", () => {
    const text =
      "---\ngroups:\n- name: a\n---\n---\ngroups: [{name: b}]\n...\n---\nsender_ids: []\n";
    expect(contents(text)).toStrictEqual({
      senderIds: [],
      groups: [{ name: "a" }, { name: "b" }],
    });
  });

  test("manages no section that it does not have", () => {
    expect(contents("groups: []")).toStrictEqual({ groups: [] });
    expect(contents("sender_ids: []")).toStrictEqual({ senderIds: [] });
    expect(contents("{}")).toStrictEqual({});
  });

  test("has places", () => {
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
    });
  });

  test("takes ids of any size, in digits", () => {
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

  test("may use anchors", () => {
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

  test("lets groups share a name where each has an id or a uuid", () => {
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
  test("stands in texts, and alone for what is none", () => {
    const env = { A: "acme", HOLIDAY: "null", ON: "true", ID: "12", EMPTY: "", NESTED: "${A}" };
    const text = `
sender_ids: [{name: "\${A}-\${A}", purpose: "$\${A} $$\${A} $5 \${EMPTY}\${NESTED}"}]
groups: [{name: a, id: "\${ID}", send_birthday: "\${ON}", send_holiday: "\${HOLIDAY}", sender_id: "\${A}"}]
`;
    expect(contents(text, env)).toStrictEqual({
      senderIds: [{ name: "acme-acme", purpose: "${A} $${A} $5 ${A}" }],
      groups: [{ name: "a", id: "12", send_birthday: true, send_holiday: null, sender_id: "acme" }],
    });
  });

  test("that is unset, malformed, secret or wrong is a fault", () => {
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
    name: \${EMPTY}
    send_birthday: \${NULL}
    send_holiday: \${BAD}
  - name: b
    send_birthday: \${BAD} or not
`;
    expect(diagnostics(text, env)).toStrictEqual([
      "f:3:11: ${UNSET} is not set in the environment",
      "f:4:14: ${ begins a variable, like ${NAME}: write $${ where it is meant literally",
      "f:5:11: name must name a sender ID, and the value of ${EMPTY} is empty",
      "f:6:14: ${SENDCTL_SECRET_KEY} is refused: a secret does not belong in a manifest",
      "f:8:14: ${constructor} is not set in the environment",
      "f:10:9: id must be a whole number from 1, and the value of ${BAD} is none",
      "f:11:11: uuid must be like 123e4567-e89b-12d3-a456-426614174000, and the value of ${BAD} is not",
      "f:12:11: name must not be empty, and the value of ${EMPTY} is",
      "f:13:20: send_birthday must be true or false, and the value of ${NULL} is not",
      "f:14:19: send_holiday must be true, false or null, and the value of ${BAD} is not",
      'f:16:20: send_birthday must be true or false, and is the text "${BAD} or not"',
    ]);
  });

  test("is no name of a member", () => {
    expect(diagnostics('{"${A}": 1}', { A: "groups" })).toStrictEqual([
      'f:1:2: unknown member "${A}": a manifest has sender_ids, groups, $schema',
    ]);
  });
});

describe("a fault is told where it stands,", () => {
  const empty = "is empty: write sender_ids: [] or groups: [] where there are to be none";
  const cases: Readonly<Record<string, readonly [text: string, ...faults: readonly string[]]>> = {
    "an empty file": ["", `1:1: ${empty}`],
    "white space and comments": ["\n  # nothing\n---\n", `1:1: ${empty}`],
    "no mapping": ["- a", "1:1: a manifest must be a mapping, and is a list"],
    null: ["null", "1:1: a manifest must be a mapping, and is null"],
    text: ["hello", '1:1: a manifest must be a mapping, and is the text "hello"'],
    "a quote that is never closed": [
      'groups:\n  - name: "A\n  - name: B\n',
      '2:11: a quote is never closed: "',
    ],
    "a single quote in brackets that is never closed": [
      "groups: ['a\n",
      "1:10: a quote is never closed: '",
    ],
    "a quote of JSON that is never closed": [
      '{"groups": [{"name": "A}]}\n',
      '1:22: a quote is never closed: "',
    ],
    "a bracket that is never closed": [
      "groups: [{name: A}, {name: B}\nsender_ids: []\n",
      "1:9: a bracket is never closed: [",
    ],
    "a brace that a bracket closes": [
      "groups: [{name: A}, {name: B]\n",
      "1:21: a bracket is never closed: {",
    ],
    "a brace of JSON that is never closed": [
      '{"groups": [{"name": "A"\n, {"name": "B"}]}\n',
      "1:13: a bracket is never closed: {",
    ],
    "a bracket too many": ["groups: []]\n", "1:11: a bracket is closed that is not open: ]"],
    "sections that are no lists": [
      "sender_ids:\ngroups: {name: a}\n$schema: 1\n",
      "1:12: sender_ids must be a list, and is left empty: write sender_ids: [] for none, or leave it out to leave them as they are",
      "2:9: groups must be a list, and is a mapping: put a dash before each of its items",
      "3:10: $schema must be text, and is the number 1",
    ],
    "items that are no mappings": [
      "groups: [a, [b], null, 1]",
      '1:10: a group must be a mapping, and is the text "a"',
      "1:13: a group must be a mapping, and is a list",
      "1:18: a group must be a mapping, and is null",
      "1:24: a group must be a mapping, and is the number 1",
    ],
    "what is missing": [
      "sender_ids: [{}, {name: a}, {purpose: b}]\ngroups:\n- id: 1\n",
      "1:14: the sender ID has no name: give it one",
      "1:14: the sender ID has no purpose: give it one",
      "1:18: the sender ID has no purpose: give it one",
      "1:29: the sender ID has no name: give it one",
      "3:3: the group has no name: give it one",
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
      '2:11: name must be text, and is the number 123: write "123"',
      "3:9: id must be a whole number from 1, and is the number 0",
      '4:11: uuid must be like 123e4567-e89b-12d3-a456-426614174000, and "x" is not',
      '5:20: send_birthday must be true or false, and is the text "true"',
      '6:19: send_holiday must be true, false or null, and is the text "no"',
      "7:23: birthday_message must be text, and is a list",
      '8:16: sender_id must be text, and is the boolean true: write "true"',
      "9:10: name must be text, and is left empty",
      "10:9: id must be a whole number from 1, and is the number 1.5",
      "11:20: send_birthday must be true or false, and is null",
      "12:18: send_holiday must be true, false or null, and is left empty",
      "13:22: birthday_message must be text, and is left empty",
      "14:16: sender_id must be text, and is a mapping",
    ],
    "unknown members": [
      "sender_id: []\nGroups: []\ngroups: [{nmae: a, name: b, sendBirthday: true, color: red, 1: 2}]\n",
      '1:1: unknown member "sender_id": did you mean sender_ids?',
      '2:1: unknown member "Groups": did you mean groups?',
      '3:11: unknown member "nmae": did you mean name?',
      '3:29: unknown member "sendBirthday": did you mean send_birthday?',
      '3:49: unknown member "color": a group has id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id',
      '3:61: unknown member "1": a group has id, uuid, name, send_birthday, send_holiday, birthday_message, sender_id',
    ],
    "names that no URL carries": [
      'sender_ids: [{name: ., purpose: a}, {name: "", purpose: a}]\ngroups: [{name: "", sender_id: ..}, {name: b, sender_id: "\\ud800"}]',
      '1:21: name must name a sender ID, and "." is a name that no URL can carry',
      '1:44: name must name a sender ID, and "" is empty',
      '2:17: name must not be empty, and "" is',
      '2:32: sender_id must name a sender ID, and ".." is a name that no URL can carry',
      '2:58: sender_id must name a sender ID, and "\\ud800" is a name that no URL can carry',
    ],
    "ids that are none": [
      'groups: [{name: a, id: -1}, {name: b, id: "01"}, {name: c, id: .inf}, {name: d, id: null}, {name: e, id: x}]',
      "1:24: id must be a whole number from 1, and is the number -1",
      '1:43: id must be a whole number from 1, and "01" is none',
      "1:64: id must be a whole number from 1, and is the number .inf",
      "1:85: id must be a whole number from 1, and is null",
      '1:106: id must be a whole number from 1, and "x" is none',
    ],
    "members given twice": [
      "groups: [{name: a, name: b}]\ngroups: []\n",
      "1:20: name is given twice: first at f:1:11",
      "2:1: groups is given twice: first at f:1:1",
    ],
    "what there can be but one of": [
      `sender_ids: [{name: a, purpose: b}, {name: a, purpose: c}]
groups:
  - {name: a, id: 1, uuid: 123e4567-e89b-12d3-a456-426614174000}
  - {name: b, id: "1", uuid: 123E4567-E89B-12D3-A456-426614174000}
  - {name: a}
  - {name: a, id: 2}
`,
      "1:44: another sender ID has this name: first at f:1:21",
      "4:19: another group has this id: first at f:3:19",
      "4:30: another group has this uuid: first at f:3:28",
      "5:12: another group has this name: first at f:3:12; give each its id or uuid",
      "6:12: another group has this name: first at f:5:12; give each its id or uuid",
    ],
    tags: [
      "groups: !!seq\n  - name: !!binary aGk=\n  - name: !foo b\n    birthday_message: !!str 1\n",
      "1:9: tags like !!seq have no meaning here: leave it out",
      "2:11: tags like !!binary have no meaning here: leave it out",
      "3:11: tags like !foo have no meaning here: leave it out",
      "4:23: tags like !!str have no meaning here: leave it out",
    ],
    "YAML of another version": [
      "%YAML 1.1\n---\ngroups: []\n",
      "1:1: %YAML 1.1 can't be read: manifests are YAML 1.2",
    ],
    "keys that are no words": [
      "? [a]\n: b\n? {c: d}\n: e\n? &a x\n: 1\n*a : 2\n",
      "1:3: a key must be a word, and is a list",
      "3:3: a key must be a word, and is a mapping",
      '5:6: unknown member "x": a manifest has sender_ids, groups, $schema',
      "7:1: a key must be a word, and is an alias",
    ],
    "merge keys": [
      "groups:\n  - &a {name: a}\n  - <<: *a\n    name: b\n",
      "3:5: merge keys (<<) have no meaning here: write the members out",
    ],
    "aliases that lead nowhere": [
      "groups: &g\n  - name: *x\n  - *g\n  - {name: *g}\n",
      "2:11: *x stands for nothing: there is no &x before it",
      "3:5: *g is within what it stands for: write out what is meant",
      "4:12: *g is within what it stands for: write out what is meant",
    ],
    "a manifest within itself": [
      "&a\ngroups: *a\n",
      "2:9: *a is within what it stands for: write out what is meant",
    ],
    "a document among others": [
      "groups: []\n---\n}\n---\ngroups: [1]\n",
      "3:1: a bracket is closed that is not open: }",
      "5:10: a group must be a mapping, and is the number 1",
    ],
    "a NUL byte": ["groups: []\n# \0", "2:3: holds a NUL byte: a manifest is text"],
  };
  for (const [name, [text, ...expected]] of Object.entries(cases)) {
    test(`of ${name}`, () =>
      expect(diagnostics(text)).toStrictEqual(expected.map((one) => `f:${one}`)));
  }

  test("in bytes that are not UTF-8", () => {
    const latin1 = new Uint8Array([...encoder.encode("groups:\n- name: é"), 0xe9, 0x0a]);
    const utf16 = new Uint8Array(Buffer.from("\ufeffgroups: []", "utf16le"));
    const swapped = new Uint8Array(Buffer.from(utf16).swap16());
    const cutOff = encoder.encode("😀").subarray(0, 3);
    expect(diagnostics({ latin1, utf16, swapped, cutOff })).toStrictEqual([
      "latin1:2:10: is not UTF-8: save it as UTF-8",
      "utf16:1:1: is UTF-16: save it as UTF-8",
      "swapped:1:1: is UTF-16: save it as UTF-8",
      "cutOff:1:1: is not UTF-8: save it as UTF-8",
    ]);
  });

  test("over several files, in the order of these", () => {
    const text = "sender_ids: [{name: a, purpose: b}]\ngroups: [{name: a}]\n";
    expect(diagnostics({ z: text, a: text, empty: "" })).toStrictEqual([
      "a:1:21: another sender ID has this name: first at z:1:21",
      "a:2:17: another group has this name: first at z:2:17; give each its id or uuid",
      `empty:1:1: ${empty}`,
    ]);
  });

  test("up to a hundred of them, the others counted", () => {
    const text = `groups:\n${"- 1\n".repeat(5000)}`;
    const told = diagnostics({ f: text, g: "" });
    expect(told).toHaveLength(101);
    expect(told.slice(-2)).toStrictEqual([
      "f:101:3: a group must be a mapping, and is the number 1",
      "f:102:3: and 4901 more",
    ]);
  });
});

describe("what is made to take for ever, or everything, is refused:", () => {
  const billion = ["a: &a0 [lol]"];
  for (let i = 1; i < 30; i += 1) billion.push(`b${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`);
  const laughing = ["groups:", "- &a0 {name: lol}"];
  for (let i = 1; i < 30; i += 1) laughing.push(`- &a${i} [${`*a${i - 1},`.repeat(10)}]`);

  test("a billion laughs", () => {
    expect(diagnostics(billion.join("\n"))[0]).toBe(
      'f:1:1: unknown member "a": a manifest has sender_ids, groups, $schema',
    );
    expect(diagnostics(laughing.join("\n"))[0]).toBe(
      "f:3:7: a group must be a mapping, and is a list",
    );
  });

  test("texts that aliases or variables make too long", () => {
    const text = `groups:\n- {name: a, birthday_message: &m ${"x".repeat(1e6)}}\n`;
    const more = Array.from({ length: 50 }, (_, i) => `- {name: ${i}x, birthday_message: *m}\n`);
    const fault = "aliases and variables stand for too much: write out what is meant";
    expect(diagnostics(text + more.join(""))).toStrictEqual([`f:19:33: ${fault}`]);
    const env = { A: "x".repeat(1e5) };
    expect(diagnostics(`groups: [{name: "${"${A}".repeat(1e6)}"}]`, env)).toStrictEqual([
      `f:1:17: ${fault}`,
    ]);
  });

  for (const [name, text, location] of [
    ["brackets", "[".repeat(1e5), "1:32"],
    ["braces", `groups: ${"{a: ".repeat(1e5)}`, "1:129"],
    ["dashes", "- ".repeat(1e5), "1:63"],
    ["lines", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""), "32:32"],
  ] as const) {
    test(`deep nesting of ${name}`, () => {
      expect(diagnostics(text)).toStrictEqual([
        `f:${location}: nests deeper than 32 levels: no manifest does`,
      ]);
    });
  }

  test("a file of 50 MiB, without a look into it", () => {
    const bytes = new Uint8Array(50 * 1024 * 1024);
    expect(diagnostics({ f: bytes })).toStrictEqual([
      "f:1:1: is over 8 MiB: make several files of it",
    ]);
  });

  test("millions of tokens", () => {
    const told = diagnostics(`[${",".repeat(4e6)}]`);
    expect(told).toStrictEqual([
      "f:1:2500000: has more in it than can be read at once: make several files of it",
    ]);
  });
});
