import { expect, test } from "vitest";
import { agedTime, localTime } from "../../src/output/views.ts";

const now = Date.UTC(2026, 0, 31, 8);
const at = (milliseconds: number): string => new Date(now + milliseconds).toISOString();
const day = 86_400_000;

test.for([
  ["12 seconds", at(-12_000), " (12s ago)"],
  ["3 hours", at(-3 * 3_600_000), " (3h ago)"],
  ["25 years", at(-25 * 365 * day), " (25y ago)"],
  ["a clock that is ahead", at(5000), ""],
])("a record of %s has its local time and age", ([, time, age]) => {
  expect(agedTime(now)(time!)).toBe(`${localTime(time!)}${age}`);
  expect(localTime(time!)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
});

test.for([
  "",
  "soon",
  "0000-00-00T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2026-13-45",
])("%j is shown as sent", (time) => {
  expect(agedTime(now)(time)).toBe(time);
  expect(localTime(time)).toBe(time);
});
