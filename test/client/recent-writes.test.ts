import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { test as testServing } from "../support/serving.ts";
import { withTrial, type Trial } from "./vendors/try-command.ts";
import type { Switches } from "./vendors/switches.ts";

/** Runs an action against a service whose reads are a second and a half behind its writes. */
const behind = (action: (trial: Trial) => Promise<void>, switches: Partial<Switches> = {}) =>
  withTrial(
    { replicaLag: 1500, ...switches },
    {
      seed: {
        senderIds: [{ name: "ACME", status: "APPROVED" }],
        groups: [{ name: "Old", birthday_message: "Cheers", contacts: 3 }],
      },
    },
    action,
  );

const groupsOf = ({ after }: Awaited<ReturnType<Trial["run"]>>): readonly (string | null)[] =>
  after.groups.map(({ name }) => name);

describe("a service that reads from a copy shows late what was written, but decisions know it", () => {
  test("a prune by the new name of a group keeps it with its contacts", () =>
    behind(async ({ run }) => {
      await run(["group", "rename", "1", "New"]);
      const manifest = { groups: [{ name: "New" }] };
      const applied = await run(["apply", "manifest.json", "--prune", "--yes"], { manifest });
      expect(applied).toMatchObject({ exitCode: 0, methods: ["GET"] });
      expect(groupsOf(applied)).toStrictEqual(["New"]);
    }));

  test("a delete does not find a group by its old name", () =>
    behind(async ({ run }) => {
      await run(["group", "rename", "1", "New"]);
      const deleted = await run(["group", "delete", "Old", "--yes"]);
      expect(deleted.exitCode).toBe(4);
      expect(groupsOf(deleted)).toStrictEqual(["New"]);
    }));

  test("--if-not-exists finds the new name and not the old one", () =>
    behind(async ({ run }) => {
      await run(["group", "rename", "1", "New"]);
      const found = await run(["group", "create", "New", "--if-not-exists", "-o", "id"]);
      expect(found).toMatchObject({ exitCode: 0, stdout: "1\n" });
      await run(["group", "rename", "1", "Newer"]);
      const created = await run(["group", "create", "New", "--if-not-exists", "-o", "id"]);
      expect(created).toMatchObject({ exitCode: 0, stdout: "2\n" });
      expect(groupsOf(created)).toStrictEqual(["Newer", "New"]);
    }));

  test("--if-not-exists creates what was just deleted, and not what was just created", () =>
    behind(async ({ run }) => {
      await run(["group", "create", "VIP"]);
      const again = await run(["group", "create", "VIP", "--if-not-exists", "-o", "id"]);
      expect(again).toMatchObject({ exitCode: 0, stdout: "2\n" });
      await run(["group", "delete", "VIP", "--yes"]);
      const created = await run(["group", "create", "VIP", "--if-not-exists", "-o", "id"]);
      expect(created).toMatchObject({ exitCode: 0, stdout: "3\n" });
      const senderId = ["sender-id", "create", "Orders", "--purpose", "Alerts", "--if-not-exists"];
      await run(senderId);
      const found = await run(senderId);
      expect(found.exitCode).toBe(0);
      expect(found.after.senderIds.map(({ name }) => name)).toStrictEqual(["ACME", "Orders"]);
      await run(["sender-id", "delete", "Orders", "--yes"]);
      const other = await run(senderId);
      expect(other.exitCode).toBe(0);
      expect(other.after.senderIds).toHaveLength(2);
    }));

  test("a manifest sets back what was just changed", () =>
    behind(async ({ run }) => {
      await run(["group", "update", "1", "--birthday-message", "Hello"]);
      const manifest = { groups: [{ name: "Old", birthday_message: "Cheers" }] };
      const applied = await run(["apply", "manifest.json", "--yes"], { manifest });
      expect(applied.exitCode).toBe(0);
      expect(applied.after.groups[0]!.birthday_message).toBe("Cheers");
    }));

  test("an update keeps what the one before it has set, also after three of them", () =>
    behind(async ({ run }) => {
      for (const message of ["B", "C", "B"]) {
        await run(["group", "update", "1", "--birthday-message", message]);
      }
      const updated = await run(["group", "update", "1", "--send-birthday"]);
      expect(updated.exitCode).toBe(0);
      expect(updated.after.groups[0]).toMatchObject({
        birthday_message: "B",
        send_birthday: true,
      });
    }));

  test("an undo takes back an update, a create and a delete", () =>
    behind(async ({ run }) => {
      for (const args of [
        ["group", "update", "1", "--birthday-message", "Hello"],
        ["group", "create", "VIP"],
        ["sender-id", "delete", "ACME", "--yes"],
      ]) {
        const done = await run(args);
        expect(done.exitCode).toBe(0);
        const undone = await run(["undo", "--yes"]);
        expect(undone.exitCode, undone.stderr).toBe(0);
        expect(groupsOf(undone)).toStrictEqual(["Old"]);
        expect(undone.after.groups[0]!.birthday_message).toBe("Cheers");
        expect(undone.after.senderIds.map(({ name }) => name)).toStrictEqual(["ACME"]);
      }
    }));

  test.for([{}, { SENDCTL_NO_HISTORY: "1" }])(
    "a create is completed by its second request, with %j",
    (env) =>
      behind(async ({ run }) => {
        const created = await run(["group", "create", "VIP", "--sender-id", "ACME"], { env });
        expect(created).toMatchObject({ exitCode: 0 });
        expect(created.after.groups[1]).toMatchObject({ name: "VIP", sender_id: "ACME" });
      }),
  );

  test("a sender ID of a moment ago is found by wait, by --sender-id and by a manifest", () =>
    behind(async ({ run, vendor }) => {
      await run(["sender-id", "create", "Orders", "--purpose", "Alerts"]);
      const created = await run(["group", "create", "VIP", "--sender-id", "Orders"]);
      expect(created.exitCode, created.stderr).toBe(0);
      await run(["sender-id", "create", "News", "--purpose", "Alerts"]);
      const manifest = { groups: [{ name: "Old", send_birthday: true, sender_id: "News" }] };
      const applied = await run(["apply", "manifest.json", "--yes"], { manifest });
      expect(applied.exitCode, applied.stderr).toBe(0);
      expect(applied.after.groups[0]!.sender_id).toBe("News");
      await run(["sender-id", "create", "Shop", "--purpose", "Alerts"]);
      const rows = vendor.records.senderIds;
      rows.put({ ...rows.rows.at(-1)!, status: "APPROVED" });
      const waited = await run(["sender-id", "wait", "Shop", "--for", "APPROVED"]);
      expect(waited.exitCode, waited.stderr).toBe(0);
    }));

  test("what another program has deleted since is not created again at once", () =>
    behind(async ({ run, vendor }) => {
      await run(["group", "create", "VIP"]);
      const { groups } = vendor.records;
      groups.remove(groups.rows.at(-1)!);
      const repeated = await run(["group", "create", "VIP", "--if-not-exists"]);
      expect(repeated.exitCode).toBe(12);
      expect(repeated.stderr).toContain('does not yet show the group "VIP"');
    }));

  test("what is printed is what the service has sent", () =>
    behind(async ({ run }) => {
      await run(["group", "rename", "1", "New"]);
      const fetched = await run(["group", "fetch", "1", "--json"]);
      expect(fetched.stdout).toContain('"name": "Old"');
      const listed = await run(["group", "list", "--json"]);
      expect(listed.stdout).toContain('"name": "Old"');
    }));
});

