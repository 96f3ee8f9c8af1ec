import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { envelope, group, senderId } from "../sample-responses.ts";
import {
  applyManifest,
  failures,
  outcomesOf,
  refusal,
  serveRecords,
  writesOf,
} from "./apply-remote.ts";
import type { Script } from "../scripted-service.ts";

const apply = ["apply", "--replace", "--yes", "--json", "--retries", "0"];

/** A service with one sender ID, whose writes fail as configured. */
function replacing(fail: Readonly<Record<string, Script>>) {
  const senderIds: Record<string, unknown>[] = [senderId];
  const purposes: string[] = [];
  const script: Script = (received, conversation) => {
    const { method, body } = received;
    const { purpose = "" } = (body === "" ? {} : JSON.parse(body)) as { purpose?: string };
    if (method === "POST") purposes.push(purpose);
    const failing = fail[`${method} ${purpose}`.trim()];
    if (failing !== undefined) return failing(received, conversation);
    if (method === "DELETE") senderIds.length = 0;
    if (method === "POST") senderIds.push({ ...senderId, id: 9, purpose });
    if (method === "PUT") return conversation.respond(200, envelope({ ...group }));
    return conversation.respond(200, envelope(method === "DELETE" ? null : senderIds.at(-1)));
  };
  return { script: serveRecords({ senderIds, groups: [group] }, script), purposes, senderIds };
}

describe("a sender ID that is replaced", () => {
  const manifest = {
    sender_ids: [{ name: "ACME", purpose: "News" }],
    groups: [{ name: group.name, sender_id: "ACME" }],
  };

  const unsure = ["a 500", "a 503 of a gateway", "a lost response", "a garbled response"];

  test.for(unsure)("is not sent with its old purpose after %s", async (way, { home, expect }) => {
    const service = replacing({ "POST News": failures[way]! });
    const result = await applyManifest(home, manifest, service.script, apply);
    expect([8, 9, 10]).toContain(result.exitCode);
    expect(result.violations).toStrictEqual([]);
    expect(service.purposes).toStrictEqual(["News"]);
    expect(writesOf(result)).toStrictEqual(["DELETE /v1/sender-id/ACME", "POST /v1/sender-id"]);
    expect(outcomesOf(result)).toStrictEqual({
      "replace sender-id ACME": "incomplete",
      "update group Customers": "not_tried",
    });
    expect(result.stderr).toMatch(/replace sender ID ACME: .*the sender ID was deleted and/);
    const next = replacing({});
    next.senderIds.length = 0;
    const again = await applyManifest(home, manifest, next.script, apply);
    expect(again).toMatchObject({ exitCode: 0, violations: [] });
    expect(writesOf(again)).toStrictEqual(["POST /v1/sender-id", "PUT /v1/group/12"]);
  });

  test.for(["a conflict", "a refusal"])(
    "gets its old purpose back after %s",
    async (way, { home, expect }) => {
      const service = replacing({ "POST News": failures[way]! });
      const result = await applyManifest(home, manifest, service.script, apply);
      expect(result).toMatchObject({ exitCode: way === "a refusal" ? 6 : 5, violations: [] });
      expect(service.purposes).toStrictEqual(["News", senderId.purpose]);
      expect(service.senderIds).toMatchObject([{ name: "ACME", purpose: senderId.purpose }]);
      expect(outcomesOf(result)).toMatchObject({ "replace sender-id ACME": "incomplete" });
    },
  );

  test("is replaced if the service restores it with its id", async ({ home, expect }) => {
    const restored = { ...senderId, purpose: "News" };
    const service = replacing({
      "POST News": (_, { respond }) => {
        service.senderIds.push(restored);
        respond(201, envelope(restored));
      },
    });
    const result = await applyManifest(home, manifest, service.script, apply);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(outcomesOf(result)).toMatchObject({ "replace sender-id ACME": "done" });
  });

  test("is named if it is refused with its old purpose, too", async ({ home, expect }) => {
    const refuse = failures["a refusal"]!;
    const service = replacing({ "POST News": refuse, [`POST ${senderId.purpose}`]: refuse });
    const result = await applyManifest(home, manifest, service.script, apply);
    expect(result).toMatchObject({ exitCode: 6, violations: [] });
    expect(result.stderr).toMatch(/replace sender ID ACME: .*was deleted and not created again/);
  });

  test.for(Object.keys(failures))(
    "is not created after its delete ends in %s",
    async (way, { home, expect }) => {
      const service = replacing({ DELETE: failures[way]! });
      const result = await applyManifest(home, manifest, service.script, apply);
      expect(result.violations).toStrictEqual([]);
      // A delete needs no data, so its success may lack an envelope.
      if (way === "a garbled response") expect([0, 9, 10]).toContain(result.exitCode);
      else expect(service.purposes).toStrictEqual([]);
    },
  );

  test("is created if it no longer exists", async ({ home, expect }) => {
    const service = replacing({
      DELETE: (_, { respond }) => {
        service.senderIds.length = 0;
        respond(404, refusal);
      },
    });
    const result = await applyManifest(home, manifest, service.script, apply);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(service.purposes).toStrictEqual(["News"]);
  });
});
