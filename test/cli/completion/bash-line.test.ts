import { expect, test } from "vitest";
import { continuationsOf, readBashLine } from "../../../src/cli/completion.ts";

const breaks = " \t\n\"'@><=;|&(:";

const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["sendctl ", [""]],
  ["sendctl  group\tfe", ["group", "fe"]],
  ["A=1 B= sendctl group ", ["group", ""]],
  [String.raw`sendctl My\ Co 'a "b' "c 'd\$" x\"y`, ["My Co", `a "b`, "c 'd$", 'x"y']],
  [`sendctl --sender-id="My C`, ["--sender-id=My C"]],
  [`sendctl '' ""`, ["", ""]],
  [String.raw`sendctl ab\\`, [String.raw`ab\ `.trim()]],
  [String.raw`sendctl "a\b`, [String.raw`a\b`]],
];

test.each(lines)("%s is split like in bash", (line, words) => {
  expect(readBashLine(line, breaks).words).toStrictEqual(words);
});

const escaped = String.raw`\$\(rm\ -rf\ \~\)\;\`x\`\!\*\?\[a\]\{b\}\#\&\|\<\>`;

const continued: readonly (readonly [typed: string, name: string, inserted: string | undefined])[] =
  [
    ["", "My Co", String.raw`My\ Co`],
    ["My", "My Co", String.raw`My\ Co`],
    ["my", "My Co", undefined],
    [String.raw`My\ C`, "My Co", String.raw`My\ Co`],
    ["'My", "It's", undefined],
    ["'It", "It's", String.raw`It'\''s`],
    ['"', 'a"b`c$d\\e', String.raw`a\"b\`c\$d\\e`],
    ['"', "a!!b!", `a"'!'""'!'"b"'!'""`],
    ['"', 'a"', String.raw`a\""`],
    ["'", "a'", String.raw`a'\'''`],
    ["'", "a!", "a!"],
    ["A:", "A:B=c", "B=c"],
    ["A:B=", "A:B=c", "c"],
    ["--sender-id=", "--sender-id=My Co", String.raw`My\ Co`],
    [`--sender-id="M`, "--sender-id=My Co", "My Co"],
    ["", "$(rm -rf ~);`x`!*?[a]{b}#&|<>", escaped],
    ['"My Co"', "My Co", undefined],
    ["", "Straße", "Straße"],
  ];

test.each(continued)("after %s, bash inserts for %s: %s", (typed, name, inserted) => {
  const candidates = [{ value: name, about: "" }];
  const [found] = continuationsOf(readBashLine(`sendctl ${typed}`, breaks), candidates);
  expect(found?.value).toBe(inserted);
});
