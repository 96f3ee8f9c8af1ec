import {
  array,
  assert,
  constantFrom,
  nat,
  oneof,
  property,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { expect, test } from "vitest";
import { readManifest } from "../../src/manifest/read.ts";
import { anyCharacter } from "../support/any-character.ts";

const manifest = `%YAML 1.2
---
# Everything that a manifest can contain
$schema: ./schema.json
sender_ids:
  - {name: &acme ACME, purpose: "Order\\tupdates \${A}"}
  - name: 'It''s'
    purpose: >-
      folded
      text
groups: [
  {id: 1, uuid: 123e4567-e89b-12d3-a456-426614174000, "name": Customers},
]
---
groups:
- name: Friends # comment
  send_birthday: true
  send_holiday: null
  birthday_message: |
    Hi {first_name}

    $\${x}
  sender_id: *acme
...
`;

const insertions = oneof(
  string({ unit: anyCharacter, maxLength: 3 }),
  constantFrom("\n", "  ", "\t", "\r", "- ", "? ", ": ", "[", "]", "{", "}", ",", "'", '"', "|"),
  constantFrom("&a ", "*a ", "!t ", "!!binary ", "#", "%", "---\n", "...\n", "<<: *a\n", "\0"),
  constantFrom("\ufeff", "\u2028", "${", "}", "null", "name: ", "groups:\n", "\ud800", ">+2\n"),
);

/** Replaces up to 12 characters at random positions. */
const changes = array(tuple(nat({ max: manifest.length }), nat({ max: 12 }), insertions), {
  maxLength: 6,
});

function read(bytes: Uint8Array) {
  return readManifest([{ name: "f", bytes }], { A: "a" });
}

/** Expects a manifest, or diagnostics with sorted locations within the text. */
function expectValidResult(bytes: Uint8Array): void {
  const result = read(bytes);
  if ("manifest" in result) return;
  expect(result.diagnostics.length).toBeGreaterThan(0);
  const lines = new TextDecoder().decode(bytes).split("\n");
  let before = { line: 1, column: 1 };
  const wrong = result.diagnostics.filter(({ file, line, column, message }) => {
    const isInOrder = line > before.line || (line === before.line && column >= before.column);
    before = { line, column };
    const isInText = line <= lines.length && column <= lines[line - 1]!.length + 1;
    return file !== "f" || !isInOrder || !isInText || !/^\S[^]*\S$/u.test(message);
  });
  expect(wrong).toStrictEqual([]);
}

test("a manifest with random changes is read or yields diagnostics", { timeout: 120_000 }, () => {
  assert(
    property(changes, (changed) => {
      let text = manifest;
      for (const [at, length, insertion] of changed) {
        text = text.slice(0, at) + insertion + text.slice(at + length);
      }
      expectValidResult(new TextEncoder().encode(text));
    }),
    { numRuns: 1000 },
  );
});

test("random bytes and YAML characters are read or yield diagnostics", { timeout: 120_000 }, () => {
  const punctuation = string({
    unit: constantFrom(..."-?:,[]{}#&*!|>'\"%@` \n\tab1\\$~<=.+".split("")),
    maxLength: 60,
  });
  const texts = oneof(
    punctuation,
    array(insertions, { maxLength: 30 }).map((all) => all.join("")),
  );
  const bytes = oneof(
    uint8Array({ maxLength: 200 }),
    texts.map((text) => new TextEncoder().encode(text)),
  );
  assert(property(bytes, expectValidResult), { numRuns: 1500 });
});
