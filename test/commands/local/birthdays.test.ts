import { describe } from "vitest";
import { test, type Home } from "../../support/home.ts";

function birthdays(home: Home, ...words: readonly string[]) {
  return home.run(["local", "birthdays", ...words]);
}

describe.concurrent("local birthdays", () => {
  test("uses the local date by default", async ({ home, expect }) => {
    const { stderr } = await birthdays(home);
    expect(stderr).toMatch(/^No birthdays on \d{4}-\d\d-\d\d in /);
    // These time zones never have the same date.
    const zones = ["Etc/GMT+12", "Etc/GMT-14"];
    const outcomes = await Promise.all(
      zones.map((TZ) => home.spawn(["local", "birthdays"], { TZ })),
    );
    expect(outcomes[0]!.stderr).not.toBe(outcomes[1]!.stderr);
  });
});
