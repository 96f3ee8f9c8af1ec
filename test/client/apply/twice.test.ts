import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { makeHome, test, type Home } from "../../support/home.ts";
import { until } from "../../support/waiting.ts";
import { key } from "../run-remote.ts";
import { group, senderId } from "../sample-responses.ts";
import { applyingTo, liveService, openLive, writesOf } from "./apply-remote.ts";
import { startService } from "../scripted-service.ts";

const customers = { groups: [{ name: "Customers" }] };
const acme = { sender_ids: [{ name: "ACME", purpose: "Order updates" }] };
/** A record of each kind under another name, and the manifest of the new one. */
const kinds = [
  ["group", customers, { groups: [{ ...group, name: "Other" }] }, "12"],
  ["sender-id", acme, { senderIds: [{ ...senderId, name: "Other" }] }, "7"],
] as const;

const errorOf = (stdout: string): unknown => (JSON.parse(stdout) as { error: unknown }).error;

describe("a create that is answered with an existing record", () => {
  test.for(kinds)(
    "is a conflict each time: %s",
    async ([kind, manifest, records, id], { home, expect }) => {
      const { apply } = await openLive(home, { ...records, create: (_, rows) => rows });
      for (let times = 0; times < 2; times += 1) {
        const result = await apply(manifest, "apply --yes --json");
        expect(result).toMatchObject({ exitCode: 5, violations: [] });
        expect(result.stderr).toMatch(new RegExp(`existing [^\\n]*"Other" \\(id ${id}\\)`));
        expect(errorOf(result.stdout)).toMatchObject({ kind: "conflict" });
        expect(writesOf(result)).toStrictEqual([`POST /v1/${kind}`]);
      }
    },
  );

  test("is reported each time if --replace restored the old values", async ({ home, expect }) => {
    const { apply } = await openLive(home, {
      senderIds: [senderId],
      create: (_, rows) => [...rows, senderId],
    });
    const manifest = { sender_ids: [{ name: "ACME", purpose: "News" }] };
    for (let times = 0; times < 2; times += 1) {
      const result = await apply(manifest, "apply --yes --replace --json");
      expect(result).toMatchObject({ exitCode: 10, violations: [] });
      expect(errorOf(result.stdout)).toMatchObject({ kind: "unexpected_response" });
    }
    expect((await apply(manifest, "diff")).exitCode).toBe(12);
  });
});

describe("a name that differs from an existing one only in case", () => {
  const manifests = [
    ["group", { groups: [{ name: "CUSTOMERS" }] }, { groups: [{ name: "Customers" }] }, 12],
    ["sender ID", { sender_ids: [{ name: "acme", purpose: "x" }] }, acme, 7],
  ] as const;

  test.for(manifests)("is not created: %s", async ([, manifest, , id], { home, expect }) => {
    const { apply } = await openLive(home, { groups: [group], senderIds: [senderId] });
    for (const args of ["diff --prune --json", "apply --prune --yes --json"]) {
      const result = await apply(manifest, args);
      expect(result).toMatchObject({ exitCode: 5, violations: [] });
      expect(result.stderr).toMatch(new RegExp(`"(?:Customers|ACME)" \\(id ${id}\\)`));
      expect(errorOf(result.stdout)).toMatchObject({
        kind: "conflict",
        diagnostics: [{ line: 1 }],
      });
      expect(writesOf(result)).toStrictEqual([]);
    }
  });

  test.for(manifests)(
    "is created if the manifest has both: %s",
    async (given, { home, expect }) => {
      const [kind, manifest, other] = given;
      const { apply } = await openLive(home, { groups: [group], senderIds: [senderId] });
      const [key, records] = Object.entries(manifest)[0]!;
      const both = { [key]: [...records, ...Object.values(other)[0]!] };
      const result = await apply(both, "apply --prune --yes");
      expect(result).toMatchObject({ exitCode: 0, violations: [] });
      expect(writesOf(result)).toStrictEqual([
        kind === "group" ? "POST /v1/group" : "POST /v1/sender-id",
      ]);
    },
  );

  test.for(kinds)("is stored once from empty homes: %s", async ([, manifest, ,], { expect }) => {
    const { script, tables } = liveService({
      stored: (record) => ({ ...record, name: String(record["name"]).toUpperCase() }),
    });
    const lower = JSON.parse(JSON.stringify(manifest).toLowerCase()) as object;
    const apply = await applyingTo(script);
    const codes: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      const home = await makeHome();
      codes.push((await apply(home, lower)).exitCode);
      await rm(home.folder, { recursive: true });
    }
    expect(codes).toStrictEqual([10, 5, 5]);
    expect(tables.group.length + tables["sender-id"].length).toBe(1);
  });
});

