import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");

/** Returns the cells of the table under a heading, without its first two lines. */
function rowsOf(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]!.split(/^## /m)[0]!;
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const promises = rowsOf("Promises");

test("docs/security.md has a table of promises", () => {
  expect(promises.length).toBeGreaterThan(30);
});

test.each(promises)("the promise has a test: %s", (...cells) => {
  expect(cells).toHaveLength(2);
  const [promise, named] = cells as [string, string];
  expect(promise).not.toBe("");
  const [, file = ""] = /^`(test\/[\w/-]+(?:\.test\.ts|\.txt))`$/.exec(named) ?? [];
  expect(named).toBe(`\`${file}\``);
  expect(existsSync(join(root, file))).toBe(true);
  expect(readFileSync(join(root, file), "utf8")).toMatch(/\btest\b|^\$ sendctl/m);
});

test("every promise is listed once", () => {
  expect(new Set(promises.map(([promise]) => promise)).size).toBe(promises.length);
});

test("the security policy links to the threat model, which links back", () => {
  expect(readFileSync(join(root, "SECURITY.md"), "utf8")).toContain("(docs/security.md)");
  expect(page).toContain("(../SECURITY.md)");
});
