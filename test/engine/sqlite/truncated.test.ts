import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { contentsOf, expectDatabaseFailure, newFolder } from "../support/engine-fixtures.ts";
import { createSample } from "../support/sample-database.ts";

/**
 * Returns every length within the first kilobyte, then both sides of each page's end, and the last
 * page in steps.
 */
function lengthsOf(whole: Buffer): readonly number[] {
  const page = whole.readUInt16BE(16);
  const lengths: number[] = [];
  for (let length = 1; length < whole.length; length += 1) {
    const toEnd = page - (length % page);
    const isNearPageEnd = toEnd <= 2 || toEnd >= page - 2 || toEnd % 1024 === 0;
    const isInLastPage = length > whole.length - page;
    if (length < 1024 || isNearPageEnd || (isInLastPage && length % 23 === 0)) lengths.push(length);
  }
  return lengths;
}

test("a truncated database is rejected, or has lost nothing", async () => {
  const sample = await createSample(3);
  const { folder, file } = await newFolder();
  const expected = await sample.readAll(sample.file);
  expect(expected.every((result) => typeof result === "string")).toBe(true);
  const whole = await readFile(sample.file);
  const lostSilently: number[] = [];
  for (const length of lengthsOf(whole)) {
    await writeFile(file, whole.subarray(0, length));
    const before = await contentsOf(folder);
    const results = await sample.readAll(file);
    const failures = results.filter((result) => typeof result !== "string");
    for (const failure of failures)
      expectDatabaseFailure(failure, file, "damaged", "not_a_database");
    // A wrong result counts, even if another read has failed.
    const isWrong = results.some(
      (result, index) => typeof result === "string" && result !== expected[index],
    );
    if (isWrong) {
      lostSilently.push(length);
      continue;
    }
    expect(await contentsOf(folder)).toEqual(before);
  }
  expect(lostSilently).toEqual([]);
}, 60_000);
