import { expect } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { succeeded, type Reply } from "../../../src/contract/service.ts";
import { createEngine } from "../../../src/engine/engine.ts";
import type { TestDatabase } from "../support/test-database.ts";
import { call, someTime } from "../support/engine-fixtures.ts";
import type { Call, Remembered, Step, Text } from "./model-steps.ts";
import { createModel, type Assigned, type Expected, type Model } from "./model.ts";

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Parses a created_at into microseconds since 1970, and checks its format. */
function microseconds(created_at: string): number {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z$/.exec(created_at);
  if (parts === null) throw new Error(`created_at has another form: ${created_at}`);
  return Date.parse(`${parts[1]}Z`) * 1000 + Number(parts[2]);
}

/** Remembers the created records, newest first, and checks rulings 21 and 22 for all of them. */
function createMemory() {
  const texts: Record<Remembered, string[]> = {
    name: [],
    "sender ID": [],
    group: [],
    uuid: [],
    UUID: [],
  };
  const newestId = { senderId: 0, group: 0 };
  let newestTime = 0;
  /** By integration. */
  const newestTimes = new Map<number, number>();

  /** Checks the values that the service assigned before the model uses them. */
  function remember(
    kind: "senderId" | "group",
    data: Assigned & { name: string },
    integration: number,
    now: number,
  ) {
    expect(data.id).toBeGreaterThan(newestId[kind]);
    expect(Number.isSafeInteger(data.id)).toBe(true);
    newestId[kind] = data.id;
    const time = microseconds(data.created_at);
    expect(time).toBeGreaterThan(newestTimes.get(integration) ?? 0);
    newestTimes.set(integration, time);
    // The current time, if it is later than the newest one.
    if (Math.floor(now) > newestTime) expect(time).toBe(Math.floor(now));
    newestTime = Math.max(newestTime, time);
    if (kind === "senderId") {
      texts.name.unshift(data.name);
      texts["sender ID"].unshift(String(data.id));
      return;
    }
    expect(data.uuid).toMatch(uuidForm);
    expect(texts.uuid).not.toContain(data.uuid);
    texts.group.unshift(String(data.id));
    texts.uuid.unshift(data.uuid);
    texts.UUID.unshift(data.uuid.toUpperCase());
  }

  function resolve(text: Text): string {
    if ("text" in text) return text.text;
    const known = texts[text.remembered];
    return known[text.nth % known.length] ?? "nothing created yet";
  }

  return { remember, resolve };
}

/** Expects the reply to be an envelope, with matching text, that agrees with the model. */
function compare(reply: Reply, expected: Expected): void {
  expect(reply.status).toBe(expected.status);
  expect(JSON.parse(reply.text)).toEqual(reply.envelope);
  expect(succeeded(reply)).toBe("envelope" in expected);
  if ("envelope" in expected) {
    // Compared as text, because the order of the fields matters.
    expect(reply.text).toBe(JSON.stringify(expected.envelope));
    return;
  }
  const { fields } = expected;
  const names = ["status", "message", "data", ...(fields.length > 0 ? ["errors"] : [])];
  expect(Object.keys(JSON.parse(reply.text) as object)).toEqual(names);
  const { status, message, data, errors = {} } = reply.envelope!;
  expect({ status, data }).toEqual({ status: false, data: null });
  expect(message).not.toBe("");
  expect(Object.keys(errors).toSorted()).toEqual(fields);
  for (const messages of Object.values(errors)) expect(messages.join("")).not.toBe("");
}

/**
 * Checks what no operation shows: the sender ID of each group, and the consistency of the database.
 */
async function audit(database: TestDatabase, model: Model): Promise<void> {
  const used = await database.rows(`SELECT one.id, sender_id.id AS sender FROM contact_group AS one
    LEFT JOIN sender_id ON sender_id.id = one.sender_id ORDER BY one.id`);
  expect(used).toEqual(model.groups.map(({ id, sender }) => ({ id, sender })));
  const orphans = await database.rows(`SELECT 1 AS one FROM contact_group
    WHERE (sender_id IS NOT NULL AND sender_id NOT IN (SELECT id FROM sender_id)) OR integration_id NOT IN (SELECT id FROM integration)
    UNION ALL SELECT 1 FROM contact WHERE group_id NOT IN (SELECT id FROM contact_group)`);
  expect(orphans).toEqual([]);
}

/**
 * Runs the steps on a new database, and compares every reply with the model.
 *
 * @returns the number of compared replies
 */
export async function runSteps(database: TestDatabase, steps: readonly Step[]): Promise<number> {
  let replies = 0;
  let now = someTime;
  let store = await database.open(() => now);
  const integrations = [1, await database.addIntegration("other")];
  const model = createModel();
  const memory = createMemory();

  async function run(step: Call): Promise<void> {
    now += step.pause;
    const { operation, caller, query = {} } = step;
    const integration = integrations[caller]!;
    const name = memory.resolve(step.name ?? { text: "" });
    const id = memory.resolve(step.id ?? { text: "" });
    const body = step.sender ? { sender_id: memory.resolve(step.sender) } : step.body;
    const path = operation.startsWith("group") ? { id } : { name };
    const reply = await call(createEngine(store, integration), operation, { path, body, query });
    const assigned = (): Assigned => {
      const data = reply.envelope?.data as Assigned & { name: string };
      expect(reply.status).toBe(operations[operation].status);
      memory.remember(operation === "group.create" ? "group" : "senderId", data, integration, now);
      return data;
    };
    replies += 1;
    compare(reply, model.respond(operation, { integration, name, id, body, query, assigned }));
  }

  try {
    for (const step of steps) {
      if (step === "reopen") {
        await store.close();
        store = await database.open(() => now);
      } else if ("contactOf" in step) {
        const group = model.groups.at(-1 - step.contactOf);
        if (group === undefined) continue;
        group.contacts += 1;
        await database.addContact(group.id, `+44${group.contacts}`);
      } else {
        await run(step);
      }
      await audit(database, model);
    }
    for (const caller of integrations.keys()) {
      for (const operation of ["sender-id.list", "group.list"] as const) {
        for (const page of [1, 2, 3]) {
          await run({ operation, caller, pause: 0, query: { perPage: 3, page } });
        }
        await run({ operation, caller, pause: 0, query: { perPage: 1000 } });
      }
    }
    return replies;
  } finally {
    await database.close();
    await store.close();
  }
}
