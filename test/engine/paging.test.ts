import { expect, test } from "vitest";
import { defaultIntegration, type Slice, type Store } from "../../src/engine/store.ts";
import { newDatabase, newEngine, someTime } from "./support/engine-fixtures.ts";

const group = { send_birthday: false, send_holiday: null, birthday_message: null };

test("pages read in sequence reflect every write in between", async () => {
  const database = await newDatabase();
  const open = () => database.open(() => someTime);
  const [reader, writer, other] = [await open(), await open(), await open()];
  for (let n = 1; n <= 40; n += 1) {
    await writer.insertGroup(defaultIntegration, { name: `Group ${n}`, ...group });
  }
  const writes = [
    async () => {},
    () => writer.deleteGroup(defaultIntegration, { id: 39 }),
    () => reader.deleteGroup(defaultIntegration, { id: 3 }),
    () => reader.insertGroup(defaultIntegration, { name: "Own", ...group }),
    () => writer.insertGroup(defaultIntegration, { name: "Other", ...group }),
    async () => {},
  ];
  for (const [turn, write] of writes.entries()) {
    const skip = turn * 5;
    const page = await reader.sliceOfGroups(defaultIntegration, skip, 5);
    // A store that does not read in sequence has no cached position.
    const whole = await other.sliceOfGroups(defaultIntegration, 0, 1000);
    expect(page.items).toEqual(whole.items.slice(skip, skip + 5));
    expect(page.total).toBe(whole.total);
    await write();
  }
  await Promise.all([reader, writer, other].map((store) => store.close()));
});

// Deep enough that PostgreSQL also continues from where the previous page ended.
const depth = 1020;
const pageSize = 5;

const insertMany = {
  sliceOfGroups: async (store: Store, owner: number, names: readonly string[]): Promise<void> => {
    const groups = names.map((name) => ({ name, senderId: null, ...group }));
    await store.insertManyGroups(owner, groups, () => () => crypto.randomUUID());
  },
  sliceOfSenderIds: async (
    store: Store,
    owner: number,
    names: readonly string[],
  ): Promise<void> => {
    const fields = { purpose: "Alerts", status: "PENDING" } as const;
    const senderIds = names.map((name) => ({ name, ...fields }));
    await store.insertManySenderIds(owner, senderIds);
  },
};

for (const list of ["sliceOfGroups", "sliceOfSenderIds"] as const) {
  test(`integrations that page alternately through one store see their own records: ${list}`, async () => {
    const { database, store } = await newEngine();
    const owners = [defaultIntegration, await database.addIntegration("other")];
    // Blocks of both integrations alternate, so that an id of one lies within the list of the
    // other. Both have changed equally often, so a count of changes cannot distinguish them.
    for (const part of [0, 1, 2]) {
      for (const [index, owner] of owners.entries()) {
        const names = Array.from({ length: 400 - 50 * index }, (_, n) => `${owner}-${part}-${n}`);
        await insertMany[list](store, owner, names);
      }
    }
    const expected = new Map<number, string[]>();
    for (const owner of owners) {
      const names = await database.rows<{ name: string }>(
        `SELECT name FROM ${list === "sliceOfGroups" ? "contact_group" : "sender_id"}
         WHERE integration_id = ${owner} ORDER BY id DESC`,
      );
      expected.set(
        owner,
        names.map(({ name }) => name),
      );
    }
    for (const start of [0, depth]) {
      for (let skip = start; skip < start + 4 * pageSize; skip += pageSize) {
        for (const owner of owners) {
          const page: Slice<{ readonly name: string }> = await store[list](owner, skip, pageSize);
          const all = expected.get(owner)!;
          expect({ owner, skip, names: page.items.map(({ name }) => name) }).toEqual({
            owner,
            skip,
            names: all.slice(skip, skip + pageSize),
          });
          expect(page.total).toBe(all.length);
        }
      }
    }
  });
}

test("pages of different sizes and lists do not continue each other", async () => {
  const { store } = await newEngine();
  const names = Array.from({ length: 1100 }, (_, n) => `N${n}`);
  await insertMany.sliceOfGroups(store, defaultIntegration, names);
  await insertMany.sliceOfSenderIds(store, defaultIntegration, names.slice(50));
  const all = {
    sliceOfGroups: names.toReversed(),
    sliceOfSenderIds: names.slice(50).toReversed(),
  };
  for (const start of [0, depth]) {
    for (const [list, offset, count] of [
      ["sliceOfGroups", 0, 5],
      ["sliceOfSenderIds", 5, 5],
      ["sliceOfGroups", 5, 7],
      ["sliceOfGroups", 5, 5],
      ["sliceOfSenderIds", 10, 7],
      ["sliceOfGroups", 12, 5],
      ["sliceOfGroups", 5, 7],
      ["sliceOfSenderIds", 17, 5],
    ] as const) {
      const skip = start + offset;
      const page: Slice<{ readonly name: string }> = await store[list](
        defaultIntegration,
        skip,
        count,
      );
      expect({ list, skip, names: page.items.map(({ name }) => name) }).toEqual({
        list,
        skip,
        names: all[list].slice(skip, skip + count),
      });
      expect(page.total).toBe(all[list].length);
    }
  }
});
