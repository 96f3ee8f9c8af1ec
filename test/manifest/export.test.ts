import { array, assert, asyncProperty, constantFrom, option, record, string } from "fast-check";
import { expect, test } from "vitest";
import { exportedRecords, jsonManifest, yamlManifest } from "../../src/manifest/export.ts";
import { readManifest } from "../../src/manifest/read.ts";
import { createPlanner } from "../../src/manifest/plan/plan.ts";
import { anyCharacter } from "../support/any-character.ts";

const uuids = [1, 2, 3].map((digit) => `0000000${digit}-0000-4000-8000-00000000000${digit}`);
const names = constantFrom("A", "a", "A ", "", ".", "\ud800", "B", "#: x", "${HOME}");
const senderIds = array(record({ name: names, purpose: constantFrom("Orders", "News", "") }), {
  maxLength: 5,
});
const groups = array(
  record({
    name: names,
    uuid: constantFrom(...uuids, "not a uuid", null),
    send_birthday: option(constantFrom(true, false)),
    birthday_message: option(string({ unit: anyCharacter, maxLength: 4 })),
  }),
  { maxLength: 6 },
);

function withIds<Shown extends object>(records: readonly Shown[]) {
  return records.map((one, index) => ({ ...one, id: index + 1 }));
}

test("applying an export to its source changes nothing, and every other record is reported", async () => {
  await assert(
    asyncProperty(senderIds, groups, async (senders, shown) => {
      const [senderRecords, groupRecords] = [withIds(senders), withIds(shown)];
      for (const write of [yamlManifest, jsonManifest]) {
        const exported = exportedRecords(
          { "sender-id": senderRecords, group: groupRecords },
          () => false,
        );
        const remarks = exported.inexpressible.map(({ why }) => why);
        const text = [...write(exported.senderIds, exported.groups, remarks)].join("");
        const read = readManifest([{ name: "f", bytes: new TextEncoder().encode(text) }], {});
        if ("diagnostics" in read) throw new Error(`${JSON.stringify(read.diagnostics)}\n${text}`);
        const planner = createPlanner(read.manifest, {
          prune: false,
          replace: true,
          resendSenderId: true,
        });
        for (const record of senderRecords) planner.take("sender-id", record);
        for (const record of groupRecords) planner.take("group", record);
        const plan = planner.plan();
        if ("diagnostics" in plan) throw new Error(`${JSON.stringify(plan.diagnostics)}\n${text}`);
        expect(plan.steps.filter(({ action }) => action !== "keep")).toStrictEqual([]);
        expect(plan.steps.length + remarks.length).toBe(senders.length + shown.length);
      }
    }),
    { numRuns: 300 },
  );
});
