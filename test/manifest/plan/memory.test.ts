import {
  anything,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  json,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { serviceOf, type Reply } from "../../../src/contract/service.ts";
import { SendctlError } from "../../../src/core/error.ts";
import type { DesiredGroup, Manifest } from "../../../src/manifest/manifest.ts";
import { matchRecords } from "../../../src/manifest/plan/match-records.ts";
import { memoryText, parseMemory } from "../../../src/manifest/plan/plan.ts";
import { openInProcess } from "../../contract/transports.ts";
import {
  applyTo,
  changing,
  everything,
  nowhere,
  planFor,
  type Remembered,
} from "./plan-fixtures.ts";

const location = nowhere;
const names = constantFrom("A", "B", "C");
const ids = constantFrom("1", "2", "3", "99");

/** Any content of a state file: missing, outdated, of another target, or of another program. */
const anyFile = oneof(
  constant(undefined),
  constant(""),
  constant('{"version": 2, "pending": [{"name": "A"}]}'),
  string(),
  json(),
  anything().map((value) => {
    try {
      return JSON.stringify({ version: 1, pending: value, stored: [value] });
    } catch {
      return "";
    }
  }),
  record({
    version: constant(1),
    pending: array(
      oneof(
        names.map((name) => `name ${name}`),
        ids.map((id) => `id ${id}`),
      ),
    ),
    stored: array(
      record({
        kind: constantFrom("group", "sender-id"),
        id: ids,
        field: constantFrom("name", "purpose", "birthday_message"),
        sent: constantFrom("A", "B", "Orders", "Hi"),
        stored: constantFrom("A", "B", "Hello", null),
      }),
    ),
  }).map((value) => JSON.stringify(value)),
);

const wanted: Manifest = {
  senderIds: [{ name: "ACME", purpose: "Orders", location }],
  groups: ["A", "B", "C"].map((name): DesiredGroup => ({
    name,
    sender_id: "ACME",
    birthday_message: "Hi",
    location,
  })),
};

describe("a state file", () => {
  test("is read back unchanged", () => {
    assert(
      property(anyFile, (text) => {
        const memory = parseMemory(text);
        expect(parseMemory(memoryText(memory, () => false))).toStrictEqual(memory);
      }),
    );
  });

  test("with any content, an apply reaches the desired state without duplicates", async () => {
    await assert(
      asyncProperty(anyFile, async (text) => {
        const way = await openInProcess();
        try {
          const service = way.services.owner;
          const remembered: Remembered = { memory: parseMemory(text) };
          for (let times = 0; times < 2; times += 1) {
            const outcomes = await applyTo(service, wanted, everything, remembered);
            expect(outcomes.filter(({ result }) => result !== "done")).toStrictEqual([]);
          }
          const plan = await planFor(service, wanted);
          expect(changing(plan)).toStrictEqual([]);
          expect(plan.steps.length).toBe(4);
          expect(plan.notManaged).toStrictEqual({ senderIds: 0, groups: 0 });
        } finally {
          await way.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});

test.for([
  ["by its id", "id 1", 1],
  ["by its name until its id is known", "name A", 1],
  ["unless the id is another group's", "id 2", 0],
  ["unless the manifest does not name it", "name Z", 0],
] as const)(
  "the sender ID of a group that may lack it is sent again: %s",
  async ([, pending, count]) => {
    const way = await openInProcess();
    const service = way.services.owner;
    const one = { ...wanted, groups: wanted.groups!.slice(0, 1) };
    await applyTo(service, one);
    const remembered: Remembered = { memory: [pending] };
    const outcomes = await applyTo(service, one, everything, remembered);
    expect(outcomes.map(({ step, result }) => [step.action, result])).toStrictEqual(
      Array.from({ length: count }, () => ["update", "done"]),
    );
    expect(remembered.memory).toStrictEqual(count === 1 ? [] : [pending]);
    await way.close();
  },
);

test("a process that ends between create and update leaves the group to the next apply", async () => {
  const way = await openInProcess();
  const { owner } = way.services;
  const killed = serviceOf((name) => async (input) => {
    if (name === "group.update") throw new Error("killed");
    return (owner[name] as (input: unknown) => Promise<Reply>)(input);
  });
  const remembered: Remembered = { memory: [] };
  const one: Manifest = {
    senderIds: wanted.senderIds,
    groups: [{ name: "A", sender_id: "ACME", location }],
  };
  await expect(applyTo(killed, one, everything, remembered)).rejects.toThrow("killed");
  expect(changing(await planFor(owner, one))).toStrictEqual([]);
  const outcomes = await applyTo(owner, one, everything, remembered);
  expect(outcomes).toMatchObject([{ result: "done", step: { action: "update" } }]);
  expect(remembered.memory).toStrictEqual([]);
  await way.close();
});

test.for(["cancelled", "terminated", "outcome_unknown", "unexpected_response"] as const)(
  "a create that ends with %s leaves the sender ID to the next apply",
  async (kind) => {
    const way = await openInProcess();
    const { owner } = way.services;
    const ending = serviceOf((name) => async (input) => {
      const reply = await (owner[name] as (input: unknown) => Promise<Reply>)(input);
      if (name === "group.create") throw new SendctlError(kind, "the response was lost");
      return reply;
    });
    const remembered: Remembered = { memory: [] };
    const one: Manifest = {
      senderIds: wanted.senderIds,
      groups: [{ name: "A", sender_id: "ACME", location }],
    };
    await applyTo(ending, one, everything, remembered);
    const outcomes = await applyTo(owner, one, everything, remembered);
    expect(outcomes).toMatchObject([{ result: "done", step: { action: "update" } }]);
    await way.close();
  },
);

test("a group is found by its uuid if the service writes it in capitals", () => {
  const uuid = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
  const group = { uuid, name: "Renamed", location };
  const matching = matchRecords("group", [group]);
  const record = { id: 7, uuid: uuid.toUpperCase(), name: "Friends" };
  expect(matching.take(record)).toBe(true);
  expect(matching.found(group)).toBe(record);
  expect(matching.problems()).toEqual([]);
});
