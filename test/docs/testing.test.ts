import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import { describe } from "vitest";
import { launcher, test, type Home } from "../support/home.ts";
import { parsed, root, textOf } from "./markdown.ts";

const { blocks } = parsed(textOf("docs/testing.md"));

/** Returns the text of a file that the page shows. */
function fileOf(name: string): string {
  return blocks.find(({ file }) => file === name)!.lines.join("\n");
}

describe("the suites of docs/testing.md pass", () => {
  test.for([
    ["client.test.mjs", ["--test", "client.test.mjs"], /pass 2/],
    ["client.spec.mjs", ["node_modules/vitest/vitest.mjs", "run"], /1 passed/],
  ] as const)("%s", async ([file, args, passed], { home, expect }) => {
    await mkdir(join(home.folder, "node_modules"));
    for (const name of ["vitest", "sendctl"]) {
      const target = name === "sendctl" ? root : join(root, "node_modules", name);
      await symlink(target, join(home.folder, "node_modules", name));
    }
    await writeFile(join(home.folder, file), fileOf(file));
    const env = { NODE_TEST_CONTEXT: undefined, VITEST: undefined, CI: "true" };
    const { stdout, stderr, exitCode } = await execa(process.execPath, args, {
      cwd: home.folder,
      env,
      reject: false,
    });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(passed);
  });

  const hasPytest = runs("python3", "-m", "pytest", "--version");
  test.skipIf(!hasPytest)("test_client.py (skipped without pytest)", async ({ home, expect }) => {
    const pytest = ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"];
    const { exitCode, stdout } = await withService(home, "test_client.py", pytest);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain("2 passed");
  });
});

/** Runs a suite of the page in a temporary service with one group. */
async function withService(home: Home, file: string, command: readonly string[]) {
  await writeFile(join(home.folder, file), fileOf(file));
  await writeFile(join(home.folder, "fixtures.yaml"), "groups:\n  - name: Customers\n");
  const words = ["local", "run", "--control", "--seed", "fixtures.yaml", "--", ...command];
  return execa(process.execPath, [launcher, ...words], { cwd: home.folder, reject: false });
}

/** Returns whether a program is installed. */
function runs(program: string, ...args: readonly string[]): boolean {
  return execaSync(program, args, { reject: false }).exitCode === 0;
}
