import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { envelope, group, page, senderId } from "../answers.ts";
import {
  applying,
  created,
  outcomesOf,
  showing,
  writesOf,
  type Records,
} from "../apply/apply-remote.ts";
import type { RunOptions } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const nothing: Script = (_, { answer }) => answer(500);

describe("records that are not as promised", () => {
  const all = { sender_ids: [{ name: "ACME", purpose: "Orders" }], groups: [{ name: "A" }] };
  const { name: _, ...nameless } = senderId;
  const { id: __, ...withoutId } = group;
  /** What is wrong, the records, and how the one that is wrong can be recognised. */
  const cases: readonly (readonly [string, Records, string])[] = [
    ["a sender ID without a name", { senderIds: [{ ...nameless, id: 4711 }] }, "4711"],
    ["one whose name is a number", { senderIds: [{ ...senderId, id: 4711, name: 7 }] }, "4711"],
    ["one that no URL can carry", { senderIds: [{ ...senderId, name: ".." }] }, '".."'],
    ["one of half a character", { senderIds: [{ ...senderId, name: "A\ud800" }] }, '"A'],
    ["one without a purpose", { senderIds: [{ ...senderId, purpose: null }] }, '"ACME"'],
    ["a group without an id", { groups: [withoutId] }, '"Customers"'],
    ["one whose id leads elsewhere", { groups: [{ ...group, id: ".." }] }, '"Customers"'],
    ["one without a name", { groups: [{ ...group, id: 4711, name: null }] }, "4711"],
  ];

  test.for(cases)(
    "are refused, and nothing is sent: %s",
    async ([, records, recognised], { home, expect }) => {
      for (const args of [
        ["diff", "--prune", "--replace", "--json"],
        ["apply", "--prune", "--replace", "--json", "--yes"],
      ]) {
        const met = await applying(home, all, showing(records, nothing), args);
        expect(met).toMatchObject({ exitCode: 10, faults: [] });
        expect(met.stderr).toContain(recognised);
        expect(writesOf(met)).toStrictEqual([]);
      }
    },
  );

  test("two sender IDs of one name are not chosen from", async ({ home, expect }) => {
    const senderIds = [{ ...senderId, id: 8, purpose: "Orders" }, senderId];
    const args = ["apply", "--replace", "--yes"];
    const met = await applying(home, all, showing({ senderIds }, nothing), args);
    expect(met).toMatchObject({ exitCode: 2, faults: [] });
    expect(met.stderr).toContain("m.json:1:16: ");
    expect(writesOf(met)).toStrictEqual([]);
  });

  test("long numbers are shown wherever they stand", async ({ home, expect }) => {
    const record = { ...group, name: "A", birthday_message: ["NUMBER"] };
    const text = JSON.stringify(envelope(page([record])));
    const script: Script = (_received, { answer }) =>
      answer(200, text.replace('"NUMBER"', "12345678901234567890"));
    const manifest = { groups: [{ name: "A", birthday_message: "Hi" }] };
    const met = await applying(home, manifest, script, ["diff"]);
    expect(met).toMatchObject({ exitCode: 12, faults: [] });
    expect(met.stdout).toContain('["12345678901234567890"] → "Hi"');
  });

  test("a created group without an id is not finished at a guess", async ({ home, expect }) => {
    const script = showing({}, (_, { answer }) => answer(201, envelope(withoutId)));
    const manifest = { groups: [{ name: "A", send_holiday: true }] };
    const met = await applying(home, manifest, script, ["apply", "--yes", "--json"]);
    expect(met).toMatchObject({ exitCode: 10, faults: [] });
    expect(writesOf(met)).toStrictEqual(["POST /v1/group"]);
    expect(outcomesOf(met)).toStrictEqual({ "create group A": "failed" });
  });
});

describe("a service in the middle of it", () => {
  const groups = Array.from({ length: 200 }, (_, index) => ({ name: `Group ${index}` }));

  test("that says that it is too much is not asked for all the rest", async ({ home, expect }) => {
    const script = showing({}, (_, { answer }) => answer(429, "", { "Retry-After": "30" }));
    const met = await applying(home, { groups }, script, ["apply", "--yes", "--json"]);
    expect(met).toMatchObject({ exitCode: 7, faults: [] });
    expect(writesOf(met).length).toBeLessThan(100);
    expect(JSON.parse(met.stdout)).toMatchObject({ data: { applied: 0 } });
  });

  test("Ctrl-C is the exit code, whatever failed before", async ({ home, expect }) => {
    const stops: ((signal: "SIGINT") => void)[] = [];
    const script = showing({}, ({ body }, conversation) => {
      if (body.includes('"Group 0"')) return conversation.answer(409);
      if (!body.includes('"Group 50"')) return created(body, conversation);
      for (const stop of stops) stop("SIGINT");
    });
    const options: RunOptions = { stopWith: (stop) => void stops.push(stop) };
    const met = await applying(home, { groups }, script, ["apply", "--yes", "--json"], options);
    expect(met).toMatchObject({ exitCode: 130, faults: [] });
    expect(JSON.parse(met.stdout)).toMatchObject({ error: { kind: "cancelled" } });
    expect(met.stderr).toContain("409");
  });

  test("where it is, is said once", async ({ home, expect }) => {
    const script = showing({}, ({ body }, conversation) => created(body, conversation));
    const met = await applying(home, { groups }, script, ["apply", "--yes"]);
    expect(met).toMatchObject({ exitCode: 0, faults: [] });
    expect(met.stderr.match(/→ http/g)).toHaveLength(1);
  });

  test("a sender ID that was not sent is not said to be sent by the next apply", async ({
    home,
    expect,
  }) => {
    const manifest = {
      sender_ids: [{ name: "ACME", purpose: "Orders" }],
      groups: [{ name: "Customers", sender_id: "ACME" }],
    };
    const script = showing({ groups: [group] }, ({ method }, { answer }) =>
      method === "POST"
        ? answer(201, envelope({ ...senderId, purpose: "Orders" }))
        : answer(500, { status: false, message: "Broken", data: null }),
    );
    const met = await applying(home, manifest, script, ["apply", "--yes", "--json"]);
    expect(met).toMatchObject({ exitCode: 8, faults: [] });
    expect(outcomesOf(met)).toMatchObject({ "update group Customers": "failed" });
    expect(met.stdout).toContain("--resend-sender-id");
    expect(met.stderr.match(/--resend-sender-id/g)).toHaveLength(1);
  });

  test("no line obeys what a name holds, at a terminal", async ({ home, expect }) => {
    const hostile = { groups: [{ name: "\u009b31mA\u202e\u2028" }] };
    const script = showing({}, ({ body }, conversation) => created(body, conversation));
    for (const args of [
      ["diff", "-o", "jsonl"],
      ["apply", "--yes", "-o", "jsonl"],
    ]) {
      const met = await applying(home, hostile, script, args, { terminal: 80 });
      expect(met.faults).toStrictEqual([]);
      const [line = ""] = met.stdout.split("\n");
      expect(JSON.parse(line)).toMatchObject({ name: hostile.groups[0]!.name });
    }
  });
});
