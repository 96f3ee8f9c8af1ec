import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inLanes } from "../../src/plan/lanes.ts";

test.for([
  [0, 0],
  [1, 1],
  [16, 16],
  [40, 16],
])("of %i items, %i are processed concurrently", async ([count, max]) => {
  let working = 0;
  let maxAtOnce = 0;
  const done: number[] = [];
  await inLanes(Array.from(Array(count).keys()), async (item) => {
    working += 1;
    maxAtOnce = Math.max(maxAtOnce, working);
    await setImmediate();
    working -= 1;
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toStrictEqual(Array.from(Array(count).keys()));
  expect(maxAtOnce).toBe(max);
});

async function fail(): Promise<void> {
  throw new Error("stopped");
}

test("an error stops the work", async () => {
  await expect(inLanes([1, 2], fail)).rejects.toThrow("stopped");
});
