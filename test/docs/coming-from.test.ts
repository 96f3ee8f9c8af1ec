import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/serving.ts";
import { installProgram } from "../support/install-program.ts";

/** The command lines in the last column. */
const lines = readFileSync("docs/coming-from.md", "utf8")
  .split("\n")
  .flatMap((line) => / `(sendctl .*)` +\|$/.exec(line)?.[1]?.replaceAll("\\|", "|") ?? []);

describe("docs/coming-from.md", () => {
  test("has fifteen jobs", ({ expect }) => {
    expect(lines).toHaveLength(15);
  });

  test.for(lines)("%s", async (line, { home, serve, expect }) => {
    await home.run(["group", "create", "Customers"]);
    await home.run(["group", "create", "Staging customers"]);
    await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
    await home.run(["local", "review", "ACME", "--status", "APPROVED"]);
    await writeFile(join(home.folder, "manifest.yaml"), "groups:\n  - name: Friends\n");
    let command = line;
    if (line.includes("prod")) {
      const { baseUrl, key } = await serve(["--port", "0", "--database", "service.db"]);
      await installProgram(home, "pass", `printf '%s\\n' '${key}'`);
      const login = ["login", "--profile", "prod", "--base-url", baseUrl, "--with-key"];
      if (!line.includes("login")) await home.run(login, {}, key);
      command = line.replace("https://sms.example.com", baseUrl);
    }
    const { exitCode, stdout, stderr } = await home.shell(
      `set -o pipefail\nexport PATH="$HOME/bin:$PATH"\n${command}`,
    );
    const expected = line.startsWith("sendctl diff") ? 12 : 0;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: expected });
    expect(stdout + stderr).toMatch(/customers|ACME|Friends|deleted|prod/i);
  });
});
