import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, envelope, group, senderId } from "../sample-responses.ts";
import {
  applyManifest,
  created,
  failures,
  liveService,
  outcomesOf,
  refusal,
  serveRecords,
  writesOf,
} from "./apply-remote.ts";
import { stopping } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const apply = ["apply", "--prune", "--replace", "--yes", "--json", "--retries", "0"];

/** Carries out every write except those that a test makes fail. */
const failing =
  (isHit: (method: string, target: string) => boolean, fail: Script): Script =>
  (received, conversation) => {
    const { method, target, body } = received;
    if (isHit(method, target)) fail(received, conversation);
    else if (method === "DELETE") conversation.respond(200, envelope(null));
    else if (method === "POST") created(body, conversation);
    else conversation.respond(200, envelope({ ...group, ...JSON.parse(body) }));
  };

test("a create that returns a record of the plan has created nothing", async ({ home, expect }) => {
  const existing = answering(200, envelope({ ...group, name: "New" }));
  const script = failing((method) => method === "POST", existing);
  const manifest = { groups: [{ name: "New" }] };
  const result = await applyManifest(home, manifest, serveRecords({ groups: [group] }, script), [
    "apply",
    "--yes",
    "--json",
  ]);
  expect(result).toMatchObject({ exitCode: 5, violations: [] });
  expect(outcomesOf(result)).toStrictEqual({ "create group New": "failed" });
  expect(result.stderr).toContain("nothing was created");
});

describe("a sender ID is not pruned if a group could not be changed", () => {
  const acme = { name: senderId.name, purpose: senderId.purpose };
  const desired = { name: group.name, send_birthday: !group.send_birthday };
  const old = { ...senderId, id: 8, name: "OLD" };
  const records = { senderIds: [senderId, old], groups: [group] };

  test.for(Object.keys(failures))(
    "after %s, until the next apply",
    async (way, { home, expect }) => {
      const manifest = { sender_ids: [acme], groups: [desired] };
      const script = failing((method) => method === "PUT", failures[way]!);
      const failed = await applyManifest(home, manifest, serveRecords(records, script), apply);
      expect(failed.exitCode).not.toBe(0);
      expect(failed.violations).toStrictEqual([]);
      expect(new Set(writesOf(failed))).toStrictEqual(new Set(["PUT /v1/group/12"]));
      expect(outcomesOf(failed)).toStrictEqual({
        "update group Customers": "failed",
        "delete sender-id OLD": "not_tried",
      });
      const whole = failing(() => false, failures[way]!);
      const again = await applyManifest(home, manifest, serveRecords(records, whole), apply);
      expect(again).toMatchObject({ exitCode: 0, violations: [] });
      expect(writesOf(again)).toStrictEqual(["PUT /v1/group/12", "DELETE /v1/sender-id/OLD"]);
    },
  );

  test.for(Object.keys(failures))(
    "after the delete of a group ended in %s",
    async (way, { home, expect }) => {
      const script = failing((method) => method === "DELETE", failures[way]!);
      const found = serveRecords({ senderIds: [old], groups: [group] }, script);
      const result = await applyManifest(home, { sender_ids: [], groups: [] }, found, apply);
      expect(new Set(writesOf(result))).toStrictEqual(new Set(["DELETE /v1/group/12"]));
      // A service may answer a delete that it has done with anything.
      const isDone = outcomesOf(result)["delete group Customers"] === "done";
      expect(outcomesOf(result)["delete sender-id OLD"]).toBe(isDone ? "done" : "not_tried");
    },
  );

  test.for([401, 403])("and nothing else is tried after a %i", async (status, { home, expect }) => {
    const manifest = { sender_ids: [], groups: [desired] };
    const script = failing((method) => method === "PUT", answering(status, refusal));
    const found = { ...records, groups: [group, { ...group, id: 13, name: "Old" }] };
    const result = await applyManifest(home, manifest, serveRecords(found, script), apply);
    expect(result).toMatchObject({ exitCode: 3, violations: [] });
    expect(writesOf(result)).toStrictEqual(["PUT /v1/group/12"]);
  });
});

