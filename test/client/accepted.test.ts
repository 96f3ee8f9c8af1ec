import { describe, onTestFinished } from "vitest";
import { test } from "../support/home.ts";
import { liveService, openLive } from "./apply/apply-remote.ts";
import { runOn, runnerOf } from "./run-remote.ts";
import { envelope, group, senderId } from "./sample-responses.ts";
import { startService } from "./scripted-service.ts";

const replacing = { sender_ids: [{ name: "ACME", purpose: "News" }] };
const deleted = { status: true, message: "Accepted", data: null };

describe("202", () => {
  test("is said to be accepted, not done", async ({ home, expect }) => {
    const { script } = liveService({ groups: [group] });
    const service = await startService((received, conversation) => {
      if (received.method === "GET") return script(received, conversation);
      conversation.respond(202, received.method === "DELETE" ? deleted : envelope(group));
    });
    onTestFinished(service.close);
    for (const args of [
      ["group", "update", "12", "--send-birthday"],
      ["group", "create", "Customers", "--send-birthday"],
      ["group", "delete", "12", "--yes"],
    ]) {
      const ran = await runOn(service, args, { home: home.folder });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
      expect(ran.stderr).toContain("accepted, not done yet");
      expect(ran.stderr).toMatch(/Warning: .* has accepted a change that may not be done yet/);
    }
  });

  test("is said of the steps of an apply", async ({ home, expect }) => {
    const manifest = { groups: [{ name: "Customers", send_holiday: true }, { name: "New" }] };
    const applied = async (args: string) => {
      const { apply } = await openLive(home, {
        groups: [group],
        instead: ({ method, body }, { respond }) => {
          if (method === "PUT") respond(202, envelope({ ...group, ...JSON.parse(body) }));
          return method === "PUT";
        },
      });
      return apply(manifest, args);
    };
    const text = await applied("apply --yes");
    expect(text, text.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(text.stdout.split("\n").toSorted()).toStrictEqual([
      "",
      "Created group New (id 101)",
      "Updated group Customers (id 12): accepted, not done yet",
    ]);
    expect(text.stderr).toContain(
      "Applied 2 of 2 · 1 created, 1 updated; 1 accepted, not done yet\n",
    );
    const json = await applied("apply --yes --json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      data: { steps: [{ outcome: "done", accepted: true }, { outcome: "done" }] },
    });
  });

  test("of a create with an id alone is not repeated by the next apply", async ({
    home,
    expect,
  }) => {
    let creates = 0;
    const { apply } = await openLive(home, {
      instead: ({ method }, { respond }) => {
        if (method !== "POST") return false;
        creates += 1;
        respond(202, envelope({ id: 77 }));
        return true;
      },
    });
    for (const exitCode of [10, 12]) {
      const ran = await apply({ groups: [{ name: "New" }] });
      expect(ran, ran.stderr).toMatchObject({ exitCode });
    }
    expect(creates).toBe(1);
  });
});

test("a record that a replacement has deleted does not count as a copy of the new one", async ({
  home,
  expect,
}) => {
  // The list is not up to date.
  const { apply } = await openLive(home, {
    senderIds: [senderId],
    instead: ({ method }, { respond }) => {
      if (method !== "DELETE") return false;
      respond(200, deleted);
      return true;
    },
  });
  const ran = await apply(replacing, "apply --yes --replace");
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
  expect(ran.stderr).not.toContain("More copies");
});

describe("a create that is answered with a record of an hour ago", () => {
  const before = new Date(Date.now() - 3_600_000).toISOString();
  const old = { ...group, name: "Made", send_birthday: false, created_at: before };

  test("is said to be perhaps older, and no undo deletes it", async ({ home, expect }) => {
    const { script, tables } = liveService({ groups: [old] });
    const run = await runnerOf(home, (received, conversation) =>
      received.method === "POST"
        ? conversation.respond(201, envelope(old), { Date: new Date().toUTCString() })
        : script(received, conversation),
    );
    const created = await run("group", "create", "Made");
    expect(created.stderr).toContain("it may have existed before");
    expect((await run("history")).stdout).toMatch(/ 1 unknown +cannot be undone /);
    expect(await run("undo", "--yes")).toMatchObject({ exitCode: 2 });
    expect(tables.group).toHaveLength(1);
  });
});

test("a time without a zone does not tell that a record is older than its create", async ({
  home,
  expect,
}) => {
  const local = new Date(Date.now() - 18_000_000).toISOString().slice(0, 19).replace("T", " ");
  const { script } = liveService({ stored: (record) => ({ ...record, created_at: local }) });
  const service = await startService(script);
  onTestFinished(service.close);
  const created = await runOn(service, ["group", "create", "Made"], { home: home.folder });
  expect(created.stderr).toMatch(/^Group Made \(id \d+\) created$/m);
  expect(created.stderr).not.toContain("existed before");
});

describe("a service whose times are in another zone than they say", () => {
  const live = {
    senderIds: [senderId],
    stored: (record: Readonly<Record<string, unknown>>) => ({
      ...record,
      created_at: new Date(Date.now() - 5 * 3_600_000).toISOString(),
    }),
  };

  test("has the creates of an apply", async ({ home, expect }) => {
    const { apply } = await openLive(home, live);
    const manifest = { groups: [{ name: "Made", send_holiday: true, sender_id: "ACME" }] };
    const applied = await apply(manifest);
    expect(applied, applied.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(applied.stderr).not.toContain("existed before");
  });

  test("gets a create completed, with a warning, and no undo deletes it", async ({
    home,
    expect,
  }) => {
    const { script } = liveService(live);
    const run = await runnerOf(home, (received, conversation) => {
      const dated = { Date: new Date().toUTCString() };
      const respond: typeof conversation.respond = (status, body) =>
        conversation.respond(status, body, dated);
      return script(received, { ...conversation, respond });
    });
    const created = await run("group", "create", "Made", "--send-holiday");
    expect(created, created.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(created.stderr).toContain("it may have existed before, or the service labels its times");
    expect(created.requests).toContain("PUT /v1/group/101");
    expect((await run("undo", "--yes")).exitCode).toBe(2);
  });
});

test("a group that was created, and whose update was refused, is created but incomplete", async ({
  home,
  expect,
}) => {
  const { apply } = await openLive(home, {
    instead: ({ method }, { respond }) => {
      if (method !== "PUT") return false;
      respond(422, { status: false, message: "send_holiday is not allowed", data: null });
      return true;
    },
  });
  const ran = await apply({ groups: [{ name: "New", send_holiday: true }] });
  expect(ran).toMatchObject({ exitCode: 6 });
  expect(ran.stderr).toMatch(
    /Created group New \(id \d+\), but incomplete: .*send_holiday is not allowed/,
  );
  expect(ran.stderr).not.toMatch(/could not create/i);
});
