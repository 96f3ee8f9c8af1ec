import { expect, test } from "vitest";
import type { OperationName } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/contract/service.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { call, newEngine } from "./support/engine-fixtures.ts";
import { rightNames, strayKeys, wrongNumbers } from "./support/hostile-texts.ts";

/** What test/contract/ does not cover: input that no URL can carry, other integrations, and order. */

const purpose = "Alerts";
const path = { id: "1" };
const dataOf = (reply: Reply): unknown => reply.envelope?.data;

/** Returns an engine with sender ID ACME (1) and group 1. THEIRS (2) and group 2 are another integration's. */
async function twoIntegrations() {
  const { database, store, engine } = await newEngine();
  const other = createEngine(store, await database.addIntegration("other"));
  for (const [service, name] of [
    [engine, "ACME"],
    [other, "THEIRS"],
  ] as const) {
    await service["sender-id.create"]({ body: { name, purpose } });
    await service["group.create"]({ body: { name } });
  }
  const everything = () =>
    Promise.all(
      [engine, other].flatMap((service) => [
        service["sender-id.list"]({ query: {} }).then(({ text }) => text),
        service["group.list"]({ query: {} }).then(({ text }) => text),
      ]),
    );
  return { database, engine, other, everything };
}

/** Operations with input that they refuse: the status, and the field that the errors name. */
const refusals: Readonly<
  Record<string, readonly (readonly [OperationName, unknown, number, string?])[]>
> = {
  "ruling 3: sender IDs of nobody": strayKeys.flatMap((name) => [
    ["sender-id.fetch", { path: { name } }, 404],
    ["sender-id.delete", { path: { name } }, 404],
  ]),
  "rulings 3 and 20: groups of nobody": strayKeys.flatMap((id) => [
    ["group.fetch", { path: { id } }, 404],
    ["group.update", { path: { id }, body: {} }, 404],
    ["group.delete", { path: { id } }, 404],
  ]),
  "ruling 4: undefined fields": [
    ["sender-id.create", { body: { name: undefined, purpose } }, 422, "name"],
    ["group.create", { body: { name: undefined } }, 422, "name"],
  ],
  "rulings 18 and 19: pages that are neither a number nor text": [...wrongNumbers, [5]].flatMap(
    (value) => [
      ["group.list", { query: { perPage: value } }, 422, "perPage"],
      ["sender-id.list", { query: { page: value } }, 422, "page"],
    ],
  ),
};

for (const [what, cases] of Object.entries(refusals)) {
  test(`refused, and nothing is changed: ${what}`, async () => {
    const { engine, everything } = await twoIntegrations();
    const before = await everything();
    for (const [operation, input, status, ...fields] of cases) {
      const reply = await call(engine, operation, input);
      const { errors = {}, ...envelope } = JSON.parse(reply.text) as { errors?: object };
      expect([input, reply.status, Object.keys(errors)]).toEqual([input, status, fields]);
      expect(envelope).toEqual({ status: false, message: expect.any(String), data: null });
    }
    expect(await everything()).toEqual(before);
  });
}

test("ruling 7: a group can have any valid name, also one that others have", async () => {
  const { engine } = await newEngine();
  for (const name of rightNames.flatMap((name) => [name, name])) {
    const reply = await engine["group.create"]({ body: { name } });
    expect(reply).toMatchObject({ status: 201, envelope: { data: { name } } });
  }
});

test("rulings 13 and 14: sender_id is a name first, then an id, null for none, and never shown", async () => {
  const { database, engine } = await newEngine();
  for (const name of ["2", "ACME", "3"]) {
    await engine["sender-id.create"]({ body: { name, purpose } });
  }
  await engine["group.create"]({ body: { name: "Friends" } });
  // Sender ID 1 is called "2", and sender ID 3 is called "3".
  for (const [sender_id, id] of [
    ["1", 1],
    ["2", 1],
    ["3", 3],
    ["ACME", 2],
    [undefined, 2],
    [null, null],
  ] as const) {
    const reply = await call(engine, "group.update", { path, body: { sender_id } });
    expect(reply.status).toBe(200);
    expect(reply.text).not.toContain("sender_id");
    const used = await database.rows("SELECT sender_id AS sender FROM contact_group");
    expect(used).toEqual([{ sender: id }]);
  }
});

test("a sender ID is not deleted for another one that had its name", async () => {
  const { engine } = await newEngine();
  for (const name of ["ACME", "ACME"]) {
    await engine["sender-id.delete"]({ path: { name } });
    await engine["sender-id.create"]({ body: { name, purpose } });
  }
  const remove = (id: number) =>
    engine["sender-id.delete"]({ path: { name: "ACME" }, expected: { id } });
  await expect(remove(1)).rejects.toMatchObject({ kind: "conflict", record: { id: 2 } });
  expect(dataOf(await engine["sender-id.list"]({ query: {} }))).toMatchObject({ total: 1 });
  expect((await remove(2)).status).toBe(200);
  expect((await remove(2)).status).toBe(404);
});
