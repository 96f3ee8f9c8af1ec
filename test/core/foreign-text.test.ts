import { describe, expect, test } from "vitest";
import { areAlike } from "../../src/core/names.ts";
import { joinLines, readJson } from "../../src/core/json-text.ts";
import { expand } from "../../src/manifest/variables.ts";
import { pathOn, proxyFor } from "../../src/client/http/route.ts";

/** Expressions that took quadratic or cubic time would take minutes. */
const timeout = { timeout: 20_000 };

const slashes = "/".repeat(300_000);
const marks = "\u0301\u0316".repeat(200_000);
const colons = ":".repeat(100_000);
const host = new URL("https://sms.example.com");

const cases: readonly (readonly [name: string, of: () => unknown, expected: unknown])[] = [
  ["a base path", () => pathOn(new URL(`https://h${slashes}x/`), "/v1"), `${slashes}x/v1`],
  ["a proxy exception", () => proxyFor(host, { NO_PROXY: `${colons},a` }).exception, undefined],
  ["alike names", () => areAlike(`a${marks}`, `a${marks}\u0301`), true],
  ["spaces and lines", () => joinLines(`a${" ".repeat(300_000)}b \r\n c`, "|").slice(-3), "b|c"],
  [
    "a variable",
    () => expand("${A}", { env: { A: `a://${colons}/` } }, 1e6),
    { text: `a://${colons}/`, names: ["A"] },
  ],
];

describe("long text takes little time", timeout, () => {
  test.for(cases)("%s", ([, of, expected]) => {
    expect(of()).toStrictEqual(expected);
  });
});

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("JSON from outside has limits", () => {
  const valid = [nested(100), "9".repeat(1000), `"${"[".repeat(200)}"`, `"${"9".repeat(2000)}"`];
  for (const text of valid) expect(readJson(text)).toStrictEqual(JSON.parse(text));
  for (const text of [nested(101), "9".repeat(1001), `[1,${"9".repeat(1001)}]`, "{", ""]) {
    expect(readJson(text)).toBeUndefined();
  }
});
