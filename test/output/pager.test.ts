import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { runAtTerminal, test, type Home } from "../support/home.ts";

/** Lists groups at a terminal, with a pager that writes what it gets into a file. */
async function listWith(home: Home, args: readonly string[], env: Record<string, string>) {
  const file = join(home.folder, "paged.txt");
  const pagers = Object.entries(env).map(([name, value]) => [name, value.replace("FILE", file)]);
  const terminal = { env: Object.fromEntries(pagers) as Record<string, string> };
  const outcome = await runAtTerminal(home, ["group", "list", ...args], terminal);
  return { ...outcome, paged: await readFile(file, "utf8").catch(() => undefined) };
}

describe.concurrent("a list at a terminal", () => {
  test("is shown by SENDCTL_PAGER before PAGER, in every format", async ({ home, expect }) => {
    await home.run(["group", "create", "Customers"]);
    const env = { SENDCTL_PAGER: "cat > 'FILE'", PAGER: "false" };
    for (const args of [[], ["--all"], ["--json"], ["--all", "--query", "[].name"]]) {
      const shown = await listWith(home, args, env);
      expect([args, shown]).toMatchObject([args, { exitCode: 0, stdout: "" }]);
      expect(shown.paged).toContain("Customers");
    }
    const other = await listWith(home, [], { PAGER: "sort > 'FILE'" });
    expect(other).toMatchObject({ exitCode: 0, stdout: "" });
    expect(other.paged).toContain("Customers");
  });

  test("is printed without a pager, and if the pager cannot be run", async ({ home, expect }) => {
    await home.run(["group", "create", "Customers"]);
    const without: readonly Record<string, string>[] = [
      { SENDCTL_PAGER: "", PAGER: "cat > 'FILE'" },
      { PAGER: "cat" },
      { PAGER: "/nowhere/pager" },
      { PAGER: "cat > 'FILE'", CI: "true" },
    ];
    for (const env of without) {
      const shown = await listWith(home, [], env);
      expect([env, shown]).toMatchObject([env, { exitCode: 0, paged: undefined }]);
      expect(shown.stdout).toContain("Customers");
    }
  });

  test("is shown if the pager ends early; a pipe has no pager", async ({ home, expect }) => {
    await home.run(["group", "create", "Customers"]);
    expect(await listWith(home, [], { PAGER: "true" })).toMatchObject({ exitCode: 0, stdout: "" });
    const piped = await home.run(["group", "list"], { PAGER: "false" });
    expect(piped.stdout).toContain("Customers");
  });
});
