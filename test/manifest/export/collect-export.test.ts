import { array, assert, asyncProperty, constantFrom, option, record, string } from "fast-check";
import { expect, test } from "vitest";
import { createExportCollector } from "../../../src/manifest/export/collect-export.ts";
import { readManifest } from "../../../src/manifest/read.ts";
import { jsonManifestParts, manifestText, yamlManifestParts } from "../../../src/manifest/write.ts";
import { createPlanner } from "../../../src/plan/plan.ts";

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
    birthday_message: option(string({ unit: "binary", maxLength: 4 })),
  }),
  { maxLength: 6 },
);

function withIds(records: readonly object[]) {
  return records.map((one, index) => ({ ...one, id: index + 1 }));
}

test("applying an export to its source changes nothing, and every other record is reported", async () => {
  await assert(
    asyncProperty(senderIds, groups, async (senders, shown) => {
      const [senderRecords, groupRecords] = [withIds(senders), withIds(shown)];
      for (const parts of [yamlManifestParts, jsonManifestParts]) {
        const collector = createExportCollector(parts.groups);
        senderRecords.forEach(collector.takeSenderId);
        groupRecords.forEach(collector.takeGroup);
        const exported = collector.finish();
        const remarks = exported.inexpressible.map(({ why }) => why);
        const pieces = manifestText(parts, exported.senderIds, exported.groups, remarks);
        const text = [...pieces].join("");
        const read = readManifest([{ name: "f", bytes: new TextEncoder().encode(text) }], {});
        if ("diagnostics" in read) throw new Error(`${JSON.stringify(read.diagnostics)}\n${text}`);
        const planner = createPlanner(read.manifest, {
          prune: false,
          replace: true,
          resendSenderId: true,
        });
        senderRecords.forEach(planner.takeSenderId);
        groupRecords.forEach(planner.takeGroup);
        const plan = planner.plan();
        if ("diagnostics" in plan) throw new Error(`${JSON.stringify(plan.diagnostics)}\n${text}`);
        expect(plan.steps.filter(({ action }) => action !== "keep")).toStrictEqual([]);
        expect(plan.steps.length + remarks.length).toBe(senders.length + shown.length);
      }
    }),
    { numRuns: 300 },
  );
});

test("of many groups without a unique name or uuid, those without a unique id are reported", () => {
  const shown = manyGroups();
  const collector = createExportCollector(yamlManifestParts.groups);
  for (const group of shown) collector.takeGroup(group);
  const { groups: texts, inexpressible } = collector.finish();
  // Every third group has neither a unique name nor a unique uuid nor a unique id.
  expect(inexpressible.length).toBe(shown.length / 3);
  expect([...texts].join("").match(/^ {2}- /gm)).toHaveLength((2 * shown.length) / 3);
});

function manyGroups(): readonly Record<string, unknown>[] {
  return Array.from({ length: 6300 }, (_, index) => ({
    id: index % 3 === 0 ? 1 : index + 2,
    uuid: index % 3 === 1 ? `00000000-0000-4000-8000-${String(index).padStart(12, "0")}` : uuids[0],
    name: index % 21 === 2 ? `Name ${index}\n誕生日` : `Name ${index % 2}`,
    send_birthday: index % 2 === 0,
    birthday_message: "x".repeat(index % 50),
  }));
}
