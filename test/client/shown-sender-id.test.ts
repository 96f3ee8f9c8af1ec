import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import { test } from "../support/home.ts";
import { liveService, openLive } from "./apply/apply-remote.ts";
import { runOn } from "./run-remote.ts";
import { group, senderId } from "./sample-responses.ts";
import { startService } from "./scripted-service.ts";

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
    ["none", { ...linked, sender_id: null }, 12],
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

  test.for([
    ["a name", "ACME", "sender_id: ACME"],
    ["an id", 7, "sender_id: ACME"],
    ["null, which may hide one", null, undefined],
    ["a name that is not in the list", "Other", undefined],
  ] as const)("has it in its export: %s", async ([, value, line], { home, expect }) => {
    const groups = [{ ...group, sender_id: value }];
    const { script } = liveService({ groups, senderIds: [senderId, shop] });
    const service = await startService(script);
    onTestFinished(service.close);
    const run = (...args: readonly string[]): ReturnType<typeof runOn> =>
      runOn(service, args, { home: home.folder });
    const { stdout } = await run("export");
    const file = join(home.folder, "exported.yaml");
    writeFileSync(file, stdout);
    expect(stdout.includes("never shows")).toBe(line === undefined);
    expect(/sender_id: .*/.exec(stdout.replace(/#.*/g, ""))?.[0]).toBe(line);
    expect(await run("diff", "-f", file)).toMatchObject({ exitCode: 0 });
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
