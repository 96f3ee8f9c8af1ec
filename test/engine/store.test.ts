import { expect, test } from "vitest";
import type { Page, Reply } from "../../src/contract/service.ts";
import { createEmbedded } from "../../src/engine/embedded.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { listedGroupRecord } from "../../src/engine/rules/records.ts";
import { type Store } from "../../src/engine/store/store.ts";
import { defaultIntegration } from "../../src/engine/store/stored.ts";
import {
  call,
  newDatabase,
  newEngine,
  someTime,
  insertGroup,
  unsetFields,
} from "./support/engine-fixtures.ts";

const path = { id: "1" };
const pageIn = (reply: Reply) => reply.envelope!.data as Page<Record<string, unknown>>;
const senderId = { purpose: "Alerts", status: "PENDING" };

test("contacts are counted, and deleted with their group", async () => {
  const { database, engine } = await newEngine();
  for (const name of ["Friends", "Kin"]) await engine["group.create"]({ body: { name } });
  const counts = async (): Promise<unknown[]> =>
    pageIn(await engine["group.list"]({ query: {} })).data.map((one) => one["contacts_count"]);
  for (const phone of ["+441", "+442", "+443"]) await database.addContact(1, phone);
  await database.addContact(2, "+441");
  await expect(database.addContact(1, "+441")).rejects.toThrow(/unique/i);
  await expect(database.addContact(3, "+441")).rejects.toThrow(/foreign key/i);
  expect(await counts()).toEqual([1, 3]);
  // An update does not change the counts.
  await engine["group.update"]({ path, body: { name: "Friends of old" } });
  expect(await counts()).toEqual([1, 3]);
  expect(await engine["group.delete"]({ path })).toMatchObject({ status: 200 });
  expect(await counts()).toEqual([1]);
  const left = await database.rows("SELECT group_id AS owner FROM contact");
  expect(left).toEqual([{ owner: 2 }]);
});

test("a name with half a surrogate pair finds no record, not even one named U+FFFD", async () => {
  const { engine } = await newEngine();
  await engine["sender-id.create"]({ body: { name: "\ufffd", purpose: "Alerts" } });
  await engine["group.create"]({ body: { name: "Friends" } });
  const name = "\ud800";
  expect(await engine["sender-id.fetch"]({ path: { name } })).toMatchObject({ status: 404 });
  expect(await engine["sender-id.delete"]({ path: { name } })).toMatchObject({ status: 404 });
  const body = { sender_id: name };
  expect(await engine["group.update"]({ path, body })).toMatchObject({ status: 422 });
  expect(pageIn(await engine["sender-id.list"]({ query: {} })).total).toBe(1);
});

test("every page of a long list is correct, from either end", async () => {
  const { database, store } = await newEngine();
  const other = await database.addIntegration("other");
  // Every third record belongs to another integration, so that ids have gaps.
  const numbers = Array.from({ length: 1500 }, (_, index) => index);
  const owner = (n: number): number => (n % 3 === 0 ? other : defaultIntegration);
  await Promise.all(numbers.map((n) => insertGroup(store, owner(n), { name: `${n}` })));
  await Promise.all(
    numbers.map((n) => store.insertSenderId(owner(n), { name: `${n}`, ...senderId })),
  );
  const engine = createEngine(store, defaultIntegration);
  for (const [list, table] of [
    ["sender-id.list", "sender_id"],
    ["group.list", "contact_group"],
  ] as const) {
    const read = `SELECT id FROM ${table} WHERE integration_id = 1 ORDER BY id DESC`;
    const ids = (await database.rows<{ id: number }>(read)).map(({ id }) => id);
    const total = ids.length;
    expect(total).toBe(1000);
    for (const perPage of [1000, 999, 334, 64, 17]) {
      const last = Math.ceil(total / perPage);
      const pages = Array.from({ length: last + 1 }, (_, index) => index + 1);
      // In sequence, and in reverse.
      for (const page of [...pages, ...pages.toReversed()]) {
        const { data, ...rest } = pageIn(await call(engine, list, { query: { perPage, page } }));
        const expected = ids.slice((page - 1) * perPage, page * perPage);
        expect(data.map((one) => one["id"])).toEqual(expected);
        expect(rest).toEqual({ current_page: page, last_page: last, per_page: perPage, total });
      }
    }
  }
});

