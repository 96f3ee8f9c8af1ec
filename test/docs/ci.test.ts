import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { describe, type ExpectStatic } from "vitest";
import { contentsOf, type Home, type Outcome } from "../support/home.ts";
import { test } from "../support/serving.ts";
import { installSendctl } from "../support/install-program.ts";
import { root, textOf } from "./markdown.ts";

const folder = join(root, "docs/ci");
const page = textOf("docs/ci.md");

/** The command line that the page explains. */
const line = "sendctl local run --seed fixtures.yaml -- npm test";

describe("the job of docs/ci.md", () => {
  for (const [title, message, exitCode] of [
    ["passes", "Happy birthday, {first_name}!", 0],
    ["fails if the tests fail", "Something else", 1],
  ] as const) {
    test(title, { timeout: 60_000 }, async ({ home, expect }) => {
      expect(page).toContain(`\`\`\`sh\n${line}\n\`\`\``);
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
        "sendctl: the manifest is invalid (1 error); nothing was sent\n" +
        'fixtures.yaml:2:5: unknown field "nam"; did you mean name?\n',
    });
  });

  test("shows the fixtures of docs/ci", async ({ expect }) => {
    const fixtures = await readFile(join(folder, "fixtures.yaml"), "utf8");
    expect(page).toContain(`\`\`\`yaml fixtures.yaml\n${fixtures}\`\`\``);
  });
});

type Variables = Readonly<Record<string, string>>;

interface Workflow {
  readonly env: Variables;
  readonly jobs: Readonly<
    Record<"validate" | "plan" | "apply", { readonly steps: readonly Run[] }>
  >;
}

interface Run {
  readonly run?: string;
  readonly env?: Variables;
}

const { env, jobs } = parse(textOf("docs/ci/github.yml")) as Workflow;

/**
 * Runs the commands of a job as GitHub Actions does: with `bash -e`, in a new home. An unset secret is empty. Jobs
 * share a folder, as if each got the artifacts of those before it.
 */
async function runJob(home: Home, name: keyof Workflow["jobs"], secrets: Variables) {
  await installSendctl(home);
  const steps = jobs[name].steps.filter(({ run }) => run !== undefined);
  const folder = join(home.folder, `job-${(await readdir(home.folder)).length}`);
  await mkdir(folder);
  const variables = steps.flatMap(({ env: own }) =>
    Object.entries({ ...env, ...own }).map(([variable, value]) => {
      const [, secret] = /^\$\{\{ secrets\.(\w+) \}\}$/.exec(value) ?? [];
      return `export ${variable}='${secret === undefined ? value : (secrets[secret] ?? "")}'`;
    }),
  );
  const files = steps.map((_, index) => join(folder, `step-${index}.sh`));
  for (const [index, file] of files.entries()) await writeFile(file, steps[index]!.run!);
  const ended: Outcome = await home.shell(
    [
      ...variables,
      'export PATH="$HOME/bin:$PATH"',
      `export HOME='${folder}' CI=true SENDCTL_RETRIES=0 GITHUB_STEP_SUMMARY='${folder}/summary.md'`,
      "unset XDG_DATA_HOME",
      files.map((file) => `bash -e '${file}'`).join(" && "),
      'code=$?; if [ -f "$GITHUB_STEP_SUMMARY" ]; then cat "$GITHUB_STEP_SUMMARY"; fi; exit "$code"',
    ].join("\n"),
  );
  return { ...ended, hasDatabase: existsSync(join(folder, ".local/share/sendctl/sendctl.db")) };
}

function secretsOf({ baseUrl, key }: { baseUrl: string; key: string | undefined }): Variables {
  return { SENDCTL_BASE_URL: baseUrl, SENDCTL_READ_KEY: key!, SENDCTL_SECRET_KEY: key! };
}

const manifest = `sender_ids:
  - name: \${MANIFEST_SENDER}
    purpose: Order updates
groups:
  - name: Customers
    sender_id: \${MANIFEST_SENDER}
`;