describe("nothing is deleted", () => {
  const sender_ids = [{ name: senderId.name, purpose: senderId.purpose }];
  const old = { ...senderId, id: 8, name: "OLD" };
  const kept = { "delete sender-id OLD": "not_tried" };
  const rows = [
    [
      "after half of a create",
      "PUT",
      { sender_ids, groups: [{ name: "New", send_holiday: true }] },
      { senderIds: [old] },
      { "create sender-id ACME": "done", "create group New": "incomplete", ...kept },
    ],
    [
      "and a group is not changed after the create of its sender ID",
      "POST",
      { sender_ids, groups: [{ name: group.name, send_birthday: false, sender_id: "ACME" }] },
      { senderIds: [old], groups: [group] },
      { "create sender-id ACME": "failed", "update group Customers": "not_tried", ...kept },
    ],
    [
      // The group was renamed in the manifest; its contacts are still in the old one.
      "after the create of a successor",
      "POST",
      { groups: [{ name: "Renamed" }] },
      { groups: [group] },
      { "create group Renamed": "failed", "delete group Customers": "not_tried" },
    ],
  ] as const;
  const cases = rows.flatMap(([what, ...row]) =>
    Object.keys(failures).map((way) => [what, way, ...row] as const),
  );

  test.for(cases)("%s that ends in %s", async (given, { home, expect }) => {
    const [, way, failed, manifest, records, outcomes] = given;
    const script = failing((method) => method === failed, failures[way]!);
    const result = await applyManifest(home, manifest, serveRecords(records, script), apply);
    expect(result.exitCode).not.toBe(0);
    expect(outcomesOf(result)).toStrictEqual(outcomes);
    const writes = writesOf(result);
    expect(writes.filter((line) => line.startsWith("DELETE"))).toStrictEqual([]);
    if (failed === "POST") expect(writes).toHaveLength(1);
  });
});

describe("two hundred groups", () => {
  const groups = Array.from({ length: 200 }, (_, index) => ({ name: `Group ${index}` }));

  test("are not all sent after rate limits", async ({ home, expect }) => {
    const limit: Script = answering(429, "", { "Retry-After": "30" });
    const args = ["apply", "--yes", "--json"];
    const result = await applyManifest(home, { groups }, serveRecords({}, limit), args);
    expect(result).toMatchObject({ exitCode: 7, violations: [] });
    expect(writesOf(result).length).toBeLessThan(100);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { applied: 0 } });
  });

  test.for(["a 500", "a 503 of a gateway", "a lost response", "a garbled response"])(
    "are not all sent to a service that responds to everything with %s",
    async (way, { home, expect }) => {
      const result = await applyManifest(home, { groups }, serveRecords({}, failures[way]!), apply);
      expect([8, 9, 10]).toContain(result.exitCode);
      expect(result.violations).toStrictEqual([]);
      // When the third request fails, 15 others are in flight.
      expect(writesOf(result).length).toBeGreaterThanOrEqual(3);
      expect(writesOf(result).length).toBeLessThanOrEqual(18);
      const failed = writesOf(result).length;
      expect(JSON.parse(result.stdout)).toMatchObject({
        data: { applied: 0, failed, not_tried: 200 - failed },
      });
    },
  );

  test.for([
    ["a conflict", 5],
    ["a refusal", 6],
  ] as const)("are all tried if each ends in %s", async ([way, exitCode], { home, expect }) => {
    const result = await applyManifest(home, { groups }, serveRecords({}, failures[way]!), apply);
    expect(result).toMatchObject({ exitCode, violations: [] });
    expect(writesOf(result)).toHaveLength(200);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { failed: 200, outcome_unknown: 0 } });
  });

  test("are cancelled at Ctrl-C, whatever failed before", async ({ home, expect }) => {
    const { stop, stopWith } = stopping();
    const script = serveRecords({}, ({ body }, conversation) => {
      if (body.includes('"Group 0"')) return conversation.respond(409);
      if (!body.includes('"Group 50"')) return created(body, conversation);
      stop();
    });
    const result = await applyManifest(home, { groups }, script, ["apply", "--yes", "--json"], {
      stopWith,
    });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind: "cancelled" } });
    expect(result.stderr).toContain("409");
  });

  test("are applied with their target printed once", async ({ home, expect }) => {
    const script = serveRecords({}, ({ body }, conversation) => created(body, conversation));
    const result = await applyManifest(home, { groups }, script, ["apply", "--yes"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.stderr.match(/→ http/g)).toHaveLength(1);
  });

  test("are all tried if every second one fails", async ({ home, expect }) => {
    let creates = 0;
    const script: Script = (received, conversation) => {
      creates += 1;
      if (creates % 2 === 0) failures["a 500"]!(received, conversation);
      else created(received.body, conversation);
    };
    const result = await applyManifest(home, { groups }, serveRecords({}, script), apply);
    expect(result.violations).toStrictEqual([]);
    expect(JSON.parse(result.stdout)).toMatchObject({ data: { not_tried: 0 } });
  });
});

