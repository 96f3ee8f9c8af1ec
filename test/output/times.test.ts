import { expect, test } from "vitest";
import { localTime } from "../../src/output/views.ts";

test("a time is local", () => {
  const time = new Date(2026, 0, 31, 8).toISOString();
  expect(localTime(time)).toBe("2026-01-31 08:00:00");
});

test.for(["", "soon", "0000-00-00T00:00:00Z", "1970-01-01T00:00:00Z", "2026-13-45"])(
  "%j is shown as sent",
  (time) => {
    expect(localTime(time)).toBe(time);
  },
);
