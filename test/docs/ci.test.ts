import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { launcher, test } from "../cli/run.ts";

const folder = join(import.meta.dirname, "../../docs/ci");
const page = join(import.meta.dirname, "../../docs/ci.md");

/** What fixtures.yaml says, said by commands. */
const prepare = `
sendctl sender-id create ACME --purpose "Order updates" -q > /dev/null
sendctl group create Customers --send-birthday --birthday-message "$1" -q > /dev/null
sendctl group update 1 --sender-id ACME -q > /dev/null
exec npm test`;

describe("the job of docs/ci.md", () => {
  for (const [what, message, exitCode] of [
    ["passes", "Happy birthday, {first_name}!", 0],
    ["fails where the tests do", "Something else", 1],
  ] as const) {
    test(what, { timeout: 60_000 }, async ({ home, expect }) => {
      await cp(folder, home.folder, { recursive: true });
      const script = `sendctl() { "${process.execPath}" "${launcher}" "$@"; }${prepare}`;
      const args = ["local", "run", "-q", "--", "bash", "-c", script, "bash", message];
      const ended = await home.run(args, { CI: "true" });
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stderr).not.toContain("sendctl");
      expect(ended.stdout).toMatch(exitCode === 0 ? /^\S pass 3$/m : /^\S fail 1$/m);
    });
  }

  test("has the fixtures that stand beside it", async ({ expect }) => {
    const fixtures = await readFile(join(folder, "fixtures.yaml"), "utf8");
    expect(await readFile(page, "utf8")).toContain(`\`\`\`yaml\n${fixtures}\`\`\``);
  });
});
