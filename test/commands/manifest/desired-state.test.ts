import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf, test, type Home } from "../../support/home.ts";

async function write(home: Home, text: string, name = "sendctl.yaml"): Promise<void> {
  await writeFile(join(home.folder, name), text);
}

const diff = (home: Home, ...further: readonly string[]) =>
  home.run(["diff", "-f", "sendctl.yaml", ...further]);

describe("apply", () => {
  test("ends on a signal and reports what was done", async ({ home, expect }) => {
    const groups = Array.from({ length: 3000 }, (_, index) => ({ name: `Group ${index}` }));
    await write(home, JSON.stringify({ groups }));
    const running = home.start(["apply", "-f", "sendctl.yaml", "--yes", "-o", "jsonl"]);
    running.stdout.once("data", () => running.kill("SIGTERM"));
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode).toBe(143);
    const outcomes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { outcome: string }).outcome);
    expect(outcomes).toHaveLength(3000);
    const total = outcomes.filter((outcome) => outcome === "done").length;
    expect(total).toBeLessThan(3000);
    expect(stderr).toContain(`Applied ${total} of 3000`);
    const list = await home.run(["group", "list", "--json"]);
    expect(dataOf(list)).toMatchObject({ total });
  });
});

test("diagnostics over the limit are only counted", async ({ home, expect }) => {
  await write(home, `groups:\n${"  - nam: x\n".repeat(300)}`);
  const { stderr } = await diff(home);
  expect(stderr).toMatch(
    /^sendctl: the manifest is invalid \(over 100 errors\); .*[\s\S]* and 200 more\n$/,
  );
});
