import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test, type Home } from "../../support/home.ts";

async function manifestWith(home: Home, variable: string): Promise<string> {
  const file = join(home.folder, "manifest.yaml");
  await writeFile(file, `groups:\n  - name: \${${variable}}\n`);
  return file;
}

const secret = "s3cret-of-a-test";
const address = `postgres://me:${secret}@db.example/x`;
const query = `postgres://db.example/x?password=${secret}`;

/** Rejected variables, with the --env-prefix of apply and diff. */
const refused: readonly (readonly [
  variable: string,
  env: Record<string, string>,
  prefix?: string,
])[] = [
  ["SENDCTL_SECRET_KEY", { SENDCTL_SECRET_KEY: secret }],
  ["SENDCTL_SECRET_KEY", { SENDCTL_SECRET_KEY: secret }, "SENDCTL_"],
  ["PGPASSWORD", { PGPASSWORD: secret }, "PG"],
  ["SENDCTL_CONTROL_URL", { SENDCTL_CONTROL_URL: secret }, "SENDCTL_"],
  ["COPY", { PGPASSWORD: secret, COPY: `a ${secret}` }, "COPY"],
  ["COPY", { PGPASSWORD: "8-digits", COPY: "a 8-digits" }],
  ["DATABASE_ADDRESS", { DATABASE_ADDRESS: address }, "DATABASE_"],
  ["DATABASE_ADDRESS", { DATABASE_ADDRESS: query }],
  ["AWS_SECRET_ACCESS_KEY", { AWS_SECRET_ACCESS_KEY: secret }],
  ["GITHUB_TOKEN", { GITHUB_TOKEN: secret }],
  ["AWS_SECRET_ACCESS_KEY", { AWS_SECRET_ACCESS_KEY: secret }, "MANIFEST_"],
  ["HOSTNAME_OF_CI", { HOSTNAME_OF_CI: secret }, "MANIFEST_"],
  ["constructor", {}],
];

describe.concurrent("a variable of a manifest", () => {
  for (const [variable, env, prefix] of refused) {
    test(`is rejected: ${variable} with --env-prefix ${prefix}`, async ({ home, expect }) => {
      const file = await manifestWith(home, variable);
      const options = prefix === undefined ? [] : ["--env-prefix", prefix];
      for (const command of [["diff"], ["apply", "--yes"]]) {
        const args = [...command, "-f", file, ...options, "--local"];
        // The variable must be the reason, not a key that the database did not issue.
        const outcome = await home.run(args, env);
        expect({ command, ...outcome }).toMatchObject({ exitCode: 2, stdout: "" });
        expect(outcome.stderr).toContain(`manifest.yaml:2:11: \${${variable}} is `);
        expect(outcome.stderr).not.toContain(secret);
      }
    });
  }

  for (const [variable, value, prefix] of [
    ["MANIFEST_GROUP", "Customers", "MANIFEST_"],
    ["MANIFEST_GROUP", "Customers", undefined],
    ["HOME_PAGE", "https://example.com/?a=b:c@d", undefined],
    ["SECRET_SANTA", "Party", "SECRET_SANTA"],
  ] as const) {
    test(`is read: ${variable} with --env-prefix ${prefix}`, async ({ home, expect }) => {
      const file = await manifestWith(home, variable);
      const options = prefix === undefined ? [] : ["--env-prefix", prefix];
      const outcome = await home.run(["diff", "-f", file, ...options], { [variable]: value });
      expect(outcome.exitCode).toBe(12);
      expect(outcome.stdout).toContain(value);
    });
  }

  test("must not be empty, unless the manifest allows it", async ({ home, expect }) => {
    for (const [text, env, problem] of [
      ["a ${X}", { X: "" }, "${X} is empty in the environment; write ${X:-} to allow that"],
      ["a ${X}", {}, "${X} is not set in the environment"],
      ["${X:-}", {}, "name must not be empty, but the value of ${X} is"],
      ["${X:-y}", {}, "invalid variable: write ${NAME}, ${NAME:-} if it may be empty, or $${"],
      ["a${X:-}", {}, undefined],
      ["a${X:-}", { X: "" }, undefined],
      ["a${X:-}", { X: "x" }, undefined],
    ] as const) {
      const { exitCode, stdout } = await home.run(
        ["validate", "-"],
        env,
        `groups: [{name: "${text}"}]`,
      );
      expect([text, exitCode]).toStrictEqual([text, problem === undefined ? 0 : 2]);
      expect(stdout).toContain(problem ?? "");
    }
  });

  test("cannot change the structure of the manifest", async ({ home, expect }) => {
    const file = join(home.folder, "m.yaml");
    await writeFile(file, "groups:\n  - name: A\n    birthday_message: ${X}\n");
    for (const X of [
      "A\n  - name: B",
      '"}, {name: B',
      "*a",
      "!!str b",
      "# c",
      "x: y",
      "'\r\n---",
    ]) {
      const { exitCode, stdout } = await home.run(["diff", file, "--json"], { X });
      expect(exitCode).toBe(12);
      const { data } = JSON.parse(stdout) as { data: { steps: readonly object[] } };
      expect(data.steps).toMatchObject([
        { action: "create", name: "A", changes: [{ field: "name" }, { to: X }] },
      ]);
    }
  });

  test("requires a prefix that is the beginning of a variable name", async ({ home, expect }) => {
    const file = await manifestWith(home, "X");
    for (const prefix of ["", "1", "A-"]) {
      const outcome = await home.run(["diff", "-f", file, `--env-prefix=${prefix}`], { X: "x" });
      expect(outcome.exitCode).toBe(2);
      expect(outcome.stderr).toContain("--env-prefix");
    }
  });
});
