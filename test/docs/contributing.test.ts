import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Returns the files in a list of "What a change touches". */
function listed(heading: string): string[] {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const section = page.split(`### ${heading}\n`)[1]!.split(/^##/m)[0]!;
  return [...section.matchAll(/^- `(src\/[^`]+)`/gm)].map(([, file]) => file!).toSorted();
}

/** Returns the source files with a text, apart from those of features that happen to use it. */
function filesWith(text: RegExp, features: RegExp): string[] {
  const all = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return all
    .map((file) => `src/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !features.test(file))
    .filter((file) => text.test(readFileSync(join(root, file), "utf8")))
    .toSorted();
}

test("a field touches the files that CONTRIBUTING.md lists, ten at most", () => {
  // Features about birthdays: previews, contacts, made-up records, warnings, questions, plans, and experiments.
  const birthdays =
    /preview|contact|seed|menu|plan-warnings|ask-for-changes|contract\/behaviour|plan\/group-changes|^src\/(commands\/)?probe\//;
  const files = listed("A field");
  expect(filesWith(/\bbirthday_message\b|--birthday-message\b/, birthdays)).toEqual(files);
  expect(files.length).toBeLessThanOrEqual(10);
});

test("an operation touches the files that CONTRIBUTING.md lists, ten at most", () => {
  // Plans, and the remote client, which reads a group before this operation only.
  const plans = /^src\/(plan|remote)\/|contract\/service|service\/dry-run/;
  const files = listed("An operation");
  expect(filesWith(/"group\.update"|\bupdateGroup\b|\bgroupUpdate\b/, plans)).toEqual(files);
  expect(files.length).toBeLessThanOrEqual(10);
});

test("an output format touches the files that CONTRIBUTING.md lists, four at most", () => {
  const files = listed("An output format");
  const named = /\byaml: |"yaml"|name: "yaml"|\.\/yaml\.ts/;
  // As YAML, a probe prints a behaviour file.
  const others = /formats\/yaml\.ts$|^src\/(manifest|yaml|behaviour|commands\/probe)\//;
  expect(filesWith(named, others)).toEqual(files.filter((file) => !file.endsWith("/yaml.ts")));
  expect(files.length).toBeLessThanOrEqual(4);
});
