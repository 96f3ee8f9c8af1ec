import { expect, onTestFinished, test } from "vitest";
import type { Reply, Service } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import { ownBehaviour } from "../../../src/contract/behaviour.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import { newDatabase } from "../support/engine-fixtures.ts";

const behaviour = { ...ownBehaviour, group_name_unique: true } as const;

/** Opens engines with separate connections to one database, as separate servers do. */
async function newEngines(count: number): Promise<Service[]> {
  const database = await newDatabase();
  const engines: Service[] = [];
  for (let number = 0; number < count; number += 1) {
    const store = await database.open(() => Date.now() * 1000);
    onTestFinished(() => store.close());
    engines.push(createEngine(store, defaultIntegration, behaviour));
  }
  return engines;
}

async function countsOf(replies: readonly Promise<Reply>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(replies)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test.each([1, 4])(
  "of 20 creates of one name at once, one succeeds, with %i connections",
  async (count) => {
    const engines = await newEngines(count);
    const create = (number: number): Promise<Reply> =>
      engines[number % count]!["group.create"]({ body: { name: "Friends" } });
    expect(await countsOf(Array.from({ length: 20 }, (_, number) => create(number)))).toEqual({
      201: 1,
      409: 19,
    });
    const { envelope } = await engines[0]!["group.list"]({ query: {} });
    expect(envelope!.data).toMatchObject({ total: 1, data: [{ name: "Friends" }] });
  },
);

test("of 20 groups renamed to one name at once, one is", async () => {
  const engines = await newEngines(2);
  for (let number = 1; number <= 20; number += 1) {
    await engines[0]!["group.create"]({ body: { name: `Group ${number}` } });
  }
  const rename = (id: number): Promise<Reply> =>
    engines[id % 2]!["group.update"]({ path: { id: String(id) }, body: { name: "Friends" } });
  const replies = Array.from({ length: 20 }, (_, index) => rename(index + 1));
  expect(await countsOf(replies)).toEqual({ 200: 1, 409: 19 });
});

test("the name of another integration, of a deleted group or of the group itself is not taken", async () => {
  const database = await newDatabase();
  const store = await database.open(() => Date.now() * 1000);
  onTestFinished(() => store.close());
  const own = createEngine(store, defaultIntegration, behaviour);
  const other = createEngine(store, await database.addIntegration("other"), behaviour);
  const body = { name: "Friends" };
  const path = { id: "1" };
  expect(await other["group.create"]({ body })).toMatchObject({ status: 201 });
  await other["group.delete"]({ path });
  expect(await other["group.create"]({ body })).toMatchObject({ status: 201 });
  expect(await own["group.create"]({ body })).toMatchObject({ status: 201 });
  const id = { id: "3" };
  expect(await own["group.update"]({ path: id, body })).toMatchObject({ status: 200 });
  expect(await own["group.create"]({ body: { name: "friends" } })).toMatchObject({ status: 201 });
});
