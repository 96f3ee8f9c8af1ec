import { expect, test } from "vitest";
import { createClock } from "./clock.ts";
import { deltaOf } from "./state.ts";
import { withTrial } from "./try-command.ts";

const seed = { groups: [{ name: "VIP" }] };

test.for([false, true])("records the requests and changes of a command (built: %s)", (isBuilt) =>
  withTrial({}, { seed, isBuilt }, async (trial) => {
    const created = await trial.run(["group", "create", "Friends", "--json"]);
    expect(created).toMatchObject({
      exitCode: 0,
      requests: [{ method: "POST", path: "/v1/group", body: '{"name":"Friends"}', status: 201 }],
    });
    expect(JSON.parse(created.stdout)).toMatchObject({ data: { id: 2, name: "Friends" } });
    expect(deltaOf(created.before, created.after)).toStrictEqual({
      addedSenderIds: [],
      removedSenderIds: [],
      addedGroups: [created.after.groups[1]],
      removedGroups: [],
      changedGroups: [],
    });
    const deleted = await trial.run(["group", "delete", "1", "--yes"]);
    expect(deltaOf(deleted.before, deleted.after).removedGroups).toStrictEqual([
      created.before.groups[0],
    ]);
    expect(deleted.requests.map(({ method }) => method)).toContain("DELETE");
  }),
);

test("writes a manifest to the folder of the command", () =>
  withTrial({}, { seed }, async (trial) => {
    const manifest = { groups: [{ name: "VIP", send_birthday: true }] };
    const args = ["apply", "-f", "manifest.json", "--yes"];
    const { after } = await trial.run(args, { manifest });
    expect(after.groups).toMatchObject([{ name: "VIP", send_birthday: true }]);
  }));

test("pauses take no time, but advance the clock of the rate limit", () =>
  withTrial(
    { rate: { requests: 1, window: 30_000, header: "Retry-After" } },
    { seed },
    async (trial) => {
      await trial.run(["group", "list"]);
      const { exitCode, requests } = await trial.run(["group", "list"]);
      expect(exitCode).toBe(0);
      expect(requests.map(({ status }) => status)).toStrictEqual([429, 200]);
    },
  ));

test("the clock wakes sleepers in order, and those with the same time together", async () => {
  const clock = createClock(0);
  const { signal } = new AbortController();
  const woken: string[] = [];
  const sleep = async (name: string, milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds, signal);
    woken.push(`${name} at ${clock.now()}`);
  };
  await Promise.all([sleep("late", 3000), sleep("early", 1000), sleep("early too", 1000)]);
  expect(woken).toStrictEqual(["early at 1000", "early too at 1000", "late at 3000"]);
});

test("a sleeper is rejected immediately when aborted", async () => {
  const clock = createClock(0);
  const stop = new AbortController();
  const sleeping = clock.sleep(5_000_000, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(sleeping).rejects.toThrow("stopped");
  expect(clock.now()).toBe(0);
});
