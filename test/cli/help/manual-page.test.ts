import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { version } from "../../../package.json";
import { exitCodes } from "../../../src/output/exit-codes.ts";
import { test } from "../../support/home.ts";
import { has } from "../completion/shells.ts";

const file = join(import.meta.dirname, "../../../dist/sendctl.1");
const page = await readFile(file, "utf8");

/** The text of the page without formatting. */
const plain = page
  .replace(/\\f[BIR]/g, "")
  .replaceAll("\\-", "-")
  .replaceAll("\\(aq", "'")
  .replaceAll("\\(dq", '"');

describe("the manual page", () => {
  test("has every section, in the usual order", ({ expect }) => {
    expect(page.startsWith(".TH SENDCTL 1 ")).toBe(true);
    expect(plain).toContain(`"sendctl ${version}"`);
    expect([...page.matchAll(/^\.SH (.*)$/gm)].map(([, name]) => name)).toStrictEqual([
      "NAME",
      "SYNOPSIS",
      "DESCRIPTION",
      "COMMANDS",
      "GLOBAL OPTIONS",
      "EXIT STATUS",
      "ENVIRONMENT",
      "OUTPUT",
      "FAULT INJECTION",
      "EXAMPLES",
    ]);
  });

  test("has every command of the reference and no hidden one", async ({ expect }) => {
    const file = join(import.meta.dirname, "../../../docs/reference.md");
    const reference = await readFile(file, "utf8");
    const named = [...reference.matchAll(/^## (sendctl .*)/gm)].map(([, words]) => words!);
    const inPage = [...plain.matchAll(/^\.SS (sendctl [^[\n]*)/gm)].map(([, name]) => name!.trim());
    expect(inPage.toSorted()).toStrictEqual(named.toSorted());
    expect(plain).not.toContain("__complete");
  });

  test("has the options of each command, and the global options once", ({ expect }) => {
    const update = plain.split("\n.SS ").find((part) => part.startsWith("sendctl group update"))!;
    expect(update).toContain("\n--clear-birthday-message\nremove the birthday message\n");
    expect(update).not.toContain("--database");
    expect(plain).toContain("\n--database <file>\n");
  });

  test("has every exit code", ({ expect }) => {
    for (const code of Object.values(exitCodes)) expect(plain).toContain(`\n.TP\n${code}\n`);
  });

  test("has no text line that starts with a formatter request", ({ expect }) => {
    const requests = [...page.matchAll(/^[.'](\w*)/gm)].map(([, name]) => name!);
    const known = new Set(["TH", "SH", "SS", "TP", "PP", "RS", "RE", "nf", "fi"]);
    expect([...new Set(requests)].filter((name) => !known.has(name))).toStrictEqual([]);
    expect(page).toMatch(/^[\n\x20-\x7e]*$/);
  });

  test("has dashes that can be copied into a shell", ({ expect }) => {
    const [, ...lines] = page.split("\n");
    expect(lines.filter((line) => /(?<!\\)-/.test(line))).toStrictEqual([]);
  });

  test.skipIf(!has("mandoc"))(
    "passes mandoc's lint (skipped without mandoc)",
    async ({ expect }) => {
      const { exitCode, stdout, stderr } = await execa("mandoc", ["-Tlint", "-Wwarning", file], {
        reject: false,
      });
      expect({ exitCode, stdout, stderr }).toStrictEqual({ exitCode: 0, stdout: "", stderr: "" });
    },
  );
});