test("integrations and keys exist from creation to deletion, each key for its integration", async () => {
  const { store } = await newEngine();
  const created = await store.insertIntegration("staging");
  expect(created).toEqual({
    id: 2,
    name: "staging",
    sender_ids_count: 0,
    groups_count: 0,
    keys_count: 0,
    created_at: someTime,
  });
  expect(await store.insertIntegration("staging")).toBeUndefined();
  const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  expect(await store.insertKey("staging", one, "aaaa")).toEqual({
    id: 1,
    integration: "staging",
    ending: "aaaa",
    created_at: someTime + 1,
  });
  expect(await store.insertKey("nobody", other, "bbbb")).toBeUndefined();
  expect(await store.insertKey("default", other, "cccc")).toMatchObject({ id: 2 });
  expect(await store.ownerOfKey(one)).toMatchObject({ integration: 2, key: 1 });
  expect(await store.ownerOfKey(other)).toEqual({ integration: 1, name: "default", key: 2 });
  expect(await store.ownerOfKey(new Uint8Array(32))).toBeUndefined();
  expect((await store.keys()).map(({ id }) => id)).toEqual([2, 1]);
  expect(await store.deleteKey(2)).toBe(true);
  expect(await store.deleteKey(2)).toBe(false);
  expect(await store.ownerOfKey(other)).toBeUndefined();
  await insertGroup(store, 2, { name: "Theirs" });
  await store.insertSenderId(2, { name: "THEIRS", ...senderId });
  expect(await store.integrations()).toMatchObject([
    { name: "staging", sender_ids_count: 1, groups_count: 1, keys_count: 1 },
    { name: "default", sender_ids_count: 0, groups_count: 0, keys_count: 0 },
  ]);
  expect(await store.deleteIntegration("staging")).toBe(true);
  expect(await store.deleteIntegration("staging")).toBe(false);
  expect(await store.ownerOfKey(one)).toBeUndefined();
  expect(await store.keys()).toEqual([]);
  // Ruling 21: deleted ids are not reused.
  expect(await store.insertIntegration("staging")).toMatchObject({ id: 3 });
  expect(await store.insertKey("staging", one, "dddd")).toMatchObject({ id: 3 });
});

test("rejects only the records of an integration that was deleted meanwhile", async () => {
  const { store } = await newEngine();
  const results = await Promise.allSettled([
    insertGroup(store, 1, { name: "Before" }),
    insertGroup(store, 7, { name: "Nobody's" }),
    store.insertSenderId(7, { name: "NOBODY", ...senderId }),
    insertGroup(store, 1, { name: "After" }),
  ]);
  expect(results).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { kind: "auth" } },
    { status: "rejected", reason: { kind: "auth" } },
    { status: "fulfilled" },
  ]);
  expect((await store.sliceOfGroups(1, 0, 10)).items.map(({ name }) => name)).toEqual([
    "After",
    "Before",
  ]);
  expect((await store.sliceOfGroups(7, 0, 10)).total).toBe(0);
});

test("groups that are created at once have their own fields, and ids and times in order", async () => {
  const { database, store } = await newEngine();
  const other = await database.addIntegration("other");
  const names = ["NULL", 'a "b", {c}', "back\\slash", "'", "two\nlines", "{}", "مرحبا"];
  const given = names.flatMap((name, index) => [
    { name, send_birthday: index % 2 === 0, send_holiday: null, birthday_message: name },
    { name: `${name} `, send_birthday: false, send_holiday: index > 2, birthday_message: null },
  ]);
  const owners = given.map((_, index) => (index % 5 === 4 ? other : defaultIntegration));
  const added = await Promise.all(
    given.map((one, index) => insertGroup(store, owners[index]!, one)),
  );
  expect(added).toMatchObject(given);
  expect(new Set(added.map(({ uuid }) => uuid)).size).toBe(given.length);
  expect(new Set(added.map(({ id }) => id)).size).toBe(given.length);
  for (const owner of [other, defaultIntegration]) {
    const own = added
      .filter((_, index) => owners[index] === owner)
      .toSorted((one, next) => one.id - next.id);
    const times = own.map(({ created_at }) => created_at);
    expect(times).toEqual([...new Set(times)].toSorted((one, next) => one - next));
    const { items, total } = await store.sliceOfGroups(owner, 0, 100);
    const expected = own.map(listedGroupRecord).toReversed();
    expect(items.map(listedGroupRecord)).toEqual(expected);
    expect(total).toBe(own.length);
  }
});

