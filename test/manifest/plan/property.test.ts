import {
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  nat,
  option,
  record,
  uniqueArray,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import type { DesiredGroup, Manifest } from "../../../src/manifest/manifest.ts";
import { openInProcess } from "../../contract/transports.ts";
import {
  applyTo,
  changing,
  nowhere,
  planFor,
  shownOf,
  stateOf,
  type State,
} from "./plan-fixtures.ts";

const names = constantFrom("A", "B", "C", "D", "E");
const message = option(constantFrom("Happy birthday, {first_name}!", "Cheers"));

/** A complete state with unique group names. */
const anyState: Arbitrary<Manifest> = record({
  senderIds: uniqueArray(
    record({
      name: names,
      purpose: constantFrom("Orders", "News"),
      location: constant(nowhere),
    }),
    { selector: ({ name }) => name },
  ),
  groups: uniqueArray(
    record({
      name: names,
      send_birthday: boolean(),
      send_holiday: option(boolean()),
      birthday_message: message,
      location: constant(nowhere),
      sender: option(nat(4)),
    }),
    { selector: ({ name }) => name },
  ),
}).map(({ senderIds, groups }) => ({
  senderIds,
  groups: groups.map(({ sender, ...group }): DesiredGroup => {
    const senderId = sender === null ? undefined : senderIds[sender]?.name;
    return senderId === undefined ? group : { ...group, sender_id: senderId };
  }),
}));

/** Returns a manifest of what responses show. */
function asManifest({ senderIds, groups }: State): Manifest {
  return {
    senderIds: senderIds.map(({ name, purpose }) => ({ name, purpose, location: nowhere })),
    groups: groups.map(({ name, send_birthday, send_holiday, birthday_message }) => ({
      name,
      send_birthday,
      send_holiday,
      birthday_message,
      location: nowhere,
    })),
  };
}

describe("a plan and its execution, against the engine", () => {
  test("change any state to any other, and a second plan is empty", async () => {
    await assert(
      asyncProperty(anyState, anyState, async (before, after) => {
        const way = await openInProcess();
        try {
          const service = way.services.owner;
          await applyTo(service, before);
          expect(shownOf(await stateOf(service))).toStrictEqual(shownOf(before));
          const outcomes = await applyTo(service, after);
          expect(outcomes.filter(({ result }) => result !== "done")).toStrictEqual([]);
          const state = await stateOf(service);
          expect(shownOf(state)).toStrictEqual(shownOf(after));
          expect(changing(await planFor(service, after))).toStrictEqual([]);
          expect(changing(await planFor(service, asManifest(state)))).toStrictEqual([]);
        } finally {
          await way.close();
        }
      }),
      { numRuns: 100 },
    );
  });
});
