import { describe, expect, test } from "vitest";
import { answering, commands, envelope, group, page, senderId } from "../sample-responses.ts";
import { runAgainst, stopping, type RemoteRun } from "../run-remote.ts";
import type { Received, Script } from "../scripted-service.ts";

/** How services differ from the specification. docs/remote.md has the same table. */

const groups = [14, 13, 12].map((id) => ({ ...group, id }));
const all = ["group", "list", "--all"];
const list = ["group", "list"];

/** Serves the groups two a page. @param numbers the fields of a page, from its number, counted from 0 */
const paged =
  (numbers: (number: number, records: readonly unknown[]) => object, first = 1): Script =>
  ({ target }, { respond }) => {
    const query = new URL(target, "http://localhost").searchParams;
    const number = Number(query.get("page") ?? first) - first;
    const records = groups.slice(2 * number, 2 * number + 2);
    const fields = { current_page: number + first, last_page: 2, per_page: 2, total: 3 };
    respond(200, envelope(page(records, { ...fields, ...numbers(number, records) })));
  };

const some = "2 of 3 records; --all for the rest";
const atLeast = "2 of at least 3 records; --all for the rest";
const fromZero = ({ last_page }: { last_page: number }): Script => paged(() => ({ last_page }), 0);

describe("a page", () => {
  test.for([
    ["numbers as text", paged((n) => ({ current_page: `${n + 1}`, total: "3" })), some],
    ["no total", paged(() => ({ total: undefined })), atLeast],
    ["total null", paged(() => ({ total: null })), atLeast],
    ["the total of the page alone", paged((_, { length }) => ({ total: length })), atLeast],
    ["pages from 0", fromZero({ last_page: 1 }), some],
    ["pages from 0, counted from 1", fromZero({ last_page: 2 }), some],
  ] as const)("is read with %s", async ([, script, rest]) => {
    const read = await runAgainst(script, [...all, "-o", "id"]);
    expect(read).toMatchObject({ exitCode: 0, stdout: "14\n13\n12\n", violations: [] });
    for (const args of [list, [...list, "--limit", "2"]]) {
      const { exitCode, stderr } = await runAgainst(script, args);
      expect([exitCode, stderr], args.join(" ")).toEqual([0, `${rest}\n`]);
    }
  });

  test("that is the last one counts the records without a total", async () => {
    const withoutTotal = paged(() => ({ total: undefined }));
    const { exitCode, stderr } = await runAgainst(withoutTotal, [...list, "--page", "2"]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("1 of 3 records")]);
  });

  test.for([
    ["data", [senderId]],
    ["data.data", {}],
    ["data.data", page([], { data: null, total: 3 })],
    ["data.data", page([], { data: { data: [group] } })],
    ["data.data", page([], { data: { 0: group } })],
    ["data.data", page([1, 2])],
    ["data.data", page([null])],
    ["data.data", page([[group]])],
    ["data.total", page(groups, { total: "many" })],
    ["data.total", page(groups, { total: -1 })],
    ["data.total", page(groups, { total: " 3" })],
    ["data.current_page", page(groups, { current_page: undefined })],
    ["data.last_page", page(groups, { last_page: null })],
    ["data.per_page", page(groups, { per_page: 1.5 })],
  ] as const)("is exit 10 with the field %s", async ([field, data]) => {
    for (const args of [list, all]) {
      const result = await runAgainst(answering(200, envelope(data)), args);
      expect(result).toMatchObject({ exitCode: 10, stdout: "", violations: [] });
      expect(result.stderr).toContain(`\`${field}\``);
    }
  });
});

test.for([
  ["[]", []],
  ["null", null],
  ["data.data null", page([], { data: null })],
  ["data.data null, a total as text", page([], { data: null, total: "0" })],
] as const)("an empty list is %s", async ([, data]) => {
  const body = envelope(data);
  for (const args of [list, all]) {
    const result = await runAgainst(answering(200, body), args);
    expect(result).toMatchObject({ exitCode: 0, stdout: "", violations: [] });
    expect(result.stderr).toContain("No groups yet");
  }
  const { stdout } = await runAgainst(answering(200, body), [...list, "--json"]);
  expect(JSON.parse(stdout)).toStrictEqual(body);
});