test("rulings 5, 21 and 22 hold for concurrent stores", async () => {
  const database = await newDatabase();
  // Clocks that stop, are set back, or run ahead.
  const clocks = [() => someTime, () => someTime - 1e9, () => someTime + 1000 * Math.random()];
  const stores = await Promise.all(clocks.map((clock) => database.open(clock)));
  const createAll = (first: number) =>
    Promise.all(
      Array.from({ length: 150 }, async (_, index) => {
        const n = first + index;
        const store = stores[n % stores.length]!;
        const one = store.insertSenderId(1, { name: `Name ${n % 50}`, ...senderId });
        const two = insertGroup(store, 1, { name: `Group ${n}` });
        return [await one, await two] as const;
      }),
    );
  // Twice, because each store has then seen times that are no longer the newest.
  const created = [...(await createAll(0)), ...(await createAll(150))];
  const senderIds = created.flatMap(([one]) => (one === undefined ? [] : [one]));
  expect(new Set(senderIds.map(({ name }) => name)).size).toBe(50);
  expect(senderIds).toHaveLength(50);
  const groups = created.map(([, two]) => two);
  for (const records of [senderIds, groups]) {
    const inOrder = records.toSorted((one, other) => one.id - other.id);
    const times = inOrder.map(({ created_at }) => created_at);
    expect(new Set(inOrder.map(({ id }) => id)).size).toBe(inOrder.length);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  }
  const times = [...senderIds, ...groups].map(({ created_at }) => created_at);
  expect(new Set(times).size).toBe(350);
  const [totals] = await stores[0]!.integrations();
  expect(totals).toMatchObject({ sender_ids_count: 50, groups_count: 300 });
  await Promise.all(stores.map((store) => store.close()));
});

test("a batch stores records as single inserts do, and leaves existing ones unchanged", async () => {
  const { database, store } = await newEngine();
  await store.insertSenderId(1, { name: "ONE", ...senderId });
  const more = ["ONE", "TWO"].map((name) => ({ name, ...senderId }));
  expect(await store.insertMany(1, "sender_id", more)).toHaveLength(1);
  expect(await store.sliceOfSenderIds(1, 0, 10)).toMatchObject({
    total: 2,
    items: [{ name: "TWO" }, { name: "ONE", id: 1 }],
  });
  const groups = [1, null, null].map((sender_id, index) => ({
    name: `Group ${index}`,
    send_birthday: index > 0,
    send_holiday: index === 2 ? null : index === 1,
    birthday_message: index === 0 ? null : `Message ${index}`,
    sender_id,
    uuid: `00000000-0000-4000-8000-00000000000${index}`,
  }));
  expect(await store.insertMany(1, "contact_group", groups)).toEqual([1, 2, 3]);
  const after = await insertGroup(store, 1, { name: "After" });
  expect(after.id).toBe(4);
  const { items } = await store.sliceOfGroups(1, 0, 10);
  expect(items.map(listedGroupRecord)).toMatchObject([
    { id: 4, name: "After" },
    {
      id: 3,
      name: "Group 2",
      send_birthday: true,
      send_holiday: null,
      birthday_message: "Message 2",
    },
    {
      id: 2,
      name: "Group 1",
      send_birthday: true,
      send_holiday: true,
      birthday_message: "Message 1",
    },
    { id: 1, name: "Group 0", send_birthday: false, send_holiday: false, birthday_message: null },
  ]);
  expect(items[3]!.uuid).toBe("00000000-0000-4000-8000-000000000000");
  const times = items.map(({ created_at }) => created_at);
  expect(new Set(times).size).toBe(4);
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  const used = await database.rows("SELECT sender_id AS sender FROM contact_group ORDER BY id");
  expect(used.map((row) => (row as { sender: unknown }).sender !== null)).toEqual([
    true,
    false,
    false,
    false,
  ]);

  const contacts = [
    [1, "+441"],
    [1, "+442"],
    [1, "+441"],
    [2, "+441"],
  ] as const;
  const given = contacts.map(([group_id, phone]) => ({
    group_id,
    phone,
    first_name: null,
    birth_date: "1990-01-31",
  }));
  expect(await store.insertMany(1, "contact", given)).toHaveLength(3);
  expect(await store.insertMany(1, "contact", given)).toEqual([]);
  const counts = (await store.sliceOfGroups(1, 0, 10)).items.map((one) => one.contacts_count);
  expect(counts).toEqual([0, 0, 1, 2]);
  const uuid = "00000000-0000-4000-8000-00000000ffff";
  const nobodys = store.insertMany(7, "contact_group", [{ ...groups[1], uuid }]);
  await expect(nobodys).rejects.toMatchObject({ kind: "auth" });
});

