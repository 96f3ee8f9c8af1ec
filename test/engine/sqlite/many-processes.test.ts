import { join } from "node:path";
import { expect, test } from "vitest";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job } from "../support/engine-process.ts";
import { newFolder, withDatabase } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

const createGroup: Job["calls"][number] = ["group.create", { body: { name: "Friends" } }];

const idOf = (reply: unknown): number =>
  ((reply as Reply).envelope!.data as { readonly id: number }).id;

test("processes that create the same database together all get one complete database", async () => {
  const { folder } = await newFolder();
  const processes = await startProcesses(folder, { count: 4 });
  const refused: unknown[] = [];
  // The race is rarely lost: many short rounds find more than a few long ones.
  for (let round = 0; round < 100; round += 1) {
    const file = join(folder, `round-${round}`, "sendctl.db");
    const job: Job = { file, at: Date.now() + 3, calls: [createGroup] };
    const outcomes = await Promise.all(processes.map((one) => one.run(job)));
    refused.push(...outcomes.flatMap((one) => one.refused ?? []));
    const results = outcomes.flatMap((one) => one.results);
    expect(results).toEqual(results.map(() => expect.objectContaining({ status: 201 })));
    expect(new Set(results.map(idOf)).size).toBe(results.length);
    const read = "SELECT contact_group_total FROM integration";
    const totals = withDatabase(file, (database) => database.prepare(read).pluck().all());
    expect(totals).toEqual([results.length]);
  }
  expect(refused).toEqual([]);
}, 60_000);
