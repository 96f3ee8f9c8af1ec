import { rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeHome } from "../support/home.ts";
import { servedBehaviour } from "./served-behaviour.ts";
import { runProbe, type ProbeRun } from "./run-probe.ts";

let folder = "";

beforeEach(async () => ({ folder } = await makeHome()));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns the findings that are neither the same nor unknown because they cannot be observed. */
function unexpected({ data }: ProbeRun): readonly object[] {
  return data!.rulings.filter(
    ({ verdict, how }) =>
      verdict === "differs" || (verdict === "unknown" && !how.startsWith("not observable")),
  );
}

describe("the engine behaves like its rulings", () => {
  test("in process", async () => {
    const group = ["group", "create", "Customers"];
    expect((await runProbe(group, { folder })).exitCode).toBe(0);
    await runProbe(["sender-id", "create", "ACME", "--purpose", "Orders"], { folder });
    const run = await runProbe(["probe", "--scratch-group", "--json"], { folder });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(unexpected(run)).toStrictEqual([]);
    const same = run.data!.rulings.filter(({ verdict }) => verdict === "same");
    expect(same.length).toBeGreaterThan(30);
    const listed = await runProbe(["group", "list", "-o", "id"], { folder });
    expect(listed.stdout).toBe("1\n");
  });

  test("over HTTP", async () => {
    const served = await servedBehaviour({});
    try {
      const { baseUrl, key } = served;
      const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], { baseUrl, key });
      expect(run.exitCode, run.stderr).toBe(0);
      expect(unexpected(run)).toStrictEqual([]);
      expect(await served.groupCount()).toBe(0);
    } finally {
      await served.close();
    }
  });
});

test("without --scratch-group, no database is created", async () => {
  const run = await runProbe(["probe", "--json"], { folder });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(Object.keys(run.data!.requests)).toStrictEqual(["GET"]);
  expect(existsSync(join(folder, ".local"))).toBe(false);
});
