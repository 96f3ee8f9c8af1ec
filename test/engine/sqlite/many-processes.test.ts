import { join } from "node:path";
import { expect, test } from "vitest";
import type { Reply } from "../../../src/contract/service.ts";
import type { Job } from "../support/engine-process.ts";
import { newFolder, withDatabase } from "../support/engine-fixtures.ts";
import { startProcesses } from "../support/start-engine-processes.ts";

const createGroup: Job["calls"][number] = ["group.create", { body: { name: "Friends" } }];

interface Made {
  readonly id: number;
  readonly created_at: string;
}

const made = (answer: unknown): Made => (answer as Reply).envelope!.data as Made;

test("processes that begin on the same new file together all find one whole database", async () => {
  const { folder } = await newFolder();
  const processes = await startProcesses(folder, { count: 4 });
  const refused: unknown[] = [];
  // Such a race is lost seldom: many short rounds find what a few do not.
  for (let round = 0; round < 200; round += 1) {
    const file = join(folder, `round-${round}`, "sendctl.db");
    const job: Job = { file, at: Date.now() + 3, calls: [createGroup] };
    const outcomes = await Promise.all(processes.map((one) => one.ask(job)));
    refused.push(...outcomes.flatMap((one) => one.refused ?? []));
    const answers = outcomes.flatMap((one) => one.answers);
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ status: 201 })));
    expect(new Set(answers.map((answer) => made(answer).id)).size).toBe(answers.length);
    const read = "SELECT contact_group_total FROM integration";
    const totals = withDatabase(file, (database) => database.prepare(read).pluck().all());
    expect(totals).toEqual([answers.length]);
  }
  expect(refused).toEqual([]);
}, 60_000);

test("what processes write at once is all there, with ids and times of its own", async () => {
  const { folder, file } = await newFolder();
  const processes = await startProcesses(folder, { count: 4 });
  const calls = Array.from({ length: 100 }, () => createGroup);
  const outcomes = await Promise.all(processes.map((one) => one.ask({ file, calls })));
  const answers = outcomes.flatMap((one) => one.answers);
  expect(answers).toEqual(answers.map(() => expect.objectContaining({ status: 201 })));
  const records = answers.map(made).toSorted((one, other) => one.id - other.id);
  expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
  const times = records.map(({ created_at }) => created_at);
  expect(times).toEqual([...new Set(times)].toSorted());
  const checked = withDatabase(file, (database) => database.pragma("integrity_check"));
  expect(checked).toEqual([{ integrity_check: "ok" }]);
}, 60_000);
