import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, group, page, senderId, envelope } from "../sample-responses.ts";
import {
  applyManifest,
  created,
  openLive,
  liveService,
  outcomesOf,
  serveRecords,
  writesOf,
  type Records,
} from "./apply-remote.ts";
import { runAgainst } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const hello = { ...group, birthday_message: "Hello" };
const other = { ...hello, id: 13, uuid: "00000000-0000-4000-8000-000000000001", name: "Other" };

/** A service whose list items lack a field. */
function without(field: string, isFetched: boolean): Script {
  const { script } = liveService({ groups: [other, hello], senderIds: [senderId] });
  const cut = (record: object) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));
  return ({ target, ...received }, conversation) =>
    script(
      { target, ...received },
      {
        ...conversation,
        respond: (status, body) => {
          const { data } = body as { data: { data?: object[] } };
          const shown = data.data?.map(cut);
          if (shown !== undefined) return conversation.respond(status, envelope(page(shown)));
          return conversation.respond(status, isFetched ? body : envelope(cut(data)));
        },
      },
    );
}

const fields = [
  ["birthday_message", 'birthday_message: "?Hello', 2],
  ["send_birthday", "send_birthday: true", 2],
  ["purpose", "purpose: Order updates", 1],
] as const;

describe("a field that list items lack", () => {
  test.for(fields)("is fetched by export: %s", async ([field, line, count], { expect }) => {
    const exported = await runAgainst(without(field, true), ["export"]);
    expect(exported).toMatchObject({ exitCode: 0, violations: [] });
    expect(exported.stdout.match(new RegExp(line, "g"))).toHaveLength(count);
    const failed = await runAgainst(without(field, false), ["export", "--json"]);
    expect(failed).toMatchObject({ exitCode: 10, violations: [] });
    expect(failed.stderr).toContain(`does not show the ${field} of the `);
  });

  const manifest = {
    groups: [{ name: "Customers", send_birthday: true, birthday_message: "Hello" }],
    sender_ids: [{ name: "ACME", purpose: "Order updates" }],
  };

  test.for(fields)("is fetched for a plan: %s", async ([field], { home, expect }) => {
    const same = await applyManifest(home, manifest, without(field, true), ["diff"]);
    expect(same, same.stderr).toMatchObject({ exitCode: 0, violations: [] });
    const paths = field === "purpose" ? ["sender-id/ACME"] : ["group/13", "group/12"];
    const fetches = paths.map((path) => `GET /v1/${path}`);
    expect(same.requests.filter((line) => !line.includes("?"))).toStrictEqual(fetches);
    for (const args of [
      ["diff", "--json"],
      ["apply", "--yes", "--json"],
    ]) {
      const failed = await applyManifest(home, manifest, without(field, false), args);
      expect(failed).toMatchObject({ exitCode: 10, violations: [] });
      expect(failed.requests.every((line) => line.startsWith("GET "))).toBe(true);
    }
  });
});

test("a plan has only the records of the last reading of lists that change", async ({
  home,
  expect,
}) => {
  let isIncomplete = true;
  const whole = serveRecords({ groups: [hello] }, answering(500));
  const script: Script = (received, conversation) => {
    const { target } = received;
    if (!isIncomplete) return whole(received, conversation);
    // A page of one record, of which the second never comes.
    conversation.respond(200, envelope(page([other], { total: 2 })));
    isIncomplete = !target.includes("perPage=3");
  };
  const manifest = { groups: [{ name: "Customers" }, { name: "Other" }] };
  const result = await applyManifest(home, manifest, script, ["diff", "--json"]);
  expect(result, result.stderr).toMatchObject({ exitCode: 12, violations: [] });
  expect(JSON.parse(result.stdout)).toMatchObject({
    data: { summary: { created: 1, unchanged: 1 } },
  });
});

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
        const result = await applyManifest(home, all, serveRecords(records, answering(500)), args);
        expect(result).toMatchObject({ exitCode: 10, violations: [] });
        expect(result.stderr).toContain(identified);
        expect(writesOf(result)).toStrictEqual([]);
      }
    },
  );

  test("two sender IDs with the same name are ambiguous", async ({ home, expect }) => {
    const senderIds = [{ ...senderId, id: 8, purpose: "Orders" }, senderId];
    const args = ["apply", "--replace", "--yes"];
    const result = await applyManifest(
      home,
      all,
      serveRecords({ senderIds }, answering(500)),
      args,
    );
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

  test("a record whose name is a number stops only what concerns it", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, {
      groups: [{ ...group, id: 5, name: 7 }, group],
      senderIds: [{ ...senderId, name: null }],
    });
    const manifest = { groups: [{ name: "Customers", send_birthday: false }, { name: "New" }] };
    const ran = await apply(manifest);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(tables.group).toHaveLength(3);
    const pruned = await apply(manifest, "apply --yes --prune");
    expect(pruned).toMatchObject({ exitCode: 10 });
    expect(writesOf(pruned)).toStrictEqual([]);
  });

  test("a created group without an id is not updated", async ({ home, expect }) => {
    const script = serveRecords({}, answering(201, envelope(withoutId)));
    const manifest = { groups: [{ name: "A", send_holiday: true }] };
    const result = await applyManifest(home, manifest, script, ["apply", "--yes", "--json"]);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(writesOf(result)).toStrictEqual(["POST /v1/group"]);
    expect(outcomesOf(result)).toStrictEqual({ "create group A": "failed" });
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
