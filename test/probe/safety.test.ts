import { readFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRelay, type Relay } from "../contract/relay.ts";
import { configOf, writeConfig } from "../support/config-file.ts";
import { test as withHome } from "../support/home.ts";
import type { Seed } from "../client/vendors/records.ts";
import { stateOf } from "../client/vendors/state.ts";
import { startVendor, type Vendor } from "../client/vendors/vendor-service.ts";
import { envelope, page } from "../client/sample-responses.ts";
import { startService, type Script } from "../client/scripted-service.ts";
import { freePort } from "../support/ports.mjs";
import { threeVendors, type Switches } from "../client/vendors/switches.ts";
import { runProbe, switchesOf } from "./run-probe.ts";
import { servedBehaviour } from "./served-behaviour.ts";

const key = "sk_probe_5f1c0a7e93b2";
const scratch = ["probe", "--scratch-group", "--yes", "--json"];

const answering =
  (status: number, body: unknown, headers = {}): Script =>
  (_, { respond }) =>
    respond(status, body, headers);

describe("exit codes", () => {
  test.for([
    [3, "auth", answering(401, { message: "no" })],
    [3, "auth", answering(403, { message: "no" })],
    [6, "invalid", answering(200, { status: false, message: "no" })],
    [8, "unavailable", (_, { hangUp }) => hangUp()],
    [8, "unavailable", answering(503, {})],
    [7, "rate_limited", answering(429, {})],
    [10, "unexpected_response", answering(302, "")],
    [10, "unexpected_response", answering(200, "<h1>Hello</h1>")],
    [10, "unexpected_response", answering(200, [])],
  ] as readonly (readonly [number, string, Script])[])(
    "%i, %s",
    async ([exitCode, kind, script]) => {
      const service = await startService(script);
      onTestFinished(service.close);
      const run = await runProbe(scratch, { baseUrl: service.baseUrl, key });
      expect(run.exitCode, run.stderr).toBe(exitCode);
      expect(run.error?.kind).toBe(kind);
      expect(run.stderr).not.toMatch(/\bdefect\b|\n\s+at /);
    },
  );

  test("8 if nothing listens, 3 without a key", async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    expect((await runProbe(["probe"], { baseUrl, key })).exitCode).toBe(8);
    expect((await runProbe(["probe"], { baseUrl })).exitCode).toBe(3);
  });
});

describe("a service that responds strangely is neither a crash nor the same as the engine", () => {
  const strange: Readonly<Record<string, Script>> = {
    HTML: answering(500, "<p>500</p>", { "Content-Type": "text/html" }),
    redirects: answering(302, "", { Location: "https://x.example" }),
    "closed connections": (_, { hangUp }) => hangUp(),
    "empty bodies": answering(200, ""),
    "a list for everything": answering(201, envelope(page([{ id: 1, name: "Other" }]))),
    "another record for everything": answering(200, envelope({ id: 7, uuid: "x", name: "Other" })),
    "odd records": answering(200, envelope({ id: null, name: 1 })),
    "text that is not JSON": answering(200, "{"),
    "null data": answering(200, envelope(null)),
  };

  test.for(Object.entries(strange))("%s", async ([, script]) => {
    const records = [
      { id: "a/b", name: "\u001b[31mred", created_at: 7 },
      { id: 2, name: null },
      { id: 12_345_678_901_234_567n.toString(), name: "Big" },
    ];
    // Only the plain lists work.
    const service = await startService((received, conversation) => {
      const { method, target } = received;
      const isList = method === "GET" && ["/v1/group", "/v1/sender-id"].includes(target);
      if (!isList) script(received, conversation);
      else conversation.respond(200, envelope(page(records, { per_page: 15 })));
    });
    onTestFinished(service.close);
    const run = await runProbe(scratch, { baseUrl: service.baseUrl, key });
    expect(run.exitCode, run.stderr).toBe(0);
    // Nothing was created, so nothing may be deleted.
    expect(service.received.filter(({ method }) => method === "DELETE")).toStrictEqual([]);
    const same = run.data!.rulings.filter(({ verdict }) => verdict === "same");
    expect(same.map(({ switch: name }) => name)).toStrictEqual(["per_page_default"]);
    expect(run.stdout + run.stderr).not.toContain("\u001b");
    expect(run.stdout + run.stderr).not.toContain(key);
    const keys = service.received.map(({ headers }) => headers["authorization"]);
    expect(new Set(keys).size).toBeLessThanOrEqual(3);
  });
});

/** Starts a vendor, until the end of the test. */
async function opened(
  groups: Seed["groups"] = [],
  switches: Partial<Switches> = {},
): Promise<Vendor> {
  const vendor = await startVendor(switches);
  onTestFinished(vendor.close);
  vendor.seed({ groups });
  return vendor;
}

/** Returns the base URL and the key of a vendor behind a relay. */
async function relayed({ baseUrl: target, key }: Vendor, route: Relay["route"]) {
  const relay = await openRelay();
  onTestFinished(relay.close);
  Object.assign(relay, { target, route });
  return { baseUrl: relay.baseUrl, key };
}