const rowsOfBatch = 120;
const lastRow = rowsOfBatch - 1;

/** Batches whose last row the database rejects, after the rows before it are written. */
const failingBatches: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  groups: ({ insertMany }) =>
    insertMany(
      1,
      "contact_group",
      Array.from({ length: rowsOfBatch }, (_, n) => ({
        name: n === lastRow ? null : `Batch ${n}`,
        uuid: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
        sender_id: null,
        ...unsetFields,
      })),
    ),
  contacts: ({ insertMany }) =>
    insertMany(
      1,
      "contact",
      Array.from({ length: rowsOfBatch }, (_, n) => ({
        group_id: 1,
        phone: n === lastRow ? null : `+44${n}`,
        first_name: null,
        birth_date: null,
      })),
    ),
};

for (const [what, insertBatch] of Object.entries(failingBatches)) {
  for (const position of ["first", "last"] as const) {
    test(`a batch of ${what} that fails at its last row stores nothing, as the ${position} of several writes`, async () => {
      const { database, store } = await newEngine();
      const before = await insertGroup(store, 1, { name: "Before" });
      const others = () => [
        insertGroup(store, 1, { name: "Beside" }),
        store.insertSenderId(1, { name: "BESIDE", ...senderId }),
      ];
      const batch = async (): Promise<"refused"> => {
        await expect(insertBatch(store)).rejects.toBeInstanceOf(Error);
        return "refused";
      };
      const done =
        position === "first"
          ? await Promise.all([batch(), ...others()])
          : await Promise.all([...others(), batch()]);
      expect(done).toHaveLength(3);
      const groups = await store.sliceOfGroups(1, 0, 1000);
      const senderIds = await store.sliceOfSenderIds(1, 0, 1000);
      expect(groups.items.map(({ name }) => name)).toEqual(["Beside", "Before"]);
      expect(senderIds.items.map(({ name }) => name)).toEqual(["BESIDE"]);
      expect([groups.total, senderIds.total]).toEqual([2, 1]);
      expect(groups.items.map(({ contacts_count }) => contacts_count)).toEqual([0, 0]);
      expect(await store.contactsAfter(1, before.id, "", 10)).toEqual([]);
      expect(await database.rows("SELECT id FROM contact")).toEqual([]);
      const after = await insertGroup(store, 1, { name: "After" });
      const times = [...senderIds.items, ...groups.items].map(({ created_at }) => created_at);
      expect(after.created_at).toBeGreaterThan(Math.max(...times));
    });
  }
}

test("of processes that start at once, one creates the first key", async () => {
  const database = await newDatabase();
  const opened = [1, 2, 3, 4, 5].map(async () => database.open(() => someTime));
  const stores = await Promise.all(opened);
  const engines = stores.map((store) => createEmbedded(store, () => someTime));
  const firstKeys = () =>
    Promise.all(engines.map(({ administration }) => administration.createFirstKey()));
  const created = (await firstKeys()).filter((reply) => reply !== undefined);
  expect(created).toMatchObject([{ envelope: { data: { integration: "default" } } }]);
  expect((await stores[0]!.keys()).map(({ id }) => id)).toEqual([1]);
  expect(await firstKeys()).toEqual(engines.map(() => undefined));
  await Promise.all(stores.map((store) => store.close()));
});
