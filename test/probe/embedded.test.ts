import { rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeHome } from "../support/home.ts";
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

// Over HTTP, round-trip.test.ts has every switch with every value, also the engine's own.
test("the engine in this process behaves like its rulings", async () => {
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

test("without --scratch-group, no database is created", async () => {
  const run = await runProbe(["probe", "--json"], { folder });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(Object.keys(run.data!.requests)).toStrictEqual(["GET"]);
  expect(existsSync(join(folder, ".local"))).toBe(false);
});