test("a list that is not found is not an empty list", async () => {
  const refusal = { status: false, message: "No groups found" };
  const { exitCode, stderr } = await runAgainst(answering(404, refusal), all);
  expect(exitCode).toBe(4);
  expect(stderr).toContain("No groups found");
});

describe("a record with values of a database", () => {
  const stored = { ...group, id: "12", send_birthday: 1, send_holiday: "0" };

  test("is shown as sent in JSON, and compared as booleans and numbers", async () => {
    const body = envelope(stored);
    const shown = await runAgainst(answering(200, body), [...commands.GET, "--json"]);
    expect(JSON.parse(shown.stdout)).toStrictEqual(body);
    const table = await runAgainst(answering(200, body), commands.GET);
    expect(table.stdout).toMatch(/^Birthday +yes\nHoliday +no$/m);
    const update = ["group", "update", "12", "--send-birthday", "--no-send-holiday"];
    const { exitCode, received } = await runAgainst(answering(200, body), update);
    expect(exitCode).toBe(0);
    expect(JSON.parse(received.at(-1)!.body)).toMatchObject({
      send_birthday: true,
      send_holiday: false,
    });
  });

  test.for([2, "yes", "true", "01"])("is compared as sent with %j", async (value) => {
    const body = envelope({ ...group, send_birthday: value });
    const create = ["group", "create", "Customers", "--send-birthday"];
    const result = await runAgainst(answering(200, body), create);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.stderr).toContain("send_birthday was sent as true");
  });
});

/** Confirms a write with a body, and shows a record. */
const confirming =
  (status: number, body: unknown, record: object): Script =>
  ({ method }, { respond }) =>
    method === "GET" ? respond(200, envelope(record)) : respond(status, body);
const methods = ({ received }: RemoteRun): readonly string[] =>
  received.map(({ method }: Received) => method);