test("a service that is further behind gets no update", () =>
  behind(
    async ({ run }) => {
      await run(["group", "update", "1", "--birthday-message", "Hello"]);
      const updated = await run(["group", "update", "1", "--send-birthday"]);
      expect(updated.exitCode).toBe(12);
      expect(updated.stderr).toContain("still shows the values from before your last update");
      expect(updated.methods).not.toContain("PUT");
    },
    { replicaLag: 30_000 },
  ));

testServing(
  "a service that is never behind says so: what a reset has removed is created again at once",
  async ({ home, serveHere, expect: expectHere }) => {
    const { client } = await serveHere([]);
    await home.run(["group", "create", "VIP"], client);
    await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"], client);
    await home.run(["local", "reset", "--keep-keys", "--yes"]);
    const again = await home.run(["group", "create", "VIP", "--if-not-exists", "-o", "id"], client);
    expectHere(again, again.stderr).toMatchObject({ exitCode: 0, stdout: "1\n" });
    await home.run(["local", "reset", "--keep-keys", "--yes"]);
    const senderId = ["sender-id", "create", "ACME", "--purpose", "Orders", "--if-not-exists"];
    const other = await home.run(senderId, client);
    expectHere(other, other.stderr).toMatchObject({ exitCode: 0 });
    expectHere(other.stderr).toContain("Sender ID ACME created");
    await home.run(["local", "reset", "--keep-keys", "--yes"]);
    await writeFile(
      join(home.folder, "m.yaml"),
      "{sender_ids: [{name: ACME, purpose: Orders}], groups: [{name: VIP}]}",
    );
    const applied = await home.run(["apply", "m.yaml", "--yes"], client);
    expectHere(applied, applied.stderr).toMatchObject({ exitCode: 0 });
    expectHere(applied.stderr).toContain("Applied 2 of 2");
  },
);
