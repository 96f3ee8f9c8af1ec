import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/home.ts";
import { commands, envelope, group, page, senderId } from "./sample-responses.ts";
import { liveService } from "./apply/apply-remote.ts";
import { mayBeDone, runAgainst, runOn } from "./run-remote.ts";
import { startService, type Script } from "./scripted-service.ts";

/** What the user means, and what the service returns instead: another record, which must not be changed. */
const uuid = "3f3cbb1a-7d0e-4a53-9c0b-2f6e5a1d8c47";
const customers = { ...group, uuid };
const third = { ...group, id: 3, uuid: "aaaaaaaa-0000-4000-8000-000000000003", name: "Staff" };
const scratch = { ...group, name: "sendctl-probe-0123456789ab-01" };
const beta = { ...senderId, id: 8, name: "BETA" };

/** Shows one record in the list of its kind, and another for every path. Carries out every write. */
const showing =
  (listed: object, fetched: object): Script =>
  ({ method, target }, { respond }) => {
    const isList = /^\/v1\/[^/]+$/.test(target.replace(/\?.*/, ""));
    const isListed = "uuid" in listed === target.startsWith("/v1/group");
    if (method !== "GET") respond(200, envelope(method === "DELETE" ? null : fetched));
    else respond(200, envelope(isList ? page(isListed ? [listed] : []) : fetched));
  };

/** Shows one group for reads, and another one in response to an update. */
const updating =
  (before: object, after: object): Script =>
  ({ method }, { respond }) =>
    respond(200, envelope(method === "GET" ? before : after));

/** Matches a path to ACME, and creates what it is sent. */
const matching: Script = ({ method, target, body }, { respond }) => {
  if (method === "DELETE") respond(200, envelope(null));
  else if (target.includes("?")) respond(200, envelope(page([senderId])));
  else if (method === "POST") respond(200, envelope({ ...senderId, id: 8, ...JSON.parse(body) }));
  else respond(200, envelope(senderId));
};

const inManifest = {
  groups: [{ name: group.name, birthday_message: "Hi" }],
  sender_ids: [{ name: "ACME", purpose: "Alerts" }],
};

