import { expect, test } from "vitest";
import { defaultIntegration } from "../../src/engine/store/stored.ts";
import { insertGroup, newDatabase, someTime } from "./support/engine-fixtures.ts";

test("pages read in sequence reflect every write in between", async () => {
  const database = await newDatabase();
  const open = () => database.open(() => someTime);
  const [reader, writer, other] = [await open(), await open(), await open()];
  for (let n = 1; n <= 40; n += 1) {
    await insertGroup(writer, defaultIntegration, { name: `Group ${n}` });
  }
  const writes = [
    async () => {},
    () => writer.deleteGroup(defaultIntegration, { id: 39 }),
    () => reader.deleteGroup(defaultIntegration, { id: 3 }),
    () => insertGroup(reader, defaultIntegration, { name: "Own" }),
    () => insertGroup(writer, defaultIntegration, { name: "Other" }),
    async () => {},
  ];
  for (const [turn, write] of writes.entries()) {
    const skip = turn * 5;
    const page = await reader.sliceOfGroups(defaultIntegration, skip, 5);
    // A store that reads no other page has none of them cached.
    const whole = await other.sliceOfGroups(defaultIntegration, 0, 1000);
    expect(page.items).toEqual(whole.items.slice(skip, skip + 5));
    expect(page.total).toBe(whole.total);
    await write();
  }
  await Promise.all([reader, writer, other].map((store) => store.close()));
});

test("the groups with a name are those of the integration alone, newest first, and paged as a list", async () => {
  const database = await newDatabase();
  const store = await database.open(() => someTime);
  const { id: other } = (await store.insertIntegration("other"))!;
  for (const owner of [defaultIntegration, other]) {
    for (const name of ["Friends", "Family", "friends", "Friends"]) {
      await insertGroup(store, owner, { name });
    }
  }
  const found = await store.groupsNamed(other, "Friends");
  expect(found.map(({ id, name }) => [id, name])).toEqual([
    [8, "Friends"],
    [5, "Friends"],
  ]);
  expect(await store.groupsNamed(other, "Friends\u0000")).toEqual([]);
  await store.close();
});