test("suggests --resend-sender-id once for a sender ID that was not sent", async ({
  home,
  expect,
}) => {
  const manifest = {
    sender_ids: [{ name: "ACME", purpose: "Orders" }],
    groups: [{ name: "Customers", sender_id: "ACME" }],
  };
  const script = serveRecords({ groups: [group] }, ({ method }, { respond }) =>
    method === "POST"
      ? respond(201, envelope({ ...senderId, purpose: "Orders" }))
      : respond(500, { status: false, message: "Broken", data: null }),
  );
  const result = await applyManifest(home, manifest, script, ["apply", "--yes", "--json"]);
  expect(result).toMatchObject({ exitCode: 8, violations: [] });
  expect(outcomesOf(result)).toMatchObject({ "update group Customers": "failed" });
  expect(result.stdout).toContain("--resend-sender-id");
  expect(result.stderr.match(/--resend-sender-id/g)).toHaveLength(1);
});

test("sender IDs are deleted one after another", async ({ home, expect }) => {
  const names = ["A", "B", "C"];
  const senderIds = names.map((name, index) => ({ ...senderId, id: index + 1, name }));
  const open = { now: 0, most: 0 };
  const { script } = liveService({ senderIds });
  const slow: Script = (received, conversation) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    setImmediate(() => {
      open.now -= 1;
      script(received, conversation);
    });
  };
  const result = await applyManifest(home, { sender_ids: [] }, slow, apply);
  expect(result).toMatchObject({ exitCode: 0, violations: [] });
  expect(writesOf(result)).toHaveLength(3);
  expect(open.most).toBe(1);
});

test.for([404, 410])(
  "a group that is gone at its delete counts as deleted: %i",
  async (status, { home, expect }) => {
    const { script, tables } = liveService({ groups: [group] });
    const gone: Script = (received, conversation) => {
      if (received.method !== "DELETE") return script(received, conversation);
      tables.group = [];
      conversation.respond(status, refusal);
    };
    const result = await applyManifest(home, { groups: [] }, gone, apply);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(outcomesOf(result)).toStrictEqual({ [`delete group ${group.name}`]: "done" });
  },
);

test.for([
  ["Orders", 0],
  ["News", 9],
] as const)(
  "a lost create of a sender ID is not taken for one with another purpose: %s",
  async ([purpose, exitCode], { home, expect }) => {
    const created: object[] = [];
    const { script } = liveService({});
    const losing: Script = (received, conversation) => {
      if (received.method === "POST") {
        created.push({ ...senderId, id: 99, name: "ACME", purpose });
        return conversation.hangUp();
      }
      return created.length === 0
        ? script(received, conversation)
        : serveRecords({ senderIds: created as never }, script)(received, conversation);
    };
    const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }] };
    const result = await applyManifest(home, manifest, losing, apply);
    expect(result).toMatchObject({ exitCode, violations: [] });
    expect(writesOf(result)).toHaveLength(1);
  },
);

/** Creates groups except for C, and completes none. */
const limiting: Script = ({ method, body }, conversation) => {
  const isLimited = body.includes('"C"') || method === "PUT";
  if (isLimited) conversation.respond(429, refusal, { "Retry-After": "7" });
  else created(body, conversation);
};