describe("a service that returns another record than asked for", () => {
  const named = { ...customers, uuid: third.uuid };
  const apply = ["apply", "-f", "m.json", "--yes"];
  type Row = readonly [args: readonly string[], listed: object, fetched: object, message: RegExp];
  const byUuid = (...args: readonly string[]): Row => [args, customers, third, /uuid .*aaaa.*3f3c/];
  const byId = (...args: readonly string[]): Row => [args, customers, third, /id 3 instead of "2"/];
  const byName = (...args: readonly string[]): Row => [args, customers, named, /uuid .*aaa.*3f3c/];
  const renamed = (...args: readonly string[]): Row => [
    args,
    customers,
    { ...customers, name: "Other" },
    /name "Other" instead of "Customers"/,
  ];
  const another = /name "ACME" instead of "BETA"/;
  const rows: readonly Row[] = [
    byUuid("group", "fetch", uuid),
    byUuid("group", "preview", uuid),
    byUuid("group", "update", uuid, "--name", "New"),
    byUuid("group", "delete", uuid, "--yes"),
    byUuid("group", "delete", uuid, uuid.toUpperCase(), "--yes"),
    byId("group", "update", "2", "--name", "New"),
    byId("group", "delete", "2", "--yes"),
    byName("group", "fetch", "Customers"),
    byName("group", "preview", "Customers"),
    byName("group", "update", "Customers", "--no-send-birthday"),
    byName("group", "rename", "Customers", "New"),
    byName("group", "delete", "Customers", "--yes"),
    byName("group", "create", "Customers", "--if-not-exists"),
    renamed("group", "update", "Customers", "--no-send-birthday"),
    renamed("group", "delete", "name:Customers", "Customers", "--yes"),
    [["sender-id", "delete", "BETA", "--yes"], beta, senderId, another],
    [apply, customers, named, /uuid/],
    [[...apply, "--prune"], { ...customers, name: "Old" }, named, /uuid/],
    [[...apply, "--replace"], senderId, { ...senderId, id: 8 }, /id 8/],
    [["probe", "--clean", "--yes"], scratch, { ...scratch, uuid: third.uuid }, /uuid/],
  ];
  test.for(rows)("%s", async ([args, listed, fetched, message], { home, expect }) => {
    const { groups, sender_ids } = inManifest;
    const manifest =
      "uuid" in listed ? { groups: args.includes("--prune") ? [] : groups } : { sender_ids };
    await writeFile(join(home.folder, "m.json"), JSON.stringify(manifest));
    const options = { home: home.folder, neverEnds: 60_000 };
    const result = await runAgainst(showing(listed, fetched), args, options);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.stderr).toMatch(message);
    expect(result.requests.filter((line) => !line.startsWith("GET"))).toStrictEqual([]);
  });

  test("a fetch of another group is decided by the list", async ({ expect }) => {
    const shown = await runAgainst(showing(customers, third), ["group", "fetch", "12", "--json"]);
    expect(shown, shown.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(JSON.parse(shown.stdout)).toMatchObject({ data: customers });
    const missing = await runAgainst(showing(customers, third), ["group", "fetch", "2"]);
    expect(missing).toMatchObject({ exitCode: 4, violations: [] });
    expect(missing.stderr).toContain('the service shows no group "2"');
  });

  test.for([
    ["group", "fetch", uuid.toUpperCase()],
    ["group", "fetch", "012"],
    ["group", "delete", uuid.toUpperCase(), "--yes"],
  ])("does not include another form of the same key: %s", async (args, { expect }) => {
    const result = await runAgainst(showing(customers, customers), args);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
  });

  test.for(["acme", " ACME ", "ÀCME"])(
    "shows the record for another form of a name, but does not delete it: %j",
    async (name, { expect }) => {
      const shown = await runAgainst(matching, ["sender-id", "fetch", name]);
      expect(shown).toMatchObject({ exitCode: 0, violations: [] });
      expect(shown.stderr).toMatch(/^Warning: the service returned the sender ID "ACME" for "/m);
      const result = await runAgainst(matching, ["sender-id", "delete", name, "--yes"]);
      expect(result).toMatchObject({ exitCode: 5, violations: [] });
      expect(result.stderr).toMatch(/the service returned "ACME" \(id 7\); nothing was deleted/);
      expect(result.stderr).toContain('hint: write it as the service stores it: "ACME"');
      expect(result.requests).toStrictEqual([`GET /v1/sender-id/${encodeURIComponent(name)}`]);
    },
  );

  test("does not have the name of a create with --if-not-exists", async ({ expect }) => {
    const args = ["sender-id", "create", "BETA", "--purpose", "Orders", "--if-not-exists"];
    const result = await runAgainst(matching, args);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.requests).toContain("POST /v1/sender-id");
  });

  test("a group that was confirmed is not deleted once its id belongs to another", async ({
    expect,
  }) => {
    let reads = 0;
    // A uuid tells groups apart; without one, the time of creation does.
    const { uuid: _, ...bare } = customers;
    const script: Script = (received, conversation) => {
      const shown = { ...bare, created_at: `2026-01-31T08:00:0${reads}.000000Z` };
      if (received.method === "GET") reads += 1;
      showing(customers, shown)(received, conversation);
    };
    const terminal = { terminal: 200, keys: "y\r" };
    const result = await runAgainst(script, ["group", "delete", "12"], terminal);
    expect(result.exitCode).toBe(10);
    expect(result.stderr).toContain("nothing was deleted");
    expect(result.requests).toStrictEqual(["GET /v1/group/12", "GET /v1/group/12"]);
  });

  test("in response to an update is reported", async ({ expect }) => {
    const result = await runAgainst(updating(customers, { ...customers, id: 3 }), commands.PUT);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.stderr).toMatch(/id 3 instead of 12\. The request may have succeeded/);
  });

  test.for(["PUT", "DELETE"])(
    "is not recognised by api %s, which sends no read",
    async (method, { expect }) => {
      const result = await runAgainst(showing(customers, third), ["api", method, "/v1/group/2"]);
      expect(result.requests).toStrictEqual([`${method} /v1/group/2`]);
      expect(result.exitCode).toBe(0);
    },
  );
});

