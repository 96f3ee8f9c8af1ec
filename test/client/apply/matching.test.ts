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
import type { Script } from "../scripted-service.ts";
import { withTrial } from "../vendors/try-command.ts";

const uuidOf = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;

const customers = { ...group, uuid: uuidOf(1) };
const old = { ...group, id: 13, uuid: uuidOf(2), name: "Old" };
const acme = senderId;
const news = { ...senderId, id: 8, name: "NEWS" };
const both: Records = { senderIds: [news, acme], groups: [old, customers] };

const deleting: Script = ({ method }, { respond }) =>
  method === "DELETE" ? respond(200, envelope(null)) : respond(500);

const prune = ["apply", "--prune", "--yes", "--json"];

test.for([
  [
    "groups that name a sender ID",
    { groups: [{ name: "Customers", sender_id: "ACME" }] },
    ["group/13"],
  ],
  [
    "groups whose sender ID is null",
    { groups: [{ name: "Customers", sender_id: null }] },
    ["group/13"],
  ],
  ["no groups", { groups: [] }, ["group/12", "group/13"]],
  ["sender IDs", { sender_ids: [{ name: acme.name, purpose: acme.purpose }] }, ["sender-id/NEWS"]],
  ["no sender IDs", { sender_ids: [] }, ["sender-id/ACME", "sender-id/NEWS"]],
] as const)(
  "--prune with a manifest of %s alone deletes nothing of the other section",
  async ([, manifest, paths], { home, expect }) => {
    const result = await applyManifest(home, manifest, serveRecords(both, deleting), prune);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(writesOf(result).toSorted()).toStrictEqual(paths.map((path) => `DELETE /v1/${path}`));
  },
);

describe("--prune of sender IDs that share a name", () => {
  const args = ["apply", "-f", "manifest.json", "--prune", "--yes"];

  test.for(["newest", "oldest"] as const)(
    "keeps a wanted one if the service matches paths to the %s of two names",
    (namesake, { expect }) => {
      const names = namesake === "newest" ? ["acme", "ACME"] : ["ACME", "acme"];
      const seed = { senderIds: names.map((name) => ({ name, purpose: "Orders" })) };
      return withTrial({ lookUp: "any case", namesake }, { seed }, async (trial) => {
        const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }] };
        const { exitCode, after } = await trial.run(args, { manifest });
        expect(after.senderIds.map(({ name }) => name)).toContain("ACME");
        expect(exitCode).toBe(5);
      });
    },
  );

  test("deletes all of them", ({ expect }) => {
    const seed = { senderIds: ["A", "A", "A"].map((name) => ({ name, purpose: "Orders" })) };
    return withTrial({}, { seed }, async (trial) => {
      const { exitCode, after } = await trial.run(args, { manifest: { sender_ids: [] } });
      expect([exitCode, after.senderIds]).toStrictEqual([0, []]);
    });
  });
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
