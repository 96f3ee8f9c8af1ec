import { expect, test } from "vitest";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { insertGroup, newFolder, someTime } from "../support/engine-fixtures.ts";

test("a snapshot restores records and ids, without those of an integration that was deleted since", async () => {
  const { file } = await newFolder();
  const store = openSqliteStore(file, () => someTime);
  const other = await store.insertIntegration("other");
  const whole = { send_birthday: true, send_holiday: false, birthday_message: "Hi" };
  await insertGroup(store, 1, { ...whole, name: "Ours" });
  const before = await store.sliceOfGroups(1, 0, 10);
  await insertGroup(store, other!.id, { name: "Theirs" });
  const restore = await store.snapshot!();
  await insertGroup(store, 1, { name: "Later" });
  await store.deleteIntegration("other");
  expect(await restore()).toBe(true);
  expect(await store.sliceOfGroups(1, 0, 10)).toEqual(before);
  expect(await insertGroup(store, 1, { name: "Next" })).toMatchObject({ id: 3 });
  await store.close();
});
