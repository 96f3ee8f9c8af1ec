import { array, assert, asyncProperty, constantFrom, option, record, string } from "fast-check";
import { expect, test } from "vitest";
import { createExportCollector } from "../../../src/manifest/export/collect-export.ts";
import { readManifest } from "../../../src/manifest/read.ts";
import { jsonManifestParts, manifestText, yamlManifestParts } from "../../../src/manifest/write.ts";
import { openSpool } from "../../../src/runtime/spool.ts";
import { createPlanner } from "../../../src/plan/plan.ts";
import { quickFolder } from "../../support/quick-folder.ts";

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
        const collector = createExportCollector(parts.groups, () => Promise.reject(new Error()));
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

test.each([
  { name: "YAML", parts: yamlManifestParts },
  { name: "JSON", parts: jsonManifestParts },
])("an export of many groups as $name is the same through a temporary file", async ({ parts }) => {
  const shown = manyGroups();
  const file = await openSpool({ env: { TMPDIR: quickFolder }, folder: quickFolder });
  const inFile = createExportCollector(parts.groups, async () => file);
  const inMemory = createExportCollector(parts.groups, () => Promise.reject(new Error()));
  for (const [index, group] of shown.entries()) {
    inFile.takeGroup(group);
    inMemory.takeGroup(group);
    if (index % 999 === 0) await inFile.settle();
  }
  const [one, other] = [inFile.finish(), inMemory.finish()];
  expect(file.length()).toBeGreaterThan(0);
  expect([...one.groups].join("") === [...other.groups].join("")).toBe(true);
  expect(one.inexpressible).toStrictEqual(other.inexpressible);
  // Every third group has neither a unique name nor a unique uuid nor a unique id.
  expect(one.inexpressible.length).toBe(shown.length / 3);
  file.close();
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
