import { describe } from "vitest";
import { dataOf, test } from "../support/home.ts";

/** Runs a function `count` times concurrently. */
function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

describe("concurrent processes", () => {
  test(
    "40 processes create one database and a group each",
    { timeout: 60_000 },
    async ({ home, expect }) => {
      const outcomes = await times(40, (index) =>
        home.spawn(["group", "create", `Group ${index}`]),
      );
      for (const { exitCode, stderr } of outcomes) {
        expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "Group created\n" });
      }

      const { data, total } = dataOf(await home.run(["group", "list", "--all", "--json"])) as {
        data: { id: number; name: string; uuid: string; created_at: string }[];
        total: number;
      };
      expect(total).toBe(40);
      expect(data.map(({ id }) => id)).toStrictEqual(outcomes.map((_, index) => 40 - index));
      expect(new Set(data.map(({ name }) => name)).size).toBe(40);
      expect(new Set(data.map(({ uuid }) => uuid)).size).toBe(40);
      // Ids and times increase together, regardless of the clock of each process.
      const moments = data.map((group) => group.created_at);
      expect(moments).toStrictEqual([...new Set(moments)].toSorted().toReversed());
    },
  );

  test(
    "of 20 processes that create the same name, one succeeds",
    { timeout: 60_000 },
    async ({ home, expect }) => {
      const outcomes = await times(20, (index) =>
        home.spawn(["sender-id", "create", "ACME", "--purpose", `Purpose ${index}`, "--json"]),
      );
      const winners = outcomes.filter(({ exitCode }) => exitCode === 0);
      const losers = outcomes.filter(({ exitCode }) => exitCode === 5);
      expect([winners.length, losers.length]).toStrictEqual([1, 19]);
      for (const loser of losers) {
        expect(loser.stderr).toContain("Sender ID already exists: ACME (HTTP 409, conflict)\n");
      }
      const fetched = await home.run(["sender-id", "fetch", "ACME", "--json"]);
      expect(dataOf(fetched)).toStrictEqual(dataOf(winners[0]!));
    },
  );

  test(
    "20 processes that create the same name with --if-not-exists all succeed",
    { timeout: 60_000 },
    async ({ home, expect }) => {
      const args = [
        "sender-id",
        "create",
        "ACME",
        "--purpose",
        "Offers",
        "--if-not-exists",
        "--json",
      ];
      const outcomes = await times(20, () => home.spawn(args));
      for (const { exitCode, stderr } of outcomes) {
        expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
      }
      expect(new Set(outcomes.map((outcome) => JSON.stringify(dataOf(outcome)))).size).toBe(1);
    },
  );

  test(
    "of 20 processes that delete the same group, one succeeds",
    { timeout: 60_000 },
    async ({ home, expect }) => {
      await home.run(["group", "create", "Friends"]);
      const outcomes = await times(20, () => home.spawn(["group", "delete", "1", "--yes"]));
      const successes = outcomes.filter(({ exitCode }) => exitCode === 0);
      const missed = outcomes.filter(({ exitCode }) => exitCode === 4);
      expect([successes.length, missed.length]).toStrictEqual([1, 19]);
    },
  );
});
