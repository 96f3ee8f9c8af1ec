import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, envelope, group, page, senderId } from "../sample-responses.ts";
import {
  applyManifest,
  created,
  outcomesOf,
  serveRecords,
  writesOf,
  type Records,
} from "../apply/apply-remote.ts";
import { stopping } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const yes = ["apply", "--yes", "--json"];
const nothing: Script = answering(500);

describe("records that violate the specification", () => {
  const all = { sender_ids: [{ name: "ACME", purpose: "Orders" }], groups: [{ name: "A" }] };
  const { name: _, ...nameless } = senderId;
  const { id: __, ...withoutId } = group;
  /** The problem, the records, and a text that identifies the wrong one. */
  const cases: readonly (readonly [string, Records, string])[] = [
    ["a sender ID without a name", { senderIds: [{ ...nameless, id: 4711 }] }, "4711"],
    ["one whose name is a number", { senderIds: [{ ...senderId, id: 4711, name: 7 }] }, "4711"],
    ["one that cannot be in a URL", { senderIds: [{ ...senderId, name: ".." }] }, '".."'],
    ["one with a lone surrogate", { senderIds: [{ ...senderId, name: "A\ud800" }] }, '"A'],
    ["one without a purpose", { senderIds: [{ ...senderId, purpose: null }] }, '"ACME"'],
    ["a group without an id", { groups: [withoutId] }, '"Customers"'],
    ["one whose id leads to another path", { groups: [{ ...group, id: ".." }] }, '"Customers"'],
    ["one without a name", { groups: [{ ...group, id: 4711, name: null }] }, "4711"],
  ];

  test.for(cases)(
    "are rejected without sending anything: %s",
    async ([, records, identified], { home, expect }) => {
      for (const args of [
        ["diff", "--prune", "--replace", "--json"],
        ["apply", "--prune", "--replace", "--json", "--yes"],
      ]) {
        const result = await applyManifest(home, all, serveRecords(records, nothing), args);
        expect(result).toMatchObject({ exitCode: 10, violations: [] });
        expect(result.stderr).toContain(identified);
        expect(writesOf(result)).toStrictEqual([]);
      }
    },
  );

  test("two sender IDs with the same name are ambiguous", async ({ home, expect }) => {
    const senderIds = [{ ...senderId, id: 8, purpose: "Orders" }, senderId];
    const args = ["apply", "--replace", "--yes"];
    const result = await applyManifest(home, all, serveRecords({ senderIds }, nothing), args);
    expect(result).toMatchObject({ exitCode: 2, violations: [] });
    expect(result.stderr).toContain("m.json:1:16: ");
    expect(writesOf(result)).toStrictEqual([]);
  });

  test("long numbers keep their digits in nested values", async ({ home, expect }) => {
    const record = { ...group, name: "A", birthday_message: ["NUMBER"] };
    const text = JSON.stringify(envelope(page([record])));
    const script: Script = answering(200, text.replace('"NUMBER"', "12345678901234567890"));
    const manifest = { groups: [{ name: "A", birthday_message: "Hi" }] };
    const result = await applyManifest(home, manifest, script, ["diff"]);
    expect(result).toMatchObject({ exitCode: 12, violations: [] });
    expect(result.stdout).toContain('["12345678901234567890"] → "Hi"');
  });

  test("a created group without an id is not updated", async ({ home, expect }) => {
    const script = serveRecords({}, answering(201, envelope(withoutId)));
    const manifest = { groups: [{ name: "A", send_holiday: true }] };
    const result = await applyManifest(home, manifest, script, yes);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(writesOf(result)).toStrictEqual(["POST /v1/group"]);
    expect(outcomesOf(result)).toStrictEqual({ "create group A": "failed" });
  });
});

describe("a service that fails during an apply", () => {
  const groups = Array.from({ length: 200 }, (_, index) => ({ name: `Group ${index}` }));

  test("Ctrl-C decides the exit code, whatever failed before", async ({ home, expect }) => {
    const { stop, stopWith } = stopping();
    const script = serveRecords({}, ({ body }, conversation) => {
      if (body.includes('"Group 0"')) return conversation.respond(409);
      if (!body.includes('"Group 50"')) return created(body, conversation);
      stop();
    });
    const result = await applyManifest(home, { groups }, script, yes, { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind: "cancelled" } });
    expect(result.stderr).toContain("409");
  });

  test("prints the target once", async ({ home, expect }) => {
    const script = serveRecords({}, ({ body }, conversation) => created(body, conversation));
    const result = await applyManifest(home, { groups }, script, ["apply", "--yes"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.stderr.match(/→ http/g)).toHaveLength(1);
  });

  test("suggests --resend-sender-id once for a sender ID that was not sent", async ({
    home,
    expect,
  }) => {
    const manifest = {
      sender_ids: [{ name: "ACME", purpose: "Orders" }],
      groups: [{ name: "Customers", sender_id: "ACME" }],
    };
    const script = serveRecords({ groups: [group] }, ({ method }, { respond }) =>
      method === "POST"
        ? respond(201, envelope({ ...senderId, purpose: "Orders" }))
        : respond(500, { status: false, message: "Broken", data: null }),
    );
    const result = await applyManifest(home, manifest, script, yes);
    expect(result).toMatchObject({ exitCode: 8, violations: [] });
    expect(outcomesOf(result)).toMatchObject({ "update group Customers": "failed" });
    expect(result.stdout).toContain("--resend-sender-id");
    expect(result.stderr.match(/--resend-sender-id/g)).toHaveLength(1);
  });

  test("prints no control characters of a name at a terminal", async ({ home, expect }) => {
    const hostile = { groups: [{ name: "\u009b31mA\u202e\u2028" }] };
    const script = serveRecords({}, ({ body }, conversation) => created(body, conversation));
    for (const args of [
      ["diff", "-o", "jsonl"],
      ["apply", "--yes", "-o", "jsonl"],
    ]) {
      const result = await applyManifest(home, hostile, script, args, { terminal: 80 });
      expect(result.violations).toStrictEqual([]);
      const [line = ""] = result.stdout.split("\n");
      expect(JSON.parse(line)).toMatchObject({ name: hostile.groups[0]!.name });
    }
  });
});