function writeManifest({ folder }: Home): Promise<void> {
  return writeFile(join(folder, "sendctl.yaml"), manifest);
}

function expectSenderId(expect: ExpectStatic, home: Home): void {
  expect(contentsOf(join(home.folder, "service.db"))).toMatchObject([
    [{ id: 1, name: "ACME" }],
    [{ name: "Customers", sender_id: 1 }],
  ]);
}

const service = ["--port", "0", "--database", "service.db"];

describe("the jobs of docs/ci/github.yml for manifests", () => {
  test("show the differences, apply what was reviewed, and show none", async ({
    home,
    serve,
    expect,
  }) => {
    await writeManifest(home);
    const secrets = secretsOf(await serve(service));
    expect(await runJob(home, "validate", {})).toMatchObject({ exitCode: 0, stdout: "" });
    const created: unknown = expect.stringContaining("| create | group <code>Customers</code> |");
    expect(await runJob(home, "plan", secrets)).toMatchObject({ exitCode: 0, stdout: created });
    expect(await runJob(home, "apply", secrets)).toMatchObject({ exitCode: 0 });
    expectSenderId(expect, home);
    const stdout: unknown = expect.stringContaining("1 to update, 1 unchanged");
    // The first plan is no longer right.
    expect(await runJob(home, "apply", secrets)).toMatchObject({ exitCode: 12 });
    expect(await runJob(home, "plan", secrets)).toMatchObject({ exitCode: 0, stdout });
    expect(await runJob(home, "apply", secrets)).toMatchObject({ exitCode: 0 });
  });

  test("cut the summary of a plan that GitHub would refuse", async ({ home, serve, expect }) => {
    const groups = Array.from({ length: 600 }, (_, index) => ({
      name: `Customers ${index}`,
      birthday_message: "é-".repeat(400),
    }));
    await writeFile(join(home.folder, "sendctl.yaml"), JSON.stringify({ groups }));
    const ended = await runJob(home, "plan", secretsOf(await serve(service)));
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(Buffer.byteLength(ended.stdout)).toBeLessThan(1024 * 1024);
    expect(ended.stdout.trimEnd()).toMatch(/\|\n\nCut here: the artifact has the whole plan\.$/);
  });

  test("set a sender ID that an interrupted job did not", async ({ home, serve, expect }) => {
    await writeManifest(home);
    const fault = ["--fault", "group.update:drop=before,times=1"];
    const secrets = secretsOf(await serve([...service, ...fault]));
    for (const exitCode of [9, 0]) {
      expect(await runJob(home, "plan", secrets)).toMatchObject({ exitCode: 0 });
      expect(await runJob(home, "apply", secrets)).toMatchObject({ exitCode });
    }
    expectSenderId(expect, home);
  });

  test.for(["plan", "apply"] as const)(
    "%s fails with an incomplete or wrong target",
    async (job, { home, serve, expect }) => {
      await writeManifest(home);
      const { baseUrl, key } = await serve(service);
      if (job === "apply") await runJob(home, "plan", secretsOf({ baseUrl, key }));
      const exitCodes: unknown[] = [];
      for (const secrets of [
        { SENDCTL_READ_KEY: key!, SENDCTL_SECRET_KEY: key! },
        { SENDCTL_BASE_URL: baseUrl },
        // Without both, sendctl would work on a database of its own, which needs no key.
        {},
        secretsOf({ baseUrl, key: "another-key" }),
      ]) {
        const { exitCode, stdout, hasDatabase } = await runJob(home, job, secrets);
        expect({ stdout, hasDatabase }).toStrictEqual({ stdout: "", hasDatabase: false });
        exitCodes.push(exitCode);
      }
      // The step ends by itself unless both are set.
      expect(exitCodes).toStrictEqual([1, 1, 1, 3]);
    },
  );
});
