import { expect, test } from "vitest";
import { startHint } from "../../../src/commands/local/start-hint.ts";

test("a script that Windows does not start is explained there, and only there", () => {
  for (const code of ["ENOENT", "EINVAL"]) expect(startHint(code, "win32")).toContain("cmd /c");
  for (const system of ["linux", "darwin"] as const) {
    expect(startHint("ENOENT", system)).not.toContain("cmd /c");
    expect(startHint("EINVAL", system)).toBeUndefined();
  }
});
