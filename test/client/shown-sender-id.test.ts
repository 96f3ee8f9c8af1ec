import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { test, type Home } from "../support/home.ts";
import { liveService, openLive } from "./apply/apply-remote.ts";
import {
  mayBeDone,
  now,
  runOn,
  stopping,
  type RunOptions,
  runnerOf,
  lineRunnerOf,
} from "./run-remote.ts";
import { envelope, group, senderId } from "./sample-responses.ts";
import { startService, type Conversation } from "./scripted-service.ts";

const linked = { ...group, sender_id: "ACME" };
const shop = { ...senderId, id: 8, name: "Shop" };

describe("a service that shows the sender ID of a group", () => {
  test("keeps it in an update, without a warning", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, {
      groups: [linked],
      // A PUT replaces the record.
      stored: (record) => ({ sender_id: null, ...record }),
      instead: ({ method, body }, { respond }) => {
        if (method !== "PUT") return false;
        const { name, send_birthday, birthday_message = null, sender_id = null } = JSON.parse(body);
        const stored = { ...group, name, send_birthday, birthday_message, sender_id };
        tables.group = [stored];
        respond(200, { status: true, message: "Group updated", data: stored });
        return true;
      },
    });
    const manifest = { groups: [{ name: "Customers", send_birthday: false }] };
    const ran = await apply(manifest);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(tables.group).toMatchObject([{ sender_id: "ACME", send_birthday: false }]);
    expect(ran.stderr).not.toContain("does not show");
  });

  test.for([
    ["another one", { ...linked, sender_id: "Shop" }, 12],
    ["the same, by its name", linked, 0],
    ["the same, by its id", { ...linked, sender_id: 7 }, 0],
    ["the same, by its id as text", { ...linked, sender_id: "7" }, 0],
  ] as const)("has it compared by diff: %s", async ([, existing, exitCode], { home, expect }) => {
    const { apply } = await openLive(home, { groups: [existing], senderIds: [senderId, shop] });
    const ran = await apply({ groups: [{ name: "Customers", sender_id: "ACME" }] }, "diff");
    expect(ran, ran.stderr).toMatchObject({ exitCode, violations: [] });
    expect(ran.stderr + ran.stdout).not.toContain("never shows");
    expect((ran.stderr + ran.stdout).includes("sender_id")).toBe(exitCode === 12);
  });

  test("does not have null compared, which some services always show", async ({ home, expect }) => {
    const groups = [{ ...linked, sender_id: null }];
    const { apply } = await openLive(home, { groups, senderIds: [senderId, shop] });
    const ran = await apply({ groups: [{ name: "Customers", sender_id: "ACME" }] }, "diff");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(ran.stderr + ran.stdout).toContain("sender ID not compared");
  });

  test.for([
    ["a name", "ACME", "sender_id: ACME"],
    ["an id", 7, "sender_id: ACME"],
    ["null, which may hide one", null, undefined],
    ["a name that is not in the list", "Other", undefined],
  ] as const)("has it in its export: %s", async ([, value, line], { home, expect }) => {
    const groups = [{ ...group, sender_id: value }];
    const { script } = liveService({ groups, senderIds: [senderId, shop] });
    const run = await runnerOf(home, script);
    const { stdout } = await run("export");
    const file = join(home.folder, "exported.yaml");
    writeFileSync(file, stdout);
    expect(stdout.includes("never shows")).toBe(line === undefined);
    expect(/sender_id: .*/.exec(stdout.replace(/#.*/g, ""))?.[0]).toBe(line);
    expect(await run("diff", "-f", file)).toMatchObject({ exitCode: 0 });
  });
});

describe("undo, of a group that shows its sender ID", () => {
  const forms = {
    "by name": (name: unknown) => name,
    "by id": (name: unknown) => (name === null ? null : 7),
    "as a record": (name: unknown) => (name === null ? null : { id: 7, name }),
  };

  for (const [form, shown] of Object.entries(forms)) {
    test.for([
      "group update Customers --sender-id ACME",
      "group update VIP --clear-sender-id",
      "group delete VIP --yes",
      "group create New --sender-id ACME",
      "apply - --yes",
    ])(`${form}: %s`, async (line, { home, expect }) => {
      const vip = { ...group, id: 2, uuid: "6f1c1a52-8d2b-4c53-9b2c-1f0e1e8e3a11", name: "VIP" };
      const named = new Set<unknown>(["ACME", "7", 7]);
      const { script, tables } = liveService({
        groups: [
          { ...group, sender_id: null },
          { ...vip, sender_id: shown("ACME") },
        ],
        senderIds: [senderId],
        stored: ({ sender_id: sent = null, ...record }) => ({
          contacts_count: 0,
          ...record,
          sender_id: shown(named.has(sent) ? "ACME" : null),
        }),
      });
      const run = await lineRunnerOf(home, script);
      const desired = "groups: [{name: Customers, sender_id: ACME}, {name: New, sender_id: ACME}]";
      const ran = await run(line, line.startsWith("apply") ? desired : undefined);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      const undone = await run("undo --yes");
      expect(undone, undone.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(undone.stderr).not.toContain("never shows");
      const left = tables.group.map(({ name, sender_id }) => [name, sender_id] as const);
      const expected = { Customers: null, VIP: shown("ACME") };
      expect(Object.fromEntries(left)).toStrictEqual(expected);
    });
  }

  for (const [form, shown] of Object.entries(forms)) {
    test(`${form}: apply --replace right after an apply`, async ({ home, expect }) => {
      let last = 6;
      const { script, tables } = liveService({
        // A deleted sender ID is removed from its groups.
        instead: ({ method, target }) => {
          const isDelete = method === "DELETE" && target.startsWith("/v1/sender-id/");
          if (isDelete) tables.group = tables.group.map((row) => ({ ...row, sender_id: null }));
          return false;
        },
        stored: ({ sender_id: sent = null, ...record }) =>
          "purpose" in record
            ? { ...record, id: (last += 1) }
            : { contacts_count: 0, ...record, sender_id: sent === null ? null : shown("ACME") },
      });
      const run = await lineRunnerOf(home, script);
      const manifest =
        "{sender_ids: [{name: ACME, purpose: Old}], groups: [{name: G, sender_id: ACME}]}";
      await run("apply - --yes", manifest);
      const applied = await run("apply - --yes --replace", manifest.replace("Old", "New"));
      expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
      const undone = await run("undo --yes");
      expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
      expect(tables["sender-id"]).toMatchObject([{ name: "ACME", purpose: "Old" }]);
      expect(undone.stderr).toContain("the sender_id of groups that used a deleted sender ID");
    });
  }

  test("as a record is kept, compared and exported", async ({ home, expect }) => {
    const { script, tables } = liveService({
      groups: [{ ...group, sender_id: { id: 7, name: "ACME" } }],
      senderIds: [senderId],
      stored: ({ sender_id: sent = null, ...record }) => ({
        ...record,
        sender_id: sent === "7" || sent === "ACME" ? { id: 7, name: "ACME" } : null,
      }),
    });
    const run = await lineRunnerOf(home, script);
    const updated = await run("group update Customers --send-holiday");
    expect(updated).toMatchObject({ exitCode: 0 });
    expect(updated.stderr).not.toContain("sender ID");
    expect(tables.group).toMatchObject([{ send_holiday: true, sender_id: { id: 7 } }]);
    const exported = (await run("export")).stdout;
    expect(exported).toContain("sender_id: ACME");
    expect(await run("diff -f -", exported)).toMatchObject({ exitCode: 0 });
  });

  test("warns if it shows none where one was set", async ({ home, expect }) => {
    const { script } = liveService({
      groups: [{ ...group, sender_id: null }],
      senderIds: [senderId],
      stored: (record) => ({ ...record, sender_id: null }),
    });
    const run = await runnerOf(home, script);
    await run("group", "update", "Customers", "--sender-id", "ACME", "--send-holiday");
    const undone = await run("undo", "--yes");
    expect(undone.stderr).toContain("not restored: the sender_id of a group");
  });
});

describe("an update right after an update", () => {
  const before = { ...group, birthday_message: "Old" };

  test.for([
    [2, 0],
    [100, 12],
  ] as const)(
    "does not write old values of a copy back: %i stale reads",
    async ([stale, exitCode], { home, expect }) => {
      let reads = -1;
      const { apply, tables } = await openLive(home, {
        groups: [before],
        instead: ({ method, target }, { respond }) => {
          if (method !== "GET" || target !== "/v1/group/12" || reads < 0) return false;
          reads += 1;
          if (reads > stale) return false;
          respond(200, { status: true, message: "Group retrieved", data: before });
          return true;
        },
      });
      const first = await apply({ groups: [{ name: "Customers", birthday_message: "New" }] });
      expect(first, first.stderr).toMatchObject({ exitCode: 0 });
      reads = 0;
      const second = await apply({ groups: [{ name: "Customers", send_birthday: false }] });
      expect(second, second.stderr).toMatchObject({ exitCode });
      expect(tables.group).toMatchObject([
        { birthday_message: "New", send_birthday: exitCode !== 0 },
      ]);
      if (exitCode === 12) {
        expect(second.stderr).toContain(
          'birthday_message is "Old", not "New"; nothing was changed',
        );
      }
    },
  );
});

/** How a service responds to an update that it carries out. */
type Confirm = (conversation: Conversation, old: object) => void;

/** Starts a service whose next fetches show the first record, as a copy of its database that lags behind. */
async function startLagging(home: Home, groups: readonly object[] = [group]) {
  const lag = { reads: 0, readsAfterUpdate: 0, confirm: undefined as Confirm | undefined };
  const [first] = groups as readonly (typeof group)[];
  const { script, tables } = liveService({
    groups: [first!],
    instead: ({ method, target, body }, conversation) => {
      if (method === "PUT" && lag.confirm !== undefined) {
        lag.reads = lag.readsAfterUpdate;
        tables.group = [{ ...tables.group[0], ...JSON.parse(body) }];
        lag.confirm(conversation, first!);
        return true;
      }
      if (method !== "GET" || target !== "/v1/group/12" || lag.reads === 0) return false;
      lag.reads -= 1;
      conversation.respond(200, envelope(first));
      return true;
    },
  });
  const service = await startService(script);
  onTestFinished(service.close);
  const clock = { now };
  const runWith = (options: RunOptions, ...args: readonly string[]): ReturnType<typeof runOn> => {
    // Each entry of the history has a time of its own.
    clock.now += 1;
    return runOn(service, args, { home: home.folder, clock, ...options });
  };
  const run = (...args: readonly string[]): ReturnType<typeof runOn> => runWith({}, ...args);
  return { lag, tables, run, runWith };
}

const update = ["group", "update", "12"];
const setHoliday = [...update, "--send-holiday"];

describe("an update right after several updates", () => {
  const messages = ["new", "newer"].map((text) => [...update, "--birthday-message", text]);
  const rename = ["api", "PUT", "/v1/group/12", "--body", '{"name":"C"}'];

  test.for([
    ["renames", ["B", "C"].map((name) => ["group", "rename", "12", name]), { name: "C" }],
    ["messages", messages, { birthday_message: "newer" }],
    ["a raw request", [rename], { name: "C" }],
  ] as const)(
    "does not write values from before the first one back: %s",
    async ([, updates, stored], { home, expect }) => {
      const { lag, tables, run } = await startLagging(home, [{ ...group, birthday_message: "hi" }]);
      for (const args of updates) expect(await run(...args)).toMatchObject({ exitCode: 0 });
      lag.reads = 100;
      const refused = await run(...setHoliday);
      expect(refused, refused.stderr).toMatchObject({ exitCode: 12, violations: [] });
      expect(refused.requests).not.toContain("PUT /v1/group/12");
      lag.reads = 2;
      const done = await run(...setHoliday);
      expect(done, done.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(tables.group).toMatchObject([{ ...stored, send_holiday: true }]);
    },
  );

  test("of a group that is named waits for its new name", async ({ home, expect }) => {
    const { lag, tables, run } = await startLagging(home);
    await run("group", "rename", "Customers", "B");
    lag.reads = 2;
    const done = await run("group", "update", "B", "--send-holiday");
    expect(done, done.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(tables.group).toMatchObject([{ name: "B", send_holiday: true }]);
  });

  test("of another group with its id is sent", async ({ home, expect }) => {
    const { tables, run } = await startLagging(home);
    await run("group", "rename", "12", "B");
    tables.group = [{ ...group, uuid: "00000000-0000-4000-8000-000000000001" }];
    expect(await run(...setHoliday)).toMatchObject({ exitCode: 0, waits: [] });
  });

  test("is sent after a value was set back", async ({ home, expect }) => {
    const { run } = await startLagging(home);
    for (const name of ["B", "Customers"]) await run("group", "rename", "12", name);
    const done = await run(...setHoliday);
    expect(done.requests).toStrictEqual(["GET /v1/group/12", "PUT /v1/group/12"]);
  });
});

describe("an update that is confirmed with the values from before it", () => {
  const confirmations: Readonly<Record<string, Confirm>> = {
    "200 and the old record": ({ respond }, old) => respond(200, envelope(old)),
    "204": ({ respond }) => respond(204),
    "202 and null": ({ respond }) => respond(202, envelope(null)),
    "202 and the old record": ({ respond }, old) => respond(202, envelope(old)),
  };

  test.for(Object.entries(confirmations))(
    "is done, or accepted, and the next one does not reset it: %s",
    async ([title, confirm], { home, expect }) => {
      const { lag, tables, run } = await startLagging(home);
      Object.assign(lag, { confirm, readsAfterUpdate: 4 });
      const renamed = await run("group", "rename", "12", "B");
      expect(renamed, renamed.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(renamed.stderr.includes("accepted, not done yet")).toBe(title.startsWith("202"));
      const next = await run(...setHoliday);
      expect(next, next.stderr).toMatchObject({ exitCode: 0 });
      expect(tables.group).toMatchObject([{ name: "B", send_holiday: true }]);
      lag.reads = 0;
      const undone = await run("undo", "2", "--yes");
      expect(undone, undone.stderr).toMatchObject({ exitCode: 0 });
      expect(tables.group).toMatchObject([{ name: "Customers", send_holiday: true }]);
    },
  );

  test("for 5 seconds is exit 10, and no other update has to wait for it", async ({
    home,
    expect,
  }) => {
    const { lag, run } = await startLagging(home);
    Object.assign(lag, { confirm: confirmations["204"], readsAfterUpdate: 100 });
    const renamed = await run("group", "rename", "12", "B");
    expect(renamed, renamed.stderr).toMatchObject({ exitCode: 10, violations: [] });
    expect(renamed.waits.reduce((sum, wait) => sum + wait, 0)).toBe(5000);
    // The service has more likely ignored the name than shows it so late.
    expect((await run(...setHoliday)).exitCode).not.toBe(12);
  });
});

test("an interrupted update that is not shown yet may have succeeded", async ({ home, expect }) => {
  const { lag, run, runWith } = await startLagging(home);
  Object.assign(lag, { confirm: ({ respond }: Conversation) => respond(204), readsAfterUpdate: 9 });
  const { stop, stopWith } = stopping();
  const ran = await runWith({ stopWith, paused: stop }, "group", "rename", "12", "B");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 130, violations: [] });
  expect(ran.stderr).toMatch(mayBeDone);
  expect((await run("history")).stdout).toMatch(/ 1 unknown +cannot be undone /);
});

describe("a shown sender ID that is a number", () => {
  test.for([5, "5"])(
    "is sent as text, and compared by its value: %j",
    async (shown, { home, expect }) => {
      const { lag, tables, run } = await startLagging(home, [{ ...group, sender_id: 5 }]);
      lag.confirm = ({ respond }) =>
        respond(200, envelope({ ...tables.group[0], sender_id: shown }));
      const ran = await run(...setHoliday);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(JSON.parse(ran.received.at(-1)!.body)).toMatchObject({ sender_id: "5" });
    },
  );
});