describe("an interrupted apply", () => {
  test("does not say that nothing was changed beside a created group", async ({ home, expect }) => {
    const manifest = { groups: [{ name: "A" }, { name: "B", send_holiday: true }, { name: "C" }] };
    const args = ["apply", "--yes", "--json"];
    const { stop, stopWith } = stopping();
    // The wait after a 429.
    const paused = (milliseconds: number): void => (milliseconds >= 7000 ? stop() : undefined);
    const script = serveRecords({}, limiting);
    const result = await applyManifest(home, manifest, script, args, { stopWith, paused });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    expect(outcomesOf(result)).toMatchObject({
      "create group A": "done",
      "create group B": "incomplete",
      "create group C": "failed",
    });
    expect(result.stdout + result.stderr).not.toMatch(/nothing was changed/i);
    expect(result.stderr).toMatch(/Created group B \(id \d+\), but incomplete: /);
  });

  test("marks what may have been done", async ({ home, expect }) => {
    const { stop, stopWith } = stopping();
    const { script } = liveService({
      instead: ({ method }) => {
        if (method === "POST") stop();
        return method === "POST";
      },
    });
    const args = ["apply", "--yes", "--json"];
    const manifest = { groups: [{ name: "A" }, { name: "B" }] };
    const result = await applyManifest(home, manifest, script, args, { stopWith });
    expect(result).toMatchObject({ exitCode: 130, violations: [] });
    const { data, error } = JSON.parse(result.stdout) as Printed;
    expect(error.kind).toBe("cancelled");
    expect(data.steps).toContainEqual(
      expect.objectContaining({ name: "A", outcome: "failed", outcome_unknown: true }),
    );
    expect(result.stderr).toContain("Outcome unknown: create group A");
  });

  test.for(["DELETE", "POST"])(
    "names a sender ID that is lost: at %s",
    async (at, { home, expect }) => {
      const { stop, stopWith } = stopping();
      const { script } = liveService({
        senderIds: [senderId],
        instead: ({ method }) => {
          if (method === at) stop();
          return method === at;
        },
      });
      const manifest = { sender_ids: [{ name: "ACME", purpose: "News" }] };
      const args = ["apply", "--yes", "--replace", "--json"];
      const result = await applyManifest(home, manifest, script, args, { stopWith });
      expect(result).toMatchObject({ exitCode: 130, violations: [] });
      expect(result.stderr).toMatch(/replace sender ID ACME: .*(?:may be deleted|was deleted)/);
    },
  );
});

interface Printed {
  readonly data: { readonly steps: readonly object[] };
  readonly error: { readonly kind: string };
}

const supplier = { ...group, id: 2, name: "Suppliers" };
const customer = { ...group, id: 3, name: "Customers" };

describe("a step of unknown outcome", () => {
  const args = ["apply", "--prune", "--yes", "--retries", "0", "--json"];
  const deletes = { manifest: { groups: [] }, groups: [supplier, customer] };
  const creates = { manifest: { groups: [{ name: "New" }] }, groups: [] };
  const cases = [
    ["delete", deletes, /^hint: sendctl group fetch (?:2 3|3 2) --base-url http/m, 2],
    ["create", creates, /^hint: sendctl group list --name New --base-url http/m, 1],
  ] as const;

  test.for(cases)("is not reported as not done: %s", async (given, { home, expect }) => {
    const [action, { manifest, groups }, hint, count] = given;
    const script = serveRecords({ groups }, failures["a lost response"]!);
    const result = await applyManifest(home, manifest, script, args);
    expect(result).toMatchObject({ exitCode: 9, violations: [] });
    expect(result.stderr).toContain(`Outcome unknown: ${action} group `);
    expect(result.stderr).not.toContain("Could not");
    expect(result.stderr).toContain(`; ${count === 1 ? "1 step" : "2 steps"} may or may not have`);
    const { data, error } = JSON.parse(result.stdout) as Printed;
    expect(result.stderr).toMatch(hint);
    expect(error.kind).toBe("outcome_unknown");
    expect(data).toMatchObject({ applied: 0, failed: count, outcome_unknown: count });
    expect(data.steps).toHaveLength(count);
    for (const step of data.steps) expect(step).toMatchObject({ outcome_unknown: true });
  });

  const found = { ...group, id: 99, name: "New", send_birthday: false };
  const lookups = [
    ["one new record", [found], 0],
    ["no new record", [], 9],
    ["two new records", [found, { ...found, id: 98 }], 9],
  ] as const;
  test.for(lookups)("goes on with %s", async ([, after, code], { home, expect }) => {
    let creates = 0;
    const manifest = { groups: [{ name: "New" }] };
    const script: Script = (received, conversation) => {
      if (received.method === "POST") creates += 1;
      serveRecords({ groups: creates === 0 ? [] : after }, failures["a lost response"]!)(
        received,
        conversation,
      );
    };
    const result = await applyManifest(home, manifest, script, args);
    expect(result).toMatchObject({ exitCode: code, violations: [] });
    if (code === 0) expect(result.stderr).toMatch(/"New" was lost; found it \(id 99\)/);
  });
});
