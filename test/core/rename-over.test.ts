import { describe, expect, test } from "vitest";
import { renameOver } from "../../src/core/files.ts";

/** Fails with each code in turn, then succeeds. */
function failingWith(...codes: readonly string[]) {
  const left = [...codes];
  const renamed: string[] = [];
  const rename = (from: string, to: string): void => {
    const code = left.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    renamed.push(`${from} → ${to}`);
  };
  return { rename, renamed };
}

describe("a rename over a file", () => {
  test("is tried again on Windows while the file is open elsewhere", () => {
    const { rename, renamed } = failingWith("EPERM", "EBUSY", "EACCES");
    renameOver("new", "old", "win32", rename);
    expect(renamed).toStrictEqual(["new → old"]);
  });

  test.each([
    ["ENOENT", "win32"],
    ["EPERM", "linux"],
    ["EACCES", "darwin"],
  ] as const)("fails at once with %s on %s", (code, system) => {
    const { rename, renamed } = failingWith(code);
    expect(() => renameOver("new", "old", system, rename)).toThrow(code);
    expect(renamed).toStrictEqual([]);
  });
});