describe("a delete whose response was lost", () => {
  const { created_at } = group;
  const later = "2026-01-31T08:00:00.000001Z";
  const withoutTraits = { ...customers, uuid: undefined, created_at: undefined };
  type Row = readonly [what: string, args: readonly string[], before: object, after: object];
  const remove = ["group", "delete", "12", "--yes"];
  const removeSender = ["sender-id", "delete", "ACME", "--yes"];
  const repeated: readonly Row[] = [
    ["the same group", remove, customers, customers],
    ["the same group, its id as text", remove, customers, { ...customers, id: "12" }],
    ["the same sender ID, its id as text", removeSender, senderId, { ...senderId, id: "7" }],
    ["the same group, without a uuid", remove, { created_at, id: 12 }, { created_at, id: 12 }],
  ];
  const unknown: readonly Row[] = [
    ["another uuid", remove, customers, { ...customers, uuid: third.uuid }],
    ["a later group", remove, customers, { ...customers, created_at: later }],
    ["a group that shows neither", remove, withoutTraits, withoutTraits],
    ["another group for a uuid", ["group", "delete", uuid, "--yes"], customers, third],
    ["a sender ID with another id", removeSender, senderId, { ...senderId, id: 8 }],
    ["a later sender ID", removeSender, senderId, { ...senderId, created_at: later }],
  ];
  const gone: readonly (readonly [what: string, status: number])[] = [
    ["no record", 404],
    ["a deleted record", 410],
  ];
  /** They do not show whether the record still exists. */
  const unseen: typeof gone = [
    ["a rejected key", 401],
    ["a refusal with HTTP 200, also of the list", 200],
    ["a record that is locked", 423],
    ["a request that is not valid", 400],
    ["a rate limit", 429],
    ["a temporary failure", 503],
  ];
  const rows = [
    ...repeated.map((row) => [...row, 0, 2] as const),
    ...unknown.map((row) => [...row, 9, 1] as const),
    ...gone.flatMap(([what, status]) => [
      [what, remove, customers, status, 0, 1] as const,
      [what, removeSender, senderId, status, 0, 1] as const,
    ]),
    ...unseen.map(([what, status]) => [what, remove, customers, status, 9, 1] as const),
  ];
  test.for(rows)("%s: %s", async ([, args, before, after, exitCode, count], { expect }) => {
    let deletes = 0;
    const script: Script = ({ method, target }, { respond, hangUp }) => {
      if (target.includes("?") && typeof after === "object")
        return respond(200, envelope(page([before])));
      if (method !== "GET") {
        deletes += 1;
        return deletes === 1 ? hangUp() : respond(200, envelope(null));
      }
      if (deletes === 0) return respond(200, envelope(before));
      if (typeof after === "object") return respond(200, envelope(after));
      return respond(after, { status: false, message: "Record not found" });
    };
    const result = await runAgainst(script, args);
    expect(result).toMatchObject({ exitCode, violations: [] });
    expect(deletes).toBe(count);
    expect(result.stderr.includes("no longer exists")).toBe(exitCode === 0 && count === 1);
    const why = typeof after === "object" ? /may belong to another record[^]*hint: / : mayBeDone;
    if (exitCode === 9) expect(result.stderr).toMatch(why);
  });
});

test("a null field that an update leaves out must stay null", async ({ expect }) => {
  const stored = { ...group, birthday_message: "Hi" };
  let isUpdated = false;
  const result = await runAgainst(({ method }, { respond }) => {
    isUpdated ||= method === "PUT";
    respond(200, envelope(isUpdated ? stored : group));
  }, commands.PUT);
  expect(result).toMatchObject({ exitCode: 10, violations: [] });
  expect(result.received[1]!.body).not.toContain("birthday_message");
  expect(result.stderr).toMatch(/birthday_message.*null.*"Hi"/);
});

test("--if-not-exists shows the sender ID that another client created meanwhile", async ({
  expect,
}) => {
  let fetches = 0;
  const result = await runAgainst(
    ({ method, target }, { respond }) => {
      if (method === "POST") return respond(409, { status: false, message: "Taken", data: null });
      if (target.includes("?")) return respond(200, envelope(page([])));
      fetches += 1;
      return fetches === 1 ? respond(404) : respond(200, envelope(senderId));
    },
    [...commands["POST sender-id"], "--if-not-exists"],
  );
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
  expect(result.received).toHaveLength(4);
});

test("a group whose id has the form of a uuid, and another uuid, is the one asked for", async ({
  home,
  expect,
}) => {
  const unusual = { ...group, id: "6f1c1a52-8d2b-4c53-9b2c-1f0e1e8e3a11", contacts_count: 0 };
  const { script, tables } = liveService({ groups: [unusual] });
  const service = await startService(script);
  const run = (...args: readonly string[]): ReturnType<typeof runOn> =>
    runOn(service, ["group", ...args], { home: home.folder });
  for (const key of [unusual.id, "Customers"]) {
    expect(await run("fetch", key)).toMatchObject({ exitCode: 0 });
    expect(await run("update", key, "--send-holiday")).toMatchObject({ exitCode: 0 });
  }
  expect(tables.group).toMatchObject([{ send_holiday: true }]);
  expect(await run("delete", unusual.id, "--yes")).toMatchObject({ exitCode: 0 });
  expect(tables.group).toStrictEqual([]);
  await service.close();
});
