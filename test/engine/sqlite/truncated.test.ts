import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { contentsOf, expectDatabaseFailure, newFolder } from "../support/engine-fixtures.ts";
import { makeSample } from "../support/sample-database.ts";

/** In the first kilobyte every length, then both sides of each page's end, and the last page in steps. */
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

test("a database that was cut short is refused, or has lost nothing", async () => {
  const sample = await makeSample();
  const { folder, file } = await newFolder();
  const right = await sample.readAll(sample.file);
  expect(right.every((answer) => typeof answer === "string")).toBe(true);
  const whole = await readFile(sample.file);
  const lostSilently: number[] = [];
  for (const length of lengthsOf(whole)) {
    await writeFile(file, whole.subarray(0, length));
    const before = await contentsOf(folder);
    const answers = await sample.readAll(file);
    const failures = answers.filter((answer) => typeof answer !== "string");
    for (const failure of failures)
      expectDatabaseFailure(failure, file, "damaged", "not_a_database");
    // A wrong answer stays one, even where another read has failed.
    const isWrong = answers.some(
      (answer, place) => typeof answer === "string" && answer !== right[place],
    );
    if (isWrong) {
      lostSilently.push(length);
      continue;
    }
    expect(await contentsOf(folder)).toEqual(before);
  }
  expect(lostSilently).toEqual([]);
}, 60_000);
