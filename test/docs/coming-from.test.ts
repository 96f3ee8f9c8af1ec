import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/home.ts";

/** The command lines in the last column. */
const lines = readFileSync("docs/coming-from.md", "utf8")
  .split("\n")
  .flatMap((line) => / `(sendctl .*)` +\|$/.exec(line)?.[1]?.replaceAll("\\|", "|") ?? []);

describe("docs/coming-from.md", () => {
  test("has ten jobs", ({ expect }) => {
    expect(lines).toHaveLength(10);
  });

  test.for(lines)("%s", async (line, { home, expect }) => {
    await home.run(["group", "create", "Customers"]);
    await home.run(["group", "create", "Staging customers"]);
    await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
    await home.run(["local", "review", "ACME", "--status", "APPROVED"]);
    await writeFile(join(home.folder, "manifest.yaml"), "groups:\n  - name: Friends\n");
    const { exitCode, stdout, stderr } = await home.shell(`set -o pipefail\n${line}`);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout + stderr).toMatch(/customers|ACME|Friends|deleted/i);
  });
});
