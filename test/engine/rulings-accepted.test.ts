import { expect, test } from "vitest";
import type { Reply } from "../../src/contract/service.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { call, newEngine, someTimeText } from "./support/engine-fixtures.ts";
import { rightNames } from "./support/hostile-texts.ts";

const purpose = "Alerts";
const path = { id: "1" };
const dataOf = (reply: Reply): unknown => reply.envelope?.data;

/** Returns the status and the data of a reply. */
async function resultOf(reply: Reply | Promise<Reply>): Promise<readonly [number, unknown]> {
  const { status, envelope } = await reply;
  return [status, envelope?.data];
}

for (const name of rightNames) {
  test(`rulings 5 and 7: ${JSON.stringify(name).slice(0, 30)} is a name, stored exactly`, async () => {
    const { engine } = await newEngine();
    const record = { id: 1, name };
    const created = await resultOf(engine["sender-id.create"]({ body: { name, purpose } }));
    expect(created).toMatchObject([201, record]);
    const fetched = await resultOf(engine["sender-id.fetch"]({ path: { name } }));
    expect(fetched).toEqual([200, created[1]]);
    const group = await resultOf(engine["group.create"]({ body: { name } }));
    expect(group).toMatchObject([201, record]);
    const updated = await resultOf(engine["group.update"]({ path, body: { sender_id: name } }));
    expect(updated).toEqual([200, group[1]]);
    expect(await resultOf(engine["sender-id.delete"]({ path: { name } }))).toEqual([200, null]);
  });
}

test("ruling 5: names are compared exactly, and are unique within their integration only", async () => {
  const { database, store, engine } = await newEngine();
  const names = ["ACME", "acme", "é", "e\u0301", "\ufffd", "1", "01"];
  for (const [before, name] of names.entries()) {
    const reply = await engine["sender-id.create"]({ body: { name, purpose } });
    expect(await resultOf(reply)).toMatchObject([201, { id: before + 1, name }]);
  }
  const other = createEngine(store, await database.addIntegration("other"));
  const theirs = await other["sender-id.create"]({ body: { name: "ACME", purpose } });
  expect(await resultOf(theirs)).toMatchObject([201, { id: names.length + 1 }]);
});

for (const purpose of ["p", "p".repeat(1000), "😀".repeat(1000), " a\n\tb ", "\u202e"]) {
  test(`ruling 6: ${JSON.stringify(purpose).slice(0, 30)} is a purpose`, async () => {
    const { engine } = await newEngine();
    const reply = await engine["sender-id.create"]({ body: { name: "ACME", purpose } });
    expect(await resultOf(reply)).toMatchObject([201, { purpose }]);
  });
}

test("ruling 7: group names need not be unique", async () => {
  const { engine } = await newEngine();
  const body = { name: "Friends" };
  expect(await resultOf(engine["group.create"]({ body }))).toMatchObject([201, { id: 1 }]);
  expect(await resultOf(engine["group.create"]({ body }))).toMatchObject([201, { id: 2 }]);
});

const longest = ["m".repeat(1600), "😀".repeat(1600)];
for (const message of [null, "m", "{first_name} {x}", "\r\u001b", ...longest]) {
  test(`ruling 8: ${JSON.stringify(message).slice(0, 30)} is a message`, async () => {
    const { engine } = await newEngine();
    const birthday_message = message;
    const body = { name: "Friends", birthday_message };
    expect(await resultOf(engine["group.create"]({ body }))).toMatchObject([
      201,
      { birthday_message },
    ]);
    await engine["group.update"]({ path, body: { birthday_message: "other" } });
    const updated = await engine["group.update"]({ path, body: { birthday_message } });
    expect(await resultOf(updated)).toMatchObject([200, { birthday_message }]);
  });
}

test("ruling 9: defaults of a new group", async () => {
  const { engine } = await newEngine();
  const reply = await engine["group.create"]({ body: { name: "Friends" } });
  expect(Object.entries(dataOf(reply) as object)).toEqual([
    ["id", 1],
    ["uuid", expect.stringMatching(/^[0-9a-f-]{36}$/)],
    ["name", "Friends"],
    ["send_birthday", false],
    ["send_holiday", null],
    ["birthday_message", null],
    ["created_at", someTimeText],
  ]);
});

test("ruling 13: omitted fields keep their values, null clears", async () => {
  const { database, engine } = await newEngine();
  await engine["sender-id.create"]({ body: { name: "ACME", purpose } });
  await engine["group.create"]({ body: { name: "Friends" } });
  const all = { name: "Kin", send_birthday: true, send_holiday: false, birthday_message: "Hi" };
  const sender = async (): Promise<unknown> => {
    const read = "SELECT sender_id AS sender FROM contact_group";
    return (await database.rows<{ sender: unknown }>(read))[0]!.sender;
  };
  const body = { ...all, sender_id: "ACME" };
  expect(await resultOf(engine["group.update"]({ path, body }))).toMatchObject([200, all]);
  // Ruling 4: an empty update changes nothing.
  expect(await resultOf(engine["group.update"]({ path, body: {} }))).toMatchObject([200, all]);
  expect(await sender()).toBe(1);
  for (const field of ["birthday_message", "send_holiday", "sender_id"] as const) {
    const cleared = { ...all, ...(field === "sender_id" ? {} : { [field]: null }) };
    const updated = await resultOf(engine["group.update"]({ path, body: { [field]: null } }));
    expect(updated).toMatchObject([200, cleared]);
    await engine["group.update"]({ path, body });
  }
  await engine["group.update"]({ path, body: { sender_id: null } });
  expect(await sender()).toBeNull();
});

