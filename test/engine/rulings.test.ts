import { expect, test } from "vitest";
import type { Service } from "../../src/contract/service.ts";
import { createEngine } from "../../src/engine/engine.ts";
import type { Store } from "../../src/engine/store.ts";
import type { TestDatabase } from "./support/test-database.ts";
import { call, newEngine } from "./support/engine-fixtures.ts";
import { refusedRequests } from "./support/refused-requests.ts";

/** Creates the records that `refusedRequests` refers to. */
async function prepare(
  database: TestDatabase,
  store: Store,
  own: Service,
): Promise<readonly Service[]> {
  const other = createEngine(store, await database.addIntegration("other"));
  await own["sender-id.create"]({ body: { name: "ACME", purpose: "Alerts" } });
  await other["sender-id.create"]({ body: { name: "THEIRS", purpose: "Alerts" } });
  await own["group.create"]({ body: { name: "Friends" } });
  await other["group.create"]({ body: { name: "Theirs" } });
  return [own, other];
}

/** Returns every record of these integrations, as their lists return them. */
function everything(services: readonly Service[]): Promise<string[]> {
  const lists = services.flatMap((service) => [
    service["sender-id.list"]({ query: {} }),
    service["group.list"]({ query: {} }),
  ]);
  return Promise.all(lists.map(async (reply) => (await reply).text));
}

for (const [subject, cases] of Object.entries(refusedRequests)) {
  for (const [ruling, what, operation, input, status, ...fields] of cases) {
    test(`${subject}: ruling ${ruling}, ${operation} refuses ${what}`, async () => {
      const { database, store, engine } = await newEngine();
      const services = await prepare(database, store, engine);
      const before = await everything(services);
      const reply = await call(engine, operation, input);
      expect(reply.status).toBe(status);
      const envelope = JSON.parse(reply.text) as { errors?: Record<string, string[]> };
      const refusal = { status: false, message: expect.stringMatching(/./), data: null };
      expect(envelope).toMatchObject(refusal);
      expect(Object.keys(envelope.errors ?? {}).toSorted()).toEqual(fields);
      expect("errors" in envelope).toBe(fields.length > 0);
      expect(await everything(services)).toEqual(before);
    });
  }
}

test("ruling 3: another integration's group is not found by its uuid", async () => {
  const { database, store, engine } = await newEngine();
  const [, other] = await prepare(database, store, engine);
  const { envelope } = await other!["group.list"]({ query: {} });
  const { uuid } = (envelope!.data as { data: [{ uuid: string }] }).data[0];
  for (const operation of ["group.fetch", "group.update", "group.delete"] as const) {
    const reply = await call(engine, operation, { path: { id: uuid }, body: {} });
    expect(reply.status).toBe(404);
  }
  expect(await other!["group.fetch"]({ path: { id: uuid } })).toMatchObject({ status: 200 });
});