test("a service that does not permit creates is probed by GET", async () => {
  const vendor = await opened();
  const target = await relayed(vendor, (method, path) => (method === "GET" ? path : 403));
  const run = await runProbe(scratch, target);
  expect(run.exitCode, run.stderr).toBe(0);
  const found: Readonly<Record<string, unknown>> = switchesOf(run);
  expect(found["create_status"]).toBe(
    "unknown: no scratch group could be created: the service refused it (HTTP 403)",
  );
  expect(found["per_page_default"]).toBe(20);
  expect(vendor.records.groups.rows).toStrictEqual([]);
});

test.for([408, 499])("a read that a gateway gives up with %i is no refusal", async (status) => {
  const vendor = await opened([{ name: "A" }, { name: "B" }, { name: "C" }]);
  const target = await relayed(vendor, (_, path) => (path.includes("page=2") ? status : path));
  const run = await runProbe(["probe", "--json"], target);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(switchesOf(run)["page_parameter"]).toBe(`unknown: HTTP ${status}`);
});

/** Runs a command at a terminal, or without one, against a vendor with a leftover of a probe. */
async function asked(args: readonly string[], keys?: string) {
  const vendor = await opened([{ name: "sendctl-probe-0123456789ab-01" }, { name: "Customers" }]);
  const run = await runProbe(args, { ...vendor, ...(keys === undefined ? {} : { keys }) });
  const writes = vendor.requests.filter(({ method }) => method !== "GET");
  return { run, writes, vendor };
}

describe("confirmation", () => {
  test.for(["--scratch-group", "--clean"])(
    "%s needs --yes without a terminal, names the target at one, and can be declined",
    async (option) => {
      const refused = await asked(["probe", option]);
      expect([refused.run.exitCode, refused.writes]).toStrictEqual([2, []]);
      const { run, writes, vendor } = await asked(["probe", option], "n\n");
      expect(run.exitCode, run.stderr).toBe(130);
      expect(run.stderr.replaceAll(/\s+/g, " ")).toContain(vendor.baseUrl);
      expect(writes).toStrictEqual([]);
    },
  );

  test("--clean deletes the leftovers of a probe only", async () => {
    const { run, vendor } = await asked(["probe", "--clean"], "y\n");
    expect(run.exitCode, run.stderr).toBe(0);
    expect(vendor.records.groups.rows.map(({ name }) => name)).toStrictEqual(["Customers"]);
  });

  test.for([
    ["--clean", "--scratch-group", "--yes"],
    ["--clean", "--save", "--yes"],
    ["--dry-run"],
    ["--save"],
    ["-o", "id"],
  ])("%s: refused before any request", async (args) => {
    const { run, vendor } = await asked(["probe", ...args]);
    expect([run.exitCode, vendor.requests]).toStrictEqual([2, []]);
  });
});

describe("--clean", () => {
  const ours = [
    { name: "sendctl-probe-0123456789ab-01" },
    { name: "SENDCTL-PROBE-0123456789AB-12" },
  ];
  const others = [
    { name: "sendctl-probe-0123456789ab" },
    { name: "sendctl-probe-0123456789ab-1" },
    { name: "sendctl-probe-0123456789a-01" },
    { name: "sendctl-probe-0123456789ag-01" },
    { name: "sendctl-probe-0123456789ab-103" },
    { name: "my sendctl-probe-0123456789ab-01" },
    { name: "sendctl-probe-0123456789ab-01 of mine" },
    { name: "sendctl-probe-0123456789ab-01-xy" },
    { name: "Customers", birthday_message: "sendctl-probe-0123456789ab-04" },
  ];

  test.for([
    ["plain", {}],
    ["204", { deleteResponse: "no content" }],
    ["gateway", threeVendors.gateway],
  ] as const)("%s: deletes names of exactly that form", async ([, switches]) => {
    const vendor = await opened([...others, ...ours], switches);
    const run = await runProbe(["probe", "--clean", "--yes", "--json"], vendor);
    expect(run.exitCode, run.stderr).toBe(0);
    const names = vendor.records.groups.rows.map(({ name }) => name);
    expect(names).toStrictEqual(others.map(({ name }) => name));
  });
});

test("--clean deletes also where only the uuid identifies a group", async () => {
  const served = await servedBehaviour({ group_lookup: "uuid" });
  onTestFinished(served.close);
  const body = JSON.stringify({ name: "sendctl-probe-0123456789ab-01" });
  const left = await runProbe(["api", "POST", "/v1/group", "--body", body], served);
  expect([left.exitCode, await served.groupCount()]).toStrictEqual([0, 1]);
  const run = await runProbe(["probe", "--clean", "--yes"], served);
  expect([run.exitCode, await served.groupCount()], run.stderr).toStrictEqual([0, 0]);
});

