import { expect, test } from "vitest";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { insertGroup, newFolder, someTime } from "../support/engine-fixtures.ts";

test("a snapshot restores records and ids, without those of an integration that was deleted since", async () => {
  const { file } = await newFolder();
  const store = openSqliteStore(file, () => someTime);
  const other = await store.insertIntegration("other");
  await insertGroup(store, 1, { name: "Ours" });
  await insertGroup(store, other!.id, { name: "Theirs" });
  const restore = await store.snapshot!();
  await insertGroup(store, 1, { name: "Later" });
  await store.deleteIntegration("other");
  expect(await restore()).toBe(true);
  const { items, total } = await store.sliceOfGroups(1, 0, 10);
  expect({ total, names: items.map(({ name }) => name) }).toEqual({ total: 1, names: ["Ours"] });
  expect(await insertGroup(store, 1, { name: "Next" })).toMatchObject({ id: 3 });
  await store.close();
});
