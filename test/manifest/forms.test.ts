import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/manifest/read.ts";

/** Manifests as people write them: what is read, or the location and a part of what is reported. */

function readBytes(bytes: Uint8Array, env = {}) {
  const read = readManifest([{ name: "m.yaml", bytes }], env);
  if ("diagnostics" in read) {
    return read.diagnostics.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  }
  const { senderIds, groups } = read.manifest;
  return [...(senderIds ?? []), ...(groups ?? [])].map(fieldsOf);
}

function fieldsOf(record: object) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !/location/i.test(name)));
}

const read = (text: string) => readBytes(Buffer.from(text));
const named = (value: string) => `groups:\n  - name: ${value}\n`;
const other = (field: string, value: string) => `groups:\n  - name: A\n    ${field}: ${value}\n`;

describe("is read as it is meant:", () => {
  test.for<[form: string, text: string, ...records: object[]]>([
    ["a date", named("2024-01-31"), { name: "2024-01-31" }],
    ["a time", named("12:30"), { name: "12:30" }],
    ["a word of YAML 1.1 as text", named("no"), { name: "no" }],
    ["a country", named("NO"), { name: "NO" }],
    ["an apostrophe", named("Ada's"), { name: "Ada's" }],
    ["a doubled apostrophe", named("'it''s'"), { name: "it's" }],
    ["a quoted colon", named('"A:"'), { name: "A:" }],
    ["an escape", named('"A\\u00e9"'), { name: "Aé" }],
    ["an emoji", named("🎂"), { name: "🎂" }],
    ["a comment", named("A # the first"), { name: "A" }],
    ["typographic quotes within a text", named("The “A” team"), { name: "The “A” team" }],
    ["typographic quotes in quotes", named('"“A”"'), { name: "“A”" }],
    ["a boolean in capitals", other("send_birthday", "TRUE"), { name: "A", send_birthday: true }],
    ["a tilde for null", other("send_holiday", "~"), { name: "A", send_holiday: null }],
    ["an octal id", other("id", "0o17"), { name: "A", id: "15" }],
    ["an id with zeros", other("id", "007"), { name: "A", id: "7" }],
    ["a hexadecimal id", other("id", "0x10"), { name: "A", id: "16" }],
    ["an id with an exponent", other("id", "1e3"), { name: "A", id: "1000" }],
    [
      "a placeholder within a text",
      other("birthday_message", "Hi {first_name}"),
      { name: "A", birthday_message: "Hi {first_name}" },
    ],
    [
      "a literal block",
      other("birthday_message", "|\n      Hi\n      you\n"),
      { name: "A", birthday_message: "Hi\nyou\n" },
    ],
    [
      "a folded block without its line end",
      other("birthday_message", ">-\n      Hi\n      you\n"),
      { name: "A", birthday_message: "Hi you" },
    ],
    ["several documents", `${named("A")}---\n${named("B")}...\n`, { name: "A" }, { name: "B" }],
    ["Windows line ends", named("A").replaceAll("\n", "\r\n"), { name: "A" }],
    ["a comma too many in JSON", '{"groups": [{"name": "A",},],}', { name: "A" }],
    ["JSON with single quotes", "{'groups': [{'name': 'A'}]}", { name: "A" }],
  ])("%s", ([, text, ...records]) => expect(read(text)).toStrictEqual(records));

  test.for([
    ["UTF-8", Buffer.from(`\ufeff${named("Grüße")}`)],
    ["UTF-16, as PowerShell writes it", Buffer.from(`\ufeff${named("Grüße")}`, "utf16le")],
    ["UTF-16, big endian", Buffer.from(`\ufeff${named("Grüße")}`, "utf16le").swap16()],
  ] as const)("a file with a byte order mark: %s", ([, bytes]) =>
    expect(readBytes(bytes)).toStrictEqual([{ name: "Grüße" }]),
  );
});

describe("is refused with what to write:", () => {
  const { raw } = String;
  test.for<[form: string, text: string, problem: string]>([
    [
      "an octal number as text",
      named("010"),
      '2:11: name must be text, not the number 010; write "010"',
    ],
    ["a hexadecimal number", named("0x10"), 'write "0x10"'],
    ["an exponent", named("1e3"), 'write "1e3"'],
    ["a version", named("1.10"), 'not the number 1.10; write "1.10"'],
    ["null as text", named("null"), 'write "null"'],
    [
      "yes as a boolean",
      other("send_birthday", "yes"),
      "3:20: send_birthday must be true or false",
    ],
    ["off as a boolean", other("send_birthday", "Off"), 'not the text "Off"; write false'],
    [
      "an id with commas",
      other("id", "1,000"),
      '3:9: id must be a positive whole number, not "1,000"',
    ],
    [
      "tabs",
      "groups:\n\t- name: A\n",
      "2:1: invalid YAML: Tabs are not allowed as indentation; use spaces",
    ],
    [
      "a merge",
      "groups:\n  - &a {name: a}\n  - {<<: *a}\n",
      "3:6: merge keys (<<) are not supported",
    ],
    ["a tag", named("!!str 1"), "2:11: the tag !!str is not supported; remove it"],
    [
      "a placeholder at the beginning",
      named("{first_name}"),
      "2:11: name must be text, not a mapping; put a text",
    ],
    [
      "a placeholder before text",
      named("{first_name}, hi"),
      "put a text that begins with { in quotes",
    ],
    ["a bracket before text", named("[News] hi"), 'write "[News] hi"'],
    ["a trailing colon", named("Customers:"), '; write "Customers:"'],
    [
      "a colon within",
      other("birthday_message", "Note: hi"),
      '3:23: invalid YAML: Nested mappings are not allowed in compact mappings; write "Note: hi"',
    ],
    [
      "an at sign",
      named("@home # A"),
      '2:11: invalid YAML: Plain value cannot start with reserved character @; write "@home"',
    ],
    ["a backquote", named("`x`"), 'write "`x`"'],
    ["a percent sign", named("%off"), 'write "%off"'],
    ["a single quote within", named("'It's Ann's day' # A"), `write "It's Ann's day"`],
    ["double quotes within", named('"Say "hi" now"'), raw`write "Say \"hi\" now"`],
    ["text after a quoted text", named('"A" and B'), raw`write "\"A\" and B"`],
    [
      "typographic quotes",
      named("“Customers”"),
      '2:11: name is in typographic quotes; write "Customers", or "“Customers”" to keep them',
    ],
    ["single typographic quotes", named("‘A’"), 'write "A"'],
    ["German quotes", named("„Kunden“"), 'write "Kunden"'],
    ["a field in typographic quotes", "groups:\n  - “name”: A\n", "did you mean name?"],
    ["comments in JSON", '{"groups": [] // none\n}', "1:15: invalid YAML"],
    [
      "a record by its name",
      "groups:\n  A:\n    id: 1\n",
      "2:3: groups must be a list, not a mapping; start each item with a dash",
    ],
  ])("%s", ([, text, problem]) => {
    const [first] = read(text);
    expect(first).toContain(problem);
  });

  test("and with nothing to write where that is not known", () => {
    expect(read("groups:\n  - name: A\n   send_birthday: true\n")).toStrictEqual([
      "3:1: invalid YAML: Sequence item without - indicator",
    ]);
    expect(read("groups:\n  - name: Good\n    morning\n")[0]).not.toContain("write");
  });
});