test("a group that cannot be deleted is reported with the command that deletes it", async () => {
  const vendor = await opened();
  const target = await relayed(vendor, (method, path) => (method === "DELETE" ? 403 : path));
  const run = await runProbe(scratch, target);
  expect(run.exitCode, run.stderr).toBe(0);
  const ids = vendor.records.groups.rows.map(({ id }) => String(id));
  expect(ids.length).toBeGreaterThan(0);
  expect(new Set(run.data!.leftovers.map(({ id }) => id))).toStrictEqual(new Set(ids));
  for (const id of ids) expect(run.stderr).toContain(`(id ${id}) was not deleted: Refused`);
  expect(run.stderr).toMatch(/^hint: sendctl probe --clean --base-url /m);
  expect(switchesOf(run)["delete_status"]).toMatch(/^unknown/);
});

/** A database that casts texts to numbers reads 3f3cbb1a-… as 3. */
function castOf(key: string): string {
  return key.includes("-") ? "1" : "999999";
}

test.for([
  ["any key selects it", "--scratch-group", () => "1", 0, undefined],
  ["a uuid selects it, ids are unknown", "--scratch-group", castOf, 0, undefined],
  ["any key selects it", "--clean", () => "1", 10, "unexpected_response"],
  ["a uuid selects it, ids are unknown", "--clean", castOf, 10, "unexpected_response"],
] as const)(
  "another group than was asked for stays as it is: %s, %s",
  async ([, option, keyOf, exitCode, kind]) => {
    const other = { name: "Customers", birthday_message: "Hi" };
    const left = { name: "sendctl-probe-0123456789ab-01" };
    const vendor = await opened(option === "--clean" ? [other, left] : [other]);
    const [before] = stateOf(vendor.records).groups;
    const target = await relayed(vendor, (_, path) =>
      path.replace(/^\/v1\/group\/([\w-]+)$/, (_match, key: string) => `/v1/group/${keyOf(key)}`),
    );
    const run = await runProbe(["probe", option, "--yes", "--json"], target);
    expect(run.exitCode, run.stderr).toBe(exitCode);
    expect(run.error?.kind).toBe(kind);
    expect(stateOf(vendor.records).groups[0]).toStrictEqual(before);
    const sent = vendor.requests.filter(({ method }) => ["PUT", "DELETE"].includes(method));
    expect(sent).toStrictEqual([]);
    // What was created and could not be found again is reported.
    const names = vendor.records.groups.rows.slice(1).map(({ name }) => String(name).trim());
    for (const name of names) expect(run.stderr).toContain(name);
  },
);

test("a uuid that selects another group is not taken for a key of its group", async () => {
  const vendor = await opened([{ name: "Customers" }]);
  const target = await relayed(vendor, (_, path) =>
    path.replace(/^\/v1\/group\/[\da-f]+-[\da-f-]+$/, "/v1/group/1"),
  );
  const run = await runProbe(scratch, target);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(switchesOf(run)["group_lookup"]).toMatch(/^unknown: .*another group/);
  expect(vendor.records.groups.rows.map(({ name }) => name)).toStrictEqual(["Customers"]);
});

test("a second signal ends the cleanup, and what is left is reported", async () => {
  const vendor = await opened();
  const senders: ((signal: "SIGINT") => void)[] = [];
  let isChanged = false;
  const target = await relayed(vendor, (method, path) => {
    // At the first update, and at the first request of the cleanup.
    if (isChanged || method === "PUT") for (const send of senders) send("SIGINT");
    isChanged ||= method === "PUT";
    return path;
  });
  const run = await runProbe(scratch, { ...target, stopWith: (send) => void senders.push(send) });
  expect(run.exitCode, run.stderr).toBe(130);
  expect(run.error?.kind).toBe("cancelled");
  const ids = vendor.records.groups.rows.map(({ id }) => String(id));
  expect(ids).toHaveLength(1);
  expect(run.stderr).toContain("was not deleted: interrupted");
  expect(run.stderr).toContain(`sendctl group delete ${ids[0]} --base-url`);
});

withHome("--save stores what is known, and keeps what is unknown now", async ({ home, expect }) => {
  const { folder } = home;
  const saved = async (): Promise<Readonly<Record<string, unknown>>> => {
    const config = JSON.parse(await readFile(configOf(home), "utf8")) as {
      readonly profiles: { readonly dev: { readonly behaviour: Record<string, unknown> } };
    };
    return config.profiles.dev.behaviour;
  };
  const { baseUrl, key: secretKey } = await opened([{ name: "A" }, { name: "B" }, { name: "C" }]);
  await writeConfig(home, { profiles: { dev: { baseUrl, secretKey } } });
  const all = ["probe", "--profile", "dev", "--scratch-group", "--yes", "--save"];
  const first = await runProbe(all, { folder });
  expect(first.exitCode, first.stderr).toBe(0);
  const known = await saved();
  expect(known).toMatchObject({ create_status: 201, per_page_default: 20 });
  const second = await runProbe(["probe", "--profile", "dev", "--save"], { folder });
  expect(second.exitCode, second.stderr).toBe(0);
  expect(await saved()).toStrictEqual(known);
});