describe("a write that is confirmed without the record", () => {
  const done = { status: true, message: "Done" };

  test.for([
    ["PUT", 204, undefined],
    ["PUT", 200, ""],
    ["PUT", 202, done],
    ["PUT", 200, { ...done, data: null }],
    ["PUT", 200, { status: 1 }],
    ["PUT", 200, { ...done, data: { id: 12 } }],
    ["POST", 201, { ...done, data: { id: 12 } }],
    ["POST", 201, { ...done, data: { id: "12" } }],
    ["POST sender-id", 201, { ...done, data: { id: 7 } }],
    ["POST sender-id", 201, { ...done, data: {} }],
  ] as const)("is followed by a fetch: %s, %i, %j", async ([way, status, body]) => {
    const record = way === "POST sender-id" ? senderId : group;
    const script = confirming(status, body, record);
    const result = await runAgainst(script, [...commands[way], "--json"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(JSON.parse(result.stdout)).toMatchObject({ status: true, data: record });
    expect(methods(result).slice(-2)).toEqual([way.slice(0, 4).trim(), "GET"]);
    const other = confirming(status, body, { ...record, name: "Other", purpose: "Other" });
    // Another group is not what was created.
    const hasId = JSON.stringify(body ?? "").includes("id");
    const exitCode = way === "POST sender-id" && !hasId ? 9 : 10;
    // A service that has accepted an update may show it later.
    const expected = status === 202 ? { exitCode: 0 } : { exitCode, stdout: "" };
    expect(await runAgainst(other, commands[way])).toMatchObject(expected);
  });

  test.for([
    ["without an id", { ...done, data: {} }, 200, 9],
    ["with a number alone", { ...done, data: 12 }, 200, 9],
    ["and cannot be fetched", { ...done, data: { id: 12 } }, 404, 10],
    ["and cannot be fetched now", { ...done, data: { id: 12 } }, 500, 10],
    ["and another record is fetched", { ...done, data: { id: 13 } }, 200, 10],
  ] as const)("may have succeeded %s", async ([, body, status, exitCode]) => {
    const script: Script = ({ method }, { respond }) =>
      method === "GET" ? respond(status, envelope(group)) : respond(201, body);
    const result = await runAgainst(script, commands.POST);
    expect(result).toMatchObject({ exitCode, stdout: "", violations: [] });
    expect(result.stderr).toContain("may have succeeded");
    expect(methods(result)).toEqual(["POST", "GET"]);
  });

  test("is not said to have changed nothing after an interruption", async () => {
    const { stop, stopWith } = stopping();
    const script: Script = ({ method }, { respond }) =>
      method === "GET" ? stop() : respond(201, { ...done, data: { id: 12 } });
    const result = await runAgainst(script, commands.POST, { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(result.stderr).toMatch(/may have succeeded\nhint: sendctl group list --name Customers/);
  });

  test.for([
    [204, undefined],
    [200, ""],
    [202, " "],
    [202, done],
    [200, { status: true }],
    [200, { status: 1, data: { deleted: true } }],
  ] as const)("is done, if it is a delete: %i, %j", async ([status, body]) => {
    for (const args of [commands.DELETE, ["sender-id", "delete", "ACME", "--yes"]]) {
      const record = args === commands.DELETE ? group : senderId;
      for (const json of [[], ["--json"]]) {
        const result = await runAgainst(confirming(status, body, record), [...args, ...json]);
        expect(result, args.join(" ")).toMatchObject({ exitCode: 0, violations: [] });
      }
    }
  });
});

const { created_at: _, ...ageless } = group;
const { status: __, ...unreviewed } = senderId;

describe("a missing field", () => {
  test("created_at is a dash", async () => {
    for (const args of [list, all]) {
      const { exitCode, stdout, violations } = await runAgainst(
        answering(200, envelope(page([ageless]))),
        args,
      );
      expect(violations).toEqual([]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^12 .* -$/m);
    }
  });

  test("status is a dash", async () => {
    const listed = await runAgainst(answering(200, envelope(page([unreviewed]))), [
      "sender-id",
      "list",
    ]);
    expect(listed.violations).toEqual([]);
    expect(listed.stdout).toMatch(/Order updates +- /);
    const waited = await runAgainst(
      (received, { respond, index }) =>
        index < 2 ? respond(200, envelope(unreviewed)) : respond(404),
      ["sender-id", "wait", "ACME", "--for", "APPROVED"],
      { neverEnds: 60_000, terminal: 80 },
    );
    expect(waited.violations).toEqual([]);
    // The last request reads the list, for the names that may have been meant.
    expect(waited.received).toHaveLength(4);
    expect(waited.exitCode).toBe(4);
  });
});

test("a record is found wherever its envelope has it", async () => {
  const fields = Object.entries({
    status: true,
    data: group,
    message: "Fetched",
    meta: { data: 1 },
  });
  for (let turn = 0; turn < fields.length; turn += 1) {
    fields.push(fields.shift()!);
    const script = answering(200, Object.fromEntries(fields));
    const { stdout } = await runAgainst(script, ["group", "fetch", "12", "-o", "jsonl"]);
    expect(stdout).toBe(`${JSON.stringify(group)}\n`);
  }
});

test("a record on several lines is one line of jsonl", async () => {
  const text = JSON.stringify(envelope(page([group, group])), null, 2).replaceAll("\n", "\r\n");
  const { stdout } = await runAgainst(answering(200, text), [...list, "-o", "jsonl"]);
  const records = stdout.split("\n").map((line) => line && (JSON.parse(line) as unknown));
  expect(records).toStrictEqual([group, group, ""]);
});

describe("a response to `api` that is JSON, but not an object", () => {
  const records = '[{"id":9007199254740993,"name":"x"}]';
  const api = ["api", "GET", "/v1/other"];

  test.for([records, "null", '"hi"', "12345678901234567890", "false"])(
    "is printed as JSON: %s",
    async (text) => {
      for (const args of [[...api, "--json"], api]) {
        const { stdout, ...result } = await runAgainst(answering(200, text), args);
        expect(result).toMatchObject({ exitCode: 0, violations: [] });
        expect(stdout.replaceAll(/\s/g, "")).toBe(text);
      }
    },
  );

  test("is queried", async () => {
    for (const [query, format, text] of [
      ["[].id", "jsonl", '"9007199254740993"\n'],
      ["[0].name", "json", '"x"\n'],
    ] as const) {
      const args = [...api, "--query", query, "-o", format];
      expect(await runAgainst(answering(200, records), args)).toMatchObject({
        exitCode: 0,
        stdout: text,
        violations: [],
      });
    }
  });
});
