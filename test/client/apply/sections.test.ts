import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { envelope, group, page, senderId } from "../sample-responses.ts";
import {
  applyManifest,
  liveService,
  serveRecords,
  writesOf,
  type Records,
} from "./apply-remote.ts";
import type { RemoteRun } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const uuidOf = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;

const customers = { ...group, uuid: uuidOf(1) };
const old = { ...group, id: 13, uuid: uuidOf(2), name: "Old" };
const acme = senderId;
const news = { ...senderId, id: 8, name: "NEWS" };
const both: Records = { senderIds: [news, acme], groups: [old, customers] };

const deleting: Script = ({ method }, { respond }) =>
  method === "DELETE" ? respond(200, envelope(null)) : respond(500);

const prune = ["apply", "--prune", "--yes", "--json"];

/** Returns the deletions of a plan. */
const deletionsOf = ({ stdout }: RemoteRun): readonly string[] => {
  const { data } = JSON.parse(stdout) as {
    data: { steps: { action: string; kind: string; name: string }[] };
  };
  const deletions = data.steps.filter(({ action }) => action === "delete");
  return deletions.map(({ kind, name }) => `${kind} ${name}`);
};

const groupsOf = (rest: object) => ({ groups: [{ name: "Customers", ...rest }] });

describe("--prune with a manifest of one section", () => {
  const deletions = {
    "group Customers": "DELETE /v1/group/12",
    "group Old": "DELETE /v1/group/13",
    "sender-id ACME": "DELETE /v1/sender-id/ACME",
    "sender-id NEWS": "DELETE /v1/sender-id/NEWS",
  };
  const rows: readonly (readonly [string, object, readonly (keyof typeof deletions)[]])[] = [
    ["groups that name a sender ID", groupsOf({ sender_id: "ACME" }), ["group Old"]],
    ["groups without a sender ID", groupsOf({}), ["group Old"]],
    ["groups whose sender ID is null", groupsOf({ sender_id: null }), ["group Old"]],
    ["no groups", { groups: [] }, ["group Customers", "group Old"]],
    [
      "sender IDs",
      { sender_ids: [{ name: acme.name, purpose: acme.purpose }] },
      ["sender-id NEWS"],
    ],
    ["no sender IDs", { sender_ids: [] }, ["sender-id ACME", "sender-id NEWS"]],
  ];

  test.for(rows)(
    "deletes nothing of the other section: %s",
    async ([, manifest, names], { home, expect }) => {
      const result = await applyManifest(home, manifest, serveRecords(both, deleting), prune);
      expect(result).toMatchObject({ exitCode: 0, violations: [] });
      expect(writesOf(result).toSorted()).toStrictEqual(names.map((name) => deletions[name]));
      const diff = ["diff", "--prune", "--json"];
      const shown = await applyManifest(home, manifest, serveRecords(both, deleting), diff);
      expect(shown).toMatchObject({ exitCode: 12, violations: [] });
      expect(deletionsOf(shown).toSorted()).toStrictEqual(names);
    },
  );

  test.for([
    ["groups", { groups: [{ name: "Customers", sender_id: "ACME" }] }],
    ["sender IDs", { sender_ids: [{ name: acme.name, purpose: acme.purpose }] }],
  ] as const)(
    "counts only its own deletions of %s for --max-deletes",
    async ([, manifest], { home, expect }) => {
      for (const [most, exitCode] of [
        ["1", 0],
        ["0", 2],
      ] as const) {
        const args = [...prune, "--max-deletes", most];
        const result = await applyManifest(home, manifest, serveRecords(both, deleting), args);
        expect(result).toMatchObject({ exitCode, violations: [] });
        expect(writesOf(result)).toHaveLength(most === "1" ? 1 : 0);
      }
    },
  );
});

describe("the keys of a manifest's group", () => {
  test.for([
    ["an id with a uuid that no group has", { id: 12, uuid: uuidOf(9) }],
    ["an id with the uuid of another group", { id: 12, uuid: uuidOf(2) }],
    ["a uuid with an id that no group has", { id: 99, uuid: uuidOf(1) }],
    ["an id and a uuid that no group has", { id: 99, uuid: uuidOf(9) }],
    ["a uuid that no group has", { uuid: uuidOf(9) }],
    ["an id that no group has", { id: 99 }],
  ] as const)("are rejected without sending anything: %s", async ([, keys], { home, expect }) => {
    const manifest = { groups: [{ ...keys, name: "Friends" }] };
    for (const args of [prune, ["diff", "--prune", "--json"]]) {
      const result = await applyManifest(home, manifest, serveRecords(both, deleting), args);
      expect(result).toMatchObject({ exitCode: 2, violations: [] });
      expect(JSON.parse(result.stdout)).toMatchObject({ status: false, error: { kind: "usage" } });
      expect(writesOf(result)).toStrictEqual([]);
    }
  });

  test.for([
    ["an id", { id: 12 }],
    ["a uuid", { uuid: uuidOf(1) }],
    ["both", { id: 12, uuid: uuidOf(1) }],
  ] as const)("find one group: %s", async ([, keys], { home, expect }) => {
    const manifest = { groups: [{ ...keys, name: "Friends" }] };
    const script = serveRecords(both, ({ body }, { respond }) =>
      respond(200, envelope({ ...customers, ...JSON.parse(body) })),
    );
    const result = await applyManifest(home, manifest, script, ["apply", "--yes", "--json"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(writesOf(result)).toStrictEqual(["PUT /v1/group/12"]);
  });
});

test("a group that is renamed is not the new one of its old name", async ({ home, expect }) => {
  const manifest = { groups: [{ id: 12, name: "Friends" }, { name: "Customers" }] };
  const { script, tables } = liveService({ groups: [customers] });
  const result = await applyManifest(home, manifest, script, ["apply", "--yes", "--json"]);
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
  const names = tables.group.map(({ id, name }) => `${String(id)} ${String(name)}`);
  expect(names.toSorted()).toStrictEqual(["101 Customers", "12 Friends"]);
});

describe("an id of 16 digits, which as a double would be another group's", () => {
  const long = "9007199254740993";
  const record = { ...group, id: 0 };
  const script: Script = ({ method, target, body }, { respond }) => {
    const show = (data: unknown): void =>
      respond(200, JSON.stringify(envelope(data)).replace('"id":0', `"id":${long}`));
    if (method === "DELETE") show(null);
    else if (method === "PUT") show({ ...record, ...JSON.parse(body) });
    else show(target.startsWith("/v1/group/") ? record : page([record]));
  };

  test.for([
    ["deleted", "DELETE", []],
    ["updated", "PUT", [{ name: group.name, send_holiday: true }]],
  ] as const)("is the one that is %s", async ([, method, groups], { home, expect }) => {
    const result = await applyManifest(home, { groups }, script, prune);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(writesOf(result)).toStrictEqual([`${method} /v1/group/${long}`]);
  });
});
