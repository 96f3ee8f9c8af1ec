import { describe } from "vitest";
import { dataOf, test } from "../support/home.ts";

/** Runs a function `count` times concurrently. */
function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

const create = (purpose: string, ...options: string[]) => [
  "sender-id",
  "create",
  "ACME",
  "--purpose",
  purpose,
  "--json",
  ...options,
];

describe("concurrent processes", () => {
  test("20 processes create one database and a group each", async ({ home, expect }) => {
    const outcomes = await times(20, (index) => home.spawn(["group", "create", `Group ${index}`]));
    for (const { exitCode, stderr } of outcomes) {
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 0,
        stderr: expect.stringMatching(/^Group Group \d+ \(id \d+\) created\n$/),
      });
    }

    const { data, total } = dataOf(await home.run(["group", "list", "--all", "--json"])) as {
      data: { id: number; name: string; uuid: string; created_at: string }[];
      total: number;
    };
    expect(total).toBe(20);
    expect(data.map(({ id }) => id)).toStrictEqual(outcomes.map((_, index) => 20 - index));
    expect(new Set(data.map(({ name }) => name)).size).toBe(20);
    expect(new Set(data.map(({ uuid }) => uuid)).size).toBe(20);
    // Ids and times increase together, regardless of the clock of each process.
    const moments = data.map((group) => group.created_at);
    expect(moments).toStrictEqual([...new Set(moments)].toSorted().toReversed());
  });

  test("of 10 processes that create the same name, one succeeds", async ({ home, expect }) => {
    const outcomes = await times(10, (index) => home.spawn(create(`Purpose ${index}`)));
    const winners = outcomes.filter(({ exitCode }) => exitCode === 0);
    const losers = outcomes.filter(({ exitCode }) => exitCode === 5);
    expect([winners.length, losers.length]).toStrictEqual([1, 9]);
    for (const { stderr } of losers) {
      expect(stderr).toContain("Sender ID already exists: ACME (conflict, ");
    }
    const fetched = await home.run(["sender-id", "fetch", "ACME", "--json"]);
    expect(dataOf(fetched)).toStrictEqual(dataOf(winners[0]!));
  });

  test("of 10 processes that delete the same group, one succeeds", async ({ home, expect }) => {
    await home.run(["group", "create", "Friends"]);
    const outcomes = await times(10, () => home.spawn(["group", "delete", "1", "--yes"]));
    const codes = outcomes.map(({ exitCode }) => exitCode ?? -1).toSorted((a, b) => a - b);
    expect(codes).toStrictEqual([0, ...Array.from({ length: 9 }, () => 4)]);
  });

  test("10 processes that create the same name with --if-not-exists all succeed", async ({
    home,
    expect,
  }) => {
    const outcomes = await times(10, () => home.spawn(create("Offers", "--if-not-exists")));
    for (const { exitCode, stderr } of outcomes) {
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
    }
    expect(new Set(outcomes.map((outcome) => JSON.stringify(dataOf(outcome)))).size).toBe(1);
  });
});
