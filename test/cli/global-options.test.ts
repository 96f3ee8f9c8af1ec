import { statSync } from "node:fs";
import { dirname } from "node:path";
import { describe } from "vitest";
import { errorLines, test } from "../support/home.ts";

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe.concurrent("the database", () => {
  test("is accessible to its owner only", async ({ home, expect }) => {
    await home.shell("umask 000; sendctl group create Friends");
    expect(mode(home.database)).toBe("600");
    expect(mode(dirname(home.database))).toBe("700");
    expect(mode(dirname(dirname(home.database)))).toBe("700");
  });
});

describe.concurrent("--debug", () => {
  test("adds the stack to the message and hint of an error", async ({ home, expect }) => {
    const args = ["group", "list", "--database", home.folder];
    const plain = (await home.run(args)).stderr;
    expect(plain).toMatch(errorLines);
    const debugged = (await home.run([...args, "--debug"])).stderr;
    expect(debugged.startsWith(plain)).toBe(true);
    expect(debugged).toMatch(/^\s+at /m);
  });
});
