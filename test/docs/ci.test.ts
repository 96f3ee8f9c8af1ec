import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/home.ts";

const folder = join(import.meta.dirname, "../../docs/ci");
const page = join(import.meta.dirname, "../../docs/ci.md");

/** The command line that the page explains. */
const line = "sendctl local run --seed fixtures.yaml -- npm test";

describe("the job of docs/ci.md", () => {
  for (const [title, message, exitCode] of [
    ["passes", "Happy birthday, {first_name}!", 0],
    ["fails if the tests fail", "Something else", 1],
  ] as const) {
    test(title, { timeout: 60_000 }, async ({ home, expect }) => {
      expect(await readFile(page, "utf8")).toContain(`\`\`\`sh\n${line}\n\`\`\``);
      await cp(folder, home.folder, { recursive: true });
      const file = join(home.folder, "fixtures.yaml");
      const fixtures = await readFile(file, "utf8");
      await writeFile(file, fixtures.replace("Happy birthday, {first_name}!", message));
      const ended = await home.spawn(line.split(" ").slice(1), { CI: "true" });
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stderr).toMatch(/^Serving on http:\/\/127\.0\.0\.1:\d+ for npm\n/);
      expect(ended.stdout).toMatch(exitCode === 0 ? /^\S pass 3$/m : /^\S fail 1$/m);
    });
  }

  test("does not start with an invalid manifest", async ({ home, expect }) => {
    await writeFile(join(home.folder, "fixtures.yaml"), "groups:\n  - nam: x\n    name: A\n");
    expect(await home.run(line.split(" ").slice(1))).toStrictEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "sendctl: the manifest has 1 error, and nothing was sent\n" +
        'fixtures.yaml:2:5: unknown field "nam"; did you mean name?\n',
    });
  });

  test("shows the fixtures of docs/ci", async ({ expect }) => {
    const fixtures = await readFile(join(folder, "fixtures.yaml"), "utf8");
    expect(await readFile(page, "utf8")).toContain(`\`\`\`yaml fixtures.yaml\n${fixtures}\`\`\``);
  });
});
