import { expect, test } from "vitest";
import { matchRecords } from "../../../src/manifest/plan/match-records.ts";
import { emptyMemory, recallOf } from "../../../src/manifest/plan/memory.ts";
import { nowhere } from "./plan-fixtures.ts";

test("a group is found by its uuid if the service writes it in capitals", () => {
  const uuid = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
  const group = { uuid, name: "Renamed", location: nowhere };
  const matching = matchRecords("group", [group], recallOf(emptyMemory));
  const record = { id: 7, uuid: uuid.toUpperCase(), name: "Friends" };
  expect(matching.take(record)).toBe(true);
  expect(matching.found(group)).toBe(record);
  expect(matching.problems()).toEqual([]);
});
