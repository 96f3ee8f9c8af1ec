import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Seed } from "../../client/vendors/records.ts";
import type { Switches } from "../../client/vendors/switches.ts";
import { withTrial, type Trial, type Outcome } from "../../client/vendors/try-command.ts";

const apply = ["apply", "-f", "manifest.json", "--yes", "--json"];
const diff = ["diff", "-f", "manifest.json", "--json"];

const stateFolder = ({ folder }: Trial): string =>
  join(folder, ".local", "state", "sendctl", "apply");

function writesOf({ requests }: Outcome): string[] {
  return requests
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path}`);
}

function dataOf({ stdout }: Outcome): Readonly<Record<string, unknown>> {
  return (JSON.parse(stdout) as { data: Readonly<Record<string, unknown>> }).data;
}

describe("a service that trims", () => {
  const trims: Partial<Switches> = { trims: true };
  const group = { name: "Customers", birthday_message: "  hi " };
  const stored = { field: "birthday_message", sent: "  hi ", stored: "hi" };

  test("is reported as long as the manifest differs from what it stores", () =>
    withTrial(trims, { seed: { groups: [{ name: "Customers" }] } }, async (trial) => {
      for (const manifest of [{ groups: [group] }, undefined]) {
        const applied = await trial.run(apply, manifest && { manifest });
        expect(applied.exitCode, applied.stderr).toBe(10);
        expect(dataOf(applied)["steps"]).toMatchObject([
          { outcome: "done", stored_differently: [stored] },
        ]);
      }
      const written = { groups: [{ ...group, birthday_message: "hi" }] };
      expect((await trial.run(apply, { manifest: written })).exitCode).toBe(0);
    }));

  test("receives the other fields of a new group in the same apply", () =>
    withTrial(trims, { seed: { senderIds: [{ name: "ACME" }] } }, async (trial) => {
      const manifest = { groups: [{ ...group, send_holiday: true, sender_id: "ACME" }] };
      expect((await trial.run(apply, { manifest })).exitCode).toBe(10);
      const second = await trial.run(apply);
      expect(second.after.groups).toMatchObject([
        { birthday_message: "hi", send_holiday: true, sender_id: "ACME" },
      ]);
    }));

  const spaced = {
    sender_ids: [{ name: "ACME ", purpose: " Orders" }],
    groups: [{ name: " Customers" }],
  };

  test("gets no second record for a name: the names are reported with their lines", () =>
    withTrial(trims, {}, async (trial) => {
      await trial.run(apply, { manifest: spaced });
      const second = await trial.run(apply);
      expect(second.exitCode, second.stderr).toBe(5);
      expect(writesOf(second)).toStrictEqual([]);
      const { error } = JSON.parse(second.stdout) as { error: { diagnostics: readonly object[] } };
      expect(error.diagnostics).toMatchObject([{ line: 1 }, { line: 1 }]);
    }));
});

test("a name that differs from an existing one only in case is rejected, and nothing is deleted", () =>
  withTrial(
    { uniqueNames: "any case" },
    { seed: { senderIds: [{ name: "Acme", purpose: "Orders" }] } },
    async (trial) => {
      const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }] };
      const outcome = await trial.run([...apply, "--prune"], { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(5);
      expect(outcome.stderr).toContain('"Acme"');
      expect(outcome.after).toStrictEqual(outcome.before);
    },
  ));

function manifestOf(sender_id: string) {
  return { groups: [{ name: "Customers", sender_id }] };
}

describe("a sender_id that is a number", () => {
  const seed: Seed = {
    senderIds: [{ name: "ACME" }, { name: "7" }],
    groups: [{ name: "Customers" }],
  };
  test("is an id if no sender ID has that name", () =>
    withTrial({ senderIdIs: "an id" }, { seed }, async (trial) => {
      const manifest = manifestOf("1");
      const outcome = await trial.run([...apply, "--resend-sender-id"], { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.after.groups).toMatchObject([{ sender_id: "1" }]);
    }));

  test("is a name if a sender ID has it", () =>
    withTrial({ senderIdIs: "a name" }, { seed }, async (trial) => {
      const manifest = manifestOf("7");
      const outcome = await trial.run([...apply, "--resend-sender-id"], { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.after.groups).toMatchObject([{ sender_id: "7" }]);
    }));

  test.for([
    ["that does not exist", "99", {}, []],
    ["that --prune would delete", "1", { sender_ids: [] }, ["--prune"]],
  ] as const)("is reported with its location: %s", ([, id, more, options]) =>
    withTrial({}, { seed }, async (trial) => {
      const manifest = { ...more, ...manifestOf(id) };
      const outcome = await trial.run([...apply, ...options], { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(2);
      const column = JSON.stringify(manifest).indexOf(`"${id}"`) + 1;
      expect(outcome.stdout).toContain(`"column": ${column}`);
      expect(outcome.after).toStrictEqual(outcome.before);
    }),
  );
});

describe("the state file", () => {
  const seed: Seed = { senderIds: [{ name: "ACME" }] };
  const manifest = { groups: [{ name: "Customers", sender_id: "ACME" }] };

  test("causes only a warning if it cannot be written", () =>
    withTrial({}, { seed }, async (trial) => {
      writeFileSync(join(trial.folder, ".local"), "");
      const outcome = await trial.run(apply, { manifest });
      expect(outcome.exitCode, outcome.stderr).toBe(0);
      expect(outcome.stderr.match(/Warning: the state/g)).toHaveLength(1);
      expect(outcome.stderr.match(/Warning: the history/g)).toHaveLength(1);
      expect(outcome.after.groups).toMatchObject([{ sender_id: "ACME" }]);
    }));

  test("is not written by diff, and removed after a successful apply", () =>
    withTrial({}, { seed }, async (trial) => {
      await trial.run(diff, { manifest });
      expect(readdirSync(trial.folder)).not.toContain(".local");
      await trial.run(apply);
      expect(readdirSync(stateFolder(trial))).toStrictEqual([]);
    }));
});

const namesakes: Seed = {
  senderIds: [
    { name: "ACME" },
    { name: "Twins", purpose: "First" },
    { name: "Twins", purpose: "Second" },
  ],
  groups: [{ name: "VIP" }, { name: "VIP", send_birthday: true }, { name: "Friends" }],
};

test.for([["export"], ["export", "--json"]])(
  "%s omits sender IDs that share a name with a warning, and can be applied",
  (args) =>
    withTrial({}, { seed: namesakes }, async (trial) => {
      const exported = await trial.run(args);
      expect(exported.exitCode).toBe(0);
      expect(exported.stderr.match(/sender ID "Twins"/g)).toHaveLength(2);
      expect(exported.stdout.match(/^#.*"Twins"/gm) ?? []).toHaveLength(args.length === 1 ? 2 : 0);
      writeFileSync(join(trial.folder, "manifest.json"), exported.stdout);
      const diff = await trial.run(["diff", "-f", "manifest.json", "--json"]);
      expect(diff.exitCode, diff.stdout).toBe(0);
      expect(JSON.parse(diff.stdout)).toMatchObject({
        data: { summary: { unchanged: 4, not_managed: { sender_ids: 2, groups: 0 } } },
      });
    }),
);
