import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { dataOf, test } from "../../support/home.ts";

describe("validate", () => {
  test("reports the errors of all files at once, with their locations", async ({
    home,
    expect,
  }) => {
    await mkdir(join(home.folder, "more"));
    await writeFile(join(home.folder, "a.yaml"), "groups:\n  - name: A\n  - nam: B\n");
    await writeFile(join(home.folder, "more", "b.json"), '{"groups": [{"name": "A", "id": 0}]}');
    const args = ["validate", "a.yaml", "more", "-"];
    const input = "sender_ids: [{name: '${NOT_SET}', purpose: x}]";
    const { exitCode, stdout, stderr } = await home.run(args, {}, input);
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 2,
      stderr: "sendctl: the manifest has 4 errors\n",
    });
    const locations = ["a.yaml:3:5", "more/b.json:1:22", "more/b.json:1:33"];
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(": ", 1)[0]);
    expect(found).toStrictEqual([...locations, "<stdin>:1:21"]);
    const json = await home.run([...args, "--json"], {}, input);
    expect(json.exitCode).toBe(2);
    const { diagnostics } = dataOf(json) as { diagnostics: readonly object[] };
    expect(diagnostics).toHaveLength(4);
    expect(diagnostics.at(-1)).toStrictEqual({
      file: "<stdin>",
      line: 1,
      column: 21,
      message: "${NOT_SET} is not set in the environment",
    });
  });

  test("reports what the embedded engine would refuse, before anything is sent", async ({
    home,
    expect,
  }) => {
    const text = `sender_ids:
  - name: "ACME "
    purpose: ""
groups:
  - name: A
    birthday_message: ""
    sender_id: "\u2003ACME"
  - name: " B"
  - name: "${"x".repeat(256)}"
`;
    const expected = [
      "m.yaml:2:11: name must not begin or end with white space",
      "m.yaml:3:14: purpose must have 1 to 1000 characters",
      "m.yaml:6:23: birthday_message must have 1 to 1600 characters",
      "m.yaml:8:11: name must not begin or end with white space",
      "m.yaml:9:11: name must have 1 to 255 characters",
    ];
    await writeFile(join(home.folder, "m.yaml"), text);
    const validated = await home.run(["validate", "m.yaml"]);
    expect(validated.exitCode).toBe(2);
    expect(validated.stdout.trimEnd().split("\n")).toStrictEqual(expected);
    const applied = await home.run(["apply", "m.yaml", "--yes"]);
    expect(applied.exitCode).toBe(2);
    for (const line of expected) expect(applied.stderr).toContain(line);
    expect(existsSync(home.database)).toBe(false);
  });

  test("warns of braces that stay in a message, and of its last line break, as diff does", async ({
    home,
    expect,
  }) => {
    const text = "groups:\n- name: A\n  birthday_message: |\n    Hi {{first_name}}!\n";
    const warning =
      "unknown placeholder {{first_name}}; did you mean {first_name}?; the message ends with a line break, which services may remove: write |- instead of |";
    const { exitCode, stderr } = await home.run(["validate", "-"], {}, text);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Warning: <stdin>:3:21: ${warning}\n`) as unknown,
    });
    expect((await home.run(["diff", "-"], {}, text)).stderr).toContain(`group A: ${warning}\n`);
    const fixed = text.replace("|", "|-").replaceAll("{{", "{").replaceAll("}}", "}");
    expect((await home.run(["validate", "-"], {}, fixed)).stderr).not.toContain("Warning");
  });

  test("warns of names that carriers may refuse", async ({ home, expect }) => {
    const text = "sender_ids: [{name: ACME Customers, purpose: x}, {name: ACME, purpose: x}]";
    const warning = { file: "<stdin>", line: 1, column: 21 };
    const json = await home.run(["validate", "-", "--json"], {}, text);
    expect(json.exitCode).toBe(0);
    expect(dataOf(json)).toMatchObject({ diagnostics: [], warnings: [warning] });
    expect(json.stderr).toMatch(/^Warning: <stdin>:1:21: carriers may refuse this name: /);
    expect((await home.run(["validate", "-", "-q"], {}, text)).stderr).toBe("");
  });

  test("needs neither a target nor a key nor valid settings", async ({ home, expect }) => {
    const broken = { SENDCTL_BASE_URL: "nonsense", SENDCTL_PROFILE: "none", SENDCTL_TIMEOUT: "x" };
    const valid = await home.run(["validate", "-", "--json"], broken, "groups: [{name: A}]");
    expect(valid).toMatchObject({ exitCode: 0 });
    expect(dataOf(valid)).toStrictEqual({ diagnostics: [] });
    const text = await home.run(["validate", "-"], broken, "groups: [{name: A}]");
    const stderr = "No errors: 0 sender IDs, 1 group\n";
    expect(text).toStrictEqual({ exitCode: 0, stdout: "", stderr });
    expect(existsSync(home.database)).toBe(false);
  });

  test("limits variables as apply does, and refuses what it cannot do", async ({
    home,
    expect,
  }) => {
    const text = "groups: [{name: '${STAGE}'}]";
    const args = ["validate", "-", "--env-prefix", "MANIFEST_"];
    const limited = await home.run(args, { STAGE: "test" }, text);
    expect(limited).toMatchObject({ exitCode: 2 });
    expect(limited.stdout).toContain("--env-prefix allows only variables");
    for (const [given, says] of [
      [[], "missing required argument FILE"],
      [["missing.yaml"], "missing.yaml does not exist"],
      [["-", "--env-prefix", "1"], 'invalid prefix "1"'],
      [["-", "-o", "id"], "cannot be printed as id"],
      [["-", "--dry-run"], "--dry-run is not supported here"],
    ] as const) {
      const refused = await home.run(["validate", ...given]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(says);
    }
  });
});