describe("a created record", () => {
  test.for(kinds)(
    "is not created again while no list shows it: %s",
    async (given, { home, expect }) => {
      const [kind, manifest] = given;
      const { apply, hidden } = await openLive(home, {});
      const clock = { now: 0 };
      hidden.add(101);
      const first = await apply(manifest, "apply --yes", { clock });
      expect(first).toMatchObject({ exitCode: 0, violations: [] });
      clock.now += 59_000;
      for (const args of ["apply --yes --json", "apply --yes --json", "diff --json"]) {
        const again = await apply(manifest, args, { clock });
        expect(again).toMatchObject({ exitCode: 0, violations: [] });
        expect(writesOf(again)).toStrictEqual([]);
      }
      clock.now += 2000;
      const late = await apply(manifest, "apply --yes", { clock });
      expect(writesOf(late)).toStrictEqual([`POST /v1/${kind}`]);
    },
  );
});

describe("the records that changed after the question", () => {
  const options = { terminal: 80, keys: "y\r" };

  const old = { ...group, id: 13, name: "Old" };
  const other = { ...group, name: "Other" };
  test.for([
    ["are not touched if the steps differ", "apply", [], [group], 12, []],
    [
      "are not touched if a name has another id",
      "apply --prune",
      [old],
      [{ ...old, id: 14 }],
      12,
      [],
    ],
    ["do not matter if the steps are the same", "apply", [], [other], 0, ["POST /v1/group"]],
  ] as const)("%s", async ([, args, before, after, exitCode, writes], { home, expect }) => {
    let plans = 0;
    const service = liveService({
      groups: before,
      instead: ({ target }) => {
        plans += target === "/v1/group?perPage=1000" ? 1 : 0;
        if (plans === 2) service.tables.group = after;
        return false;
      },
    });
    const apply = await applyingTo(service.script);
    const result = await apply(home, args === "apply" ? customers : { groups: [] }, args, options);
    expect(result, result.stderr).toMatchObject({ exitCode });
    expect(writesOf(result)).toStrictEqual(writes);
  });
});

/** Starts an apply of Customers with ACME in a process of its own. */
function startApply(home: Home, baseUrl: string) {
  writeFileSync(join(home.folder, "m.json"), JSON.stringify(withSender));
  const args = ["apply", "m.json", "--yes", "--base-url", baseUrl];
  return home.start(args, { SENDCTL_SECRET_KEY: key });
}

const withSender = { groups: [{ name: "Customers", sender_id: "ACME" }] };

/** A live service that reports the first PUT and handles it later. */
async function startSlow() {
  const live = liveService({ senderIds: [senderId] });
  const events = new EventEmitter();
  const isPut = once(events, "put");
  const late: (() => void)[] = [];
  const service = await startService((received, conversation) => {
    if (received.method !== "PUT" || late.length > 0) return live.script(received, conversation);
    late.push(() => live.script(received, conversation));
    events.emit("put");
  });
  return { ...live, service, isPut, goOn: () => late[0]!() };
}

test("a second apply of the same user waits for the first", async ({ home, expect }) => {
  const { service, isPut, goOn, tables } = await startSlow();
  const first = startApply(home, service.baseUrl);
  await isPut;
  const second = startApply(home, service.baseUrl);
  let stderr = "";
  second.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await until("the second waits", () => stderr.includes("waiting up to 10 minutes"));
  goOn();
  expect([(await first).exitCode, (await second).exitCode]).toStrictEqual([0, 0]);
  expect(stderr).toContain("Nothing to apply");
  expect(tables.group).toHaveLength(1);
  await service.close();
});

test("an apply that is killed between two requests is finished by the next one", async ({
  home,
  expect,
}) => {
  const { service, isPut } = await startSlow();
  const killed = startApply(home, service.baseUrl);
  await isPut;
  killed.kill("SIGKILL");
  await killed;
  const { length } = service.received;
  expect((await startApply(home, service.baseUrl)).exitCode).toBe(0);
  const writes = service.received.slice(length).filter(({ method }) => method !== "GET");
  expect(writes.map(({ method, body }) => [method, JSON.parse(body)])).toMatchObject([
    ["PUT", { sender_id: "ACME" }],
  ]);
  await service.close();
});
