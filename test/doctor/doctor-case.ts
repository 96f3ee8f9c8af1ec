import type { ErrorKind } from "../../src/core/error.ts";
import { exitCodeOfKind } from "../../src/output/exit-codes.ts";
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { leaksOf } from "../client/leaks.ts";
import { dataOf, type Home, type Outcome } from "../support/home.ts";

/** The key in all tests of doctor. It may appear in the Authorization header and nowhere else. */
export const key = "sk_canary_7f3a9c51e8d24b60";

interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "error";
  readonly detail: string;
  readonly fix: string | null;
}

interface Diagnosis extends Outcome {
  readonly checks: readonly Check[];
  /** Names of the checks that are not ok. */
  readonly notOk: readonly string[];
  readonly check: (name: string) => Check | undefined;
}

/** Returns the mode, time and content hash of every file below a folder. */
async function stateOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // A server logs the requests that it receives.
  const files = entries.filter(({ name }) => !name.endsWith(".db.log"));
  const states = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode, mtimeMs } = await stat(path);
    // The index of a write-ahead log records its readers and no data.
    const isRead = entry.isFile() && !path.endsWith("-shm");
    const hash = isRead
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : "";
    return [path, `${mode} ${isRead ? mtimeMs : ""} ${hash}`] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

/** Runs `sendctl doctor --json`, which must change nothing, show no key, and suggest a fix for each error. */
export async function diagnose(
  home: Home,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Diagnosis> {
  const before = await stateOf(home.folder);
  // Node reads this variable at startup.
  const run = env["NODE_EXTRA_CA_CERTS"] === undefined ? home.run : home.spawn;
  const ran = await run(["doctor", "--json", ...args], env);
  expect(await stateOf(home.folder)).toStrictEqual(before);
  expect(leaksOf(ran, key)).toStrictEqual([]);
  const { status, error } = JSON.parse(ran.stdout) as {
    status: boolean;
    error?: { kind: ErrorKind; hint: string };
  };
  expect(error === undefined).toBe(status);
  if (error !== undefined) {
    expect(exitCodeOfKind(error.kind)).toBe(ran.exitCode);
    expect(error.hint).toMatch(/\w/);
  }
  const { checks } = dataOf(ran) as { checks: readonly Check[] };
  const errors = checks.filter((check) => check.status === "error");
  expect(status).toBe(errors.length === 0);
  expect(ran.exitCode === 0).toBe(status);
  for (const { fix } of errors) expect(fix).toMatch(/\w/);
  expect(new Set(checks.map(({ name }) => name)).size, "names are unique").toBe(checks.length);
  return {
    ...ran,
    checks,
    notOk: checks.flatMap(({ name, status }) => (status === "ok" ? [] : [`${name}: ${status}`])),
    check: (wanted) => checks.find(({ name }) => name === wanted),
  };
}
