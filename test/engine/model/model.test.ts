import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cases, timeout } from "../../support/fuzz-runs.ts";
import { kindOtherThanSqlite, makeDatabase } from "../support/test-database.ts";
import { newFolder } from "../support/engine-fixtures.ts";
import { runSteps } from "./model-run.ts";
import { step } from "./model-steps.ts";

/** Uses a new database for each run, so that runs do not affect each other. */
async function runOnNewDatabase(folder: string, steps: Parameters<typeof runSteps>[1]) {
  const own = await mkdtemp(join(folder, "run-"));
  try {
    return await runSteps(await makeDatabase(own), steps);
  } finally {
    await rm(own, { recursive: true });
  }
}

test("the engine replies like the model to any sequence of requests", timeout, async () => {
  const { folder } = await newFolder();
  const steps = fc.array(step, { minLength: 1, maxLength: 100, size: "max" });
  const property = fc.asyncProperty(steps, async (steps) => {
    expect(await runOnNewDatabase(folder, steps)).toBeGreaterThan(0);
  });
  await fc.assert(property, cases(kindOtherThanSqlite() === undefined ? 40 : 8));
});
