import { expect, test } from "vitest";
import { seedRecords } from "../../../src/engine/seed/seed.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import { newEngine } from "../support/engine-fixtures.ts";

test("other writers get a pause after every 1.5 seconds, longer than they wait between two attempts", async () => {
  const { store } = await newEngine();
  let time = 0;
  const pauses: [at: number, milliseconds: number][] = [];
  const request = { integration: undefined, key: undefined, source: undefined };
  await seedRecords(
    store,
    async () => defaultIntegration,
    { ...request, senderIds: 1, groups: 2, contacts: 20_001 },
    {
      // Each kind of record takes one second, and the contacts two.
      added: async () => void (time += 1000),
      now: () => time,
      sleep: async (milliseconds) => void pauses.push([time, milliseconds]),
    },
  );
  expect(pauses).toEqual([
    [2000, 110],
    [4000, 110],
  ]);
});