test("ruling 14: sender_id is a name first, then an id, and never shown", async () => {
  const { database, engine } = await newEngine();
  for (const name of ["2", "ACME", "3"]) {
    await engine["sender-id.create"]({ body: { name, purpose } });
  }
  await engine["group.create"]({ body: { name: "Friends" } });
  // Sender ID 1 is called "2", and sender ID 3 is called "3".
  for (const [sender_id, id] of Object.entries({ "1": 1, "2": 1, "3": 3, ACME: 2 })) {
    const reply = await engine["group.update"]({ path, body: { sender_id } });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain("sender_id");
    const used = await database.rows("SELECT sender_id AS sender FROM contact_group");
    expect(used).toEqual([{ sender: id }]);
  }
});

test("rulings 15 and 16: a sender ID in use and its group can be deleted", async () => {
  const { engine } = await newEngine();
  await engine["sender-id.create"]({ body: { name: "ACME", purpose } });
  await engine["group.create"]({ body: { name: "Friends" } });
  await engine["group.update"]({ path, body: { sender_id: "ACME" } });
  expect(await resultOf(engine["sender-id.delete"]({ path: { name: "ACME" } }))).toEqual([
    200,
    null,
  ]);
  expect(await resultOf(engine["group.fetch"]({ path }))).toMatchObject([200, { name: "Friends" }]);
  expect(await resultOf(engine["group.delete"]({ path }))).toEqual([200, null]);
  expect((await engine["group.fetch"]({ path })).status).toBe(404);
});

for (const list of ["sender-id.list", "group.list"] as const) {
  test(`rulings 18 and 19: the pages of ${list}`, async () => {
    const { engine } = await newEngine();
    const page = async (query: object): Promise<unknown> => {
      const { data, ...rest } = dataOf(await call(engine, list, { query })) as {
        data: [{ id: number }];
      };
      return { ids: data.map(({ id }) => id), ...rest };
    };
    const empty = { ids: [], current_page: 1, last_page: 1, per_page: 15, total: 0 };
    expect(await page({})).toEqual(empty);
    const create = list === "group.list" ? "group.create" : "sender-id.create";
    for (let n = 1; n <= 16; n += 1) {
      const body = { name: `Number ${n}`, ...(list === "group.list" ? {} : { purpose }) };
      await call(engine, create, { body });
    }
    const ids = Array.from({ length: 16 }, (_, index) => 16 - index);
    const of = { current_page: 1, last_page: 2, per_page: 15, total: 16 };
    expect(await page({})).toEqual({ ...of, ids: ids.slice(0, 15) });
    expect(await page({ page: "2" })).toEqual({ ...of, ids: [1], current_page: 2 });
    expect(await page({ page: 3 })).toEqual({ ...of, ids: [], current_page: 3 });
    expect(await page({ perPage: "1000" })).toEqual({ ...of, ids, last_page: 1, per_page: 1000 });
    const one = { ...of, last_page: 16, per_page: 1 };
    expect(await page({ perPage: 1, page: 16 })).toEqual({ ...one, ids: [1], current_page: 16 });
  });
}

test("ruling 20: a group's id in a path is its decimal id or its uuid", async () => {
  const { engine } = await newEngine();
  const created = await engine["group.create"]({ body: { name: "Friends" } });
  const { uuid } = dataOf(created) as { uuid: string };
  for (const id of ["1", uuid, uuid.toUpperCase()]) {
    const path = { id };
    expect(await resultOf(engine["group.fetch"]({ path }))).toMatchObject([200, { id: 1, uuid }]);
    const updated = await resultOf(engine["group.update"]({ path, body: { name: id } }));
    expect(updated).toMatchObject([200, { id: 1, name: id }]);
  }
  expect(await resultOf(engine["group.delete"]({ path: { id: uuid } }))).toEqual([200, null]);
});

test("rulings 21 and 22: ids and times increase despite deletions and refusals", async () => {
  const { engine } = await newEngine();
  const created: { readonly id: number; readonly created_at: string }[] = [];
  for (const name of ["a", "b", "c"]) {
    const reply = await engine["sender-id.create"]({ body: { name, purpose } });
    created.push(dataOf(reply) as (typeof created)[0]);
    const again = await engine["sender-id.create"]({ body: { name, purpose } });
    expect(again.status).toBe(409);
    await engine["sender-id.delete"]({ path: { name } });
  }
  const ids = created.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, two) => one - two));
  const group = await engine["group.create"]({ body: { name: "d" } });
  // The clock of these tests does not advance.
  const times = [...created, dataOf(group) as (typeof created)[0]].map((one) => one.created_at);
  expect(times[0]).toBe(someTimeText);
  expect(times).toEqual([...new Set(times)].toSorted());
});
