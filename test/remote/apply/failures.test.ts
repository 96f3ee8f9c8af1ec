import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { envelope, group, senderId } from "../answers.ts";
import {
  applying,
  created,
  failures,
  outcomesOf,
  refusal,
  showing,
  writesOf,
} from "./apply-remote.ts";
import type { Script } from "../scripted-service.ts";

const apply = ["apply", "--prune", "--replace", "--yes", "--json", "--retries", "0"];

/** Carries out every write but those that a test fails. */
const failing =
  (isHit: (method: string, target: string) => boolean, fail: Script): Script =>
  (received, conversation) => {
    const { method, target, body } = received;
    if (isHit(method, target)) fail(received, conversation);
    else if (method === "DELETE") conversation.answer(200, envelope(null));
    else if (method === "POST") created(body, conversation);
    else conversation.answer(200, envelope({ ...group, ...JSON.parse(body) }));
  };

describe("a sender ID is not pruned once a group could not be changed", () => {
  const acme = { name: senderId.name, purpose: senderId.purpose };
  const desired = { name: group.name, send_birthday: !group.send_birthday };
  const old = { ...senderId, id: 8, name: "OLD" };
  const records = { senderIds: [senderId, old], groups: [group] };

  test.for(Object.keys(failures))(
    "after %s, until the next apply",
    async (way, { home, expect }) => {
      const manifest = { sender_ids: [acme], groups: [desired] };
      const script = failing((method) => method === "PUT", failures[way]!);
      const failed = await applying(home, manifest, showing(records, script), apply);
      expect(failed.exitCode).not.toBe(0);
      expect(failed.faults).toStrictEqual([]);
      expect(new Set(writesOf(failed))).toStrictEqual(new Set(["PUT /v1/group/12"]));
      expect(outcomesOf(failed)).toStrictEqual({
        "update group Customers": "failed",
        "delete sender-id OLD": "not_tried",
      });
      const whole = failing(() => false, failures[way]!);
      const again = await applying(home, manifest, showing(records, whole), apply);
      expect(again).toMatchObject({ exitCode: 0, faults: [] });
      expect(writesOf(again)).toStrictEqual(["PUT /v1/group/12", "DELETE /v1/sender-id/OLD"]);
    },
  );

  test.for(Object.keys(failures))(
    "after half of a create and %s",
    async (way, { home, expect }) => {
      const manifest = { sender_ids: [acme], groups: [{ name: "New", send_holiday: true }] };
      const script = failing((method) => method === "PUT", failures[way]!);
      const met = await applying(home, manifest, showing({ senderIds: [old] }, script), apply);
      expect(met.exitCode).not.toBe(0);
      expect(outcomesOf(met)).toMatchObject({
        "create group New": "failed",
        "delete sender-id OLD": "not_tried",
      });
      expect(writesOf(met).filter((line) => line.startsWith("DELETE"))).toStrictEqual([]);
    },
  );

  test.for(Object.keys(failures))(
    "nor is a group changed whose own sender ID met %s",
    async (way, { home, expect }) => {
      const manifest = { sender_ids: [acme], groups: [{ ...desired, sender_id: acme.name }] };
      const script = failing((method) => method === "POST", failures[way]!);
      const found = { senderIds: [old], groups: [group] };
      const met = await applying(home, manifest, showing(found, script), apply);
      expect(met.exitCode).not.toBe(0);
      expect(writesOf(met)).toStrictEqual(["POST /v1/sender-id"]);
      expect(outcomesOf(met)).toStrictEqual({
        "create sender-id ACME": "failed",
        "update group Customers": "not_tried",
        "delete sender-id OLD": "not_tried",
      });
    },
  );

  test.for([401, 403])(
    "nor is anything else tried after a %i",
    async (status, { home, expect }) => {
      const manifest = { sender_ids: [], groups: [desired] };
      const script = failing(
        (method) => method === "PUT",
        (_, { answer }) => answer(status, refusal),
      );
      const found = { ...records, groups: [group, { ...group, id: 13, name: "Old" }] };
      const met = await applying(home, manifest, showing(found, script), apply);
      expect(met).toMatchObject({ exitCode: 3, faults: [] });
      expect(writesOf(met)).toStrictEqual(["PUT /v1/group/12"]);
    },
  );
});

describe("a group is not pruned once its successor could not be created", () => {
  test.for(Object.keys(failures))("after %s", async (way, { home, expect }) => {
    // Somebody renamed the group in the manifest: its contacts are still in the old one.
    const manifest = { groups: [{ name: "Renamed" }] };
    const script = failing((method) => method === "POST", failures[way]!);
    const met = await applying(home, manifest, showing({ groups: [group] }, script), apply);
    expect(met.exitCode).not.toBe(0);
    expect(writesOf(met)).toStrictEqual(["POST /v1/group"]);
    expect(outcomesOf(met)).toStrictEqual({
      "create group Renamed": "failed",
      "delete group Customers": "not_tried",
    });
  });
});

describe("two hundred groups", () => {
  const groups = Array.from({ length: 200 }, (_, index) => ({ name: `Group ${index}` }));

  test.for(["a 500", "a 503 of a gateway", "a lost response", "a garbled response"])(
    "are not all sent to a service that gives nothing but %s",
    async (way, { home, expect }) => {
      const met = await applying(home, { groups }, showing({}, failures[way]!), apply);
      expect([8, 9, 10]).toContain(met.exitCode);
      expect(met.faults).toStrictEqual([]);
      // When the third fails, 15 others are under way.
      expect(writesOf(met).length).toBeGreaterThanOrEqual(3);
      expect(writesOf(met).length).toBeLessThanOrEqual(18);
      const failed = writesOf(met).length;
      expect(JSON.parse(met.stdout)).toMatchObject({
        data: { applied: 0, failed, not_tried: 200 - failed },
      });
    },
  );

  test.for([
    ["a conflict", 5],
    ["a refusal", 6],
  ] as const)("are all tried where each meets %s", async ([way, exitCode], { home, expect }) => {
    const met = await applying(home, { groups }, showing({}, failures[way]!), apply);
    expect(met).toMatchObject({ exitCode, faults: [] });
    expect(writesOf(met)).toHaveLength(200);
  });

  test("are all tried where every second one fails", async ({ home, expect }) => {
    let creates = 0;
    const script: Script = (received, conversation) => {
      creates += 1;
      if (creates % 2 === 0) failures["a 500"]!(received, conversation);
      else created(received.body, conversation);
    };
    const met = await applying(home, { groups }, showing({}, script), apply);
    expect(met.faults).toStrictEqual([]);
    expect(JSON.parse(met.stdout)).toMatchObject({ data: { not_tried: 0 } });
  });
});
