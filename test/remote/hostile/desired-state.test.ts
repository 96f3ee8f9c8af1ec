import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test, type Home } from "../../support/home.ts";
import { envelope, group, page, senderId } from "../answers.ts";
import { meet, type Meeting, type RunOptions } from "../run-remote.ts";
import type { Conversation, Script } from "../scripted-service.ts";

interface Records {
  readonly senderIds?: readonly unknown[];
  readonly groups?: readonly unknown[];
}

/** Shows records, and leaves every write to a script. */
function showing({ senderIds = [], groups = [] }: Records, write: Script): Script {
  return (received, conversation) => {
    const { method, target } = received;
    if (method !== "GET") return write(received, conversation);
    const records = target.startsWith("/v1/group") ? groups : senderIds;
    return conversation.answer(200, envelope(page(records)));
  };
}

/** A group as it is after a create. */
function created(body: string, conversation: Conversation): void {
  const { index, answer } = conversation;
  answer(201, envelope({ ...group, send_birthday: false, ...JSON.parse(body), id: index }));
}

async function applying(
  home: Home,
  manifest: object,
  script: Script,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Meeting> {
  await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
  const [command = "apply", ...rest] = args;
  return meet(script, [command, "-f", "m.json", ...rest], { ...options, home: home.folder });
}

const nothing: Script = (_, { answer }) => answer(500);
const writesOf = ({ asked }: Meeting) => asked.filter((line) => !line.startsWith("GET "));

describe("records that are not as promised", () => {
  const all = { sender_ids: [{ name: "ACME", purpose: "Orders" }], groups: [{ name: "A" }] };
  const { name: _, ...nameless } = senderId;
  const { id: __, ...withoutId } = group;
  const cases: readonly (readonly [string, Records, string])[] = [
    ["a sender ID without a name", { senderIds: [nameless] }, "name of the record with id 7"],
    ["one whose name is a number", { senderIds: [{ ...senderId, name: 7 }] }, "is not text"],
    ["one that no URL can carry", { senderIds: [{ ...senderId, name: ".." }] }, "URL can carry"],
    ["one of half a character", { senderIds: [{ ...senderId, name: "\ud800" }] }, "can carry"],
    ["one without a purpose", { senderIds: [{ ...senderId, purpose: null }] }, 'called "ACME"'],
    ["a group without an id", { groups: [withoutId] }, 'The id of the record called "Customers"'],
    ["one whose id leads elsewhere", { groups: [{ ...group, id: ".." }] }, "a whole number"],
    ["one without a name", { groups: [{ ...group, name: null }] }, "is not text"],
  ];

  test.for(cases)(
    "are told, and nothing is sent: %s",
    async ([, records, told], { home, expect }) => {
      for (const args of [
        ["diff", "--prune", "--replace", "--json"],
        ["apply", "--prune", "--replace", "--json", "--yes"],
      ]) {
        const met = await applying(home, all, showing(records, nothing), args);
        expect(met).toMatchObject({ exitCode: 10, faults: [] });
        expect(met.stderr).toContain(told);
        expect(writesOf(met)).toStrictEqual([]);
      }
    },
  );

  test("two sender IDs of one name are not chosen from", async ({ home, expect }) => {
    const senderIds = [{ ...senderId, id: 8, purpose: "Orders" }, senderId];
    const args = ["apply", "--replace", "--yes"];
    const met = await applying(home, all, showing({ senderIds }, nothing), args);
    expect(met).toMatchObject({ exitCode: 2, faults: [] });
    expect(met.stderr).toContain('m.json:1:16: several sender IDs are called "ACME": ');
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
    expect(met.stderr).toContain("it is created, and not finished");
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
      method === "POST" ? answer(201, envelope(senderId)) : answer(500),
    );
    const met = await applying(home, manifest, script, ["apply", "--yes", "--json"]);
    expect(met).toMatchObject({ exitCode: 8, faults: [] });
    expect(met.stdout).toContain("give --resend-sender-id to have its sender ID sent");
    expect(met.stderr).toContain("apply again with --resend-sender-id to go on from there\n");
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
