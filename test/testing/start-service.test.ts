import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { openEmbedded } from "../../src/engine/embedded.ts";
import { backUp } from "../../src/engine/sqlite/backup.ts";
import { SendctlError, startService } from "../../src/testing/testing.ts";
import type { GroupChanges, GroupFields } from "../../src/contract/service.ts";
import type { Seed, StartOptions, TestService } from "../../src/testing/public.d.ts";
import { root } from "../docs/markdown.ts";
import { quickFolder } from "../support/quick-folder.ts";

async function start(options?: StartOptions): Promise<TestService> {
  const service = await startService(options);
  onTestFinished(() => service.close());
  return service;
}

/** Sends a request as a client of the service. @returns the status and the data */
async function send(
  { url, key }: { readonly url: string; readonly key: string },
  method: string,
  path: string,
  body?: unknown,
) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what the tests are about
  const { data } = (text === "" ? {} : JSON.parse(text)) as { readonly data?: any };
  return { status: response.status, data };
}

const seed = {
  sender_ids: [{ name: "ACME", purpose: "Order updates" }],
  groups: [{ name: "Customers", sender_id: "ACME" }, { name: "Friends" }],
};

test("the types of a seed have each field of a group", () => {
  type SeedGroup = NonNullable<Seed["groups"]>[number];
  expectTypeOf<Required<SeedGroup>>().toEqualTypeOf<Required<GroupChanges & GroupFields>>();
});

function refused(field: string): unknown {
  return expect.objectContaining({ kind: "usage", field });
}

async function names(service: { readonly url: string; readonly key: string }): Promise<string[]> {
  const { data } = await send(service, "GET", "/group");
  return data.data.map(({ name }: { readonly name: string }) => name).toSorted();
}

describe("startService", () => {
  test("serves a seed, and restores it with its ids", async () => {
    const service = await start({ seed });
    const { data: before } = await send(service, "GET", "/group");
    await send(service, "DELETE", "/group/1");
    await send(service, "PUT", "/group/2", { name: "Enemies" });
    const { data: created } = await send(service, "POST", "/group", { name: "New" });
    expect(created.id).toBe(3);
    await service.review("ACME", "APPROVED");
    await service.reset();
    expect((await send(service, "GET", "/group")).data).toEqual(before);
    expect((await send(service, "GET", "/sender-id/ACME")).data.status).toBe("PENDING");
    // The second round begins where the first did.
    expect((await send(service, "POST", "/group", { name: "New" })).data.id).toBe(3);
    await service.reset();
    expect(await names(service)).toEqual(["Customers", "Friends"]);
  });

  test("records requests with parsed bodies, also unauthorized ones, and never the key", async () => {
    const service = await start();
    const { key, url } = service;
    await send(service, "POST", "/group?x=1", { name: key, note: [`Bearer ${key}`] });
    await send({ url, key: "sk_wrong" }, "GET", "/group/1");
    await fetch(`${url}/healthz`);
    await fetch(`${url}/nowhere`);
    const requests = service.requests();
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/group",
        query: { x: "1" },
        status: 422,
        operation: "group.create",
      },
      { method: "GET", path: "/v1/group/1", body: null, status: 401, operation: "group.fetch" },
      { path: "/nowhere", status: 404, operation: null },
    ]);
    expect(requests[0]!.body).toEqual({ name: "[hidden]", note: ["Bearer [hidden]"] });
    expect(JSON.stringify(requests)).not.toContain(key);
    await service.reset();
    expect(service.requests()).toEqual([]);
  });

  test("records a key of the caller's choice nowhere, whatever key the request has", async () => {
    const service = await start({ key: "correct-horse-battery" });
    const { key, url } = service;
    for (const sent of [await service.integration("one"), "another-unknown-key"]) {
      await send({ url, key: sent }, "POST", `/group?api_key=${key}`, { name: key });
    }
    await fetch(`${url}/v1/${key}`, { method: "PUT", body: `key=${key}` });
    expect(service.requests().map(({ status }) => status)).toEqual([201, 401, 401]);
    expect(JSON.stringify(service.requests())).not.toContain(key);
  });

  test("records a key nowhere, however the JSON around it escapes it", async () => {
    const service = await start({ key: "correct/horse-battery" });
    const { key, url } = service;
    const codes = Array.from(
      key,
      (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
    ).join("");
    const bodies = [
      `{"name": "${codes}"`,
      `{"name": "${key.replace("/", "\\/")}", }`,
      `{"${codes.toUpperCase().replaceAll("\\U", "\\u")}": }`,
      `${"[".repeat(9000)}"${codes}"${"]".repeat(9000)}`,
      `${"[".repeat(9000)}"${codes}"`,
    ];
    for (const body of bodies) {
      await fetch(`${url}/v1/group`, {
        method: "POST",
        body,
        headers: { Authorization: `Bearer ${key}` },
      });
    }
    expect(service.requests()).toHaveLength(bodies.length);
    const recorded = JSON.stringify(service.requests());
    expect(recorded).not.toContain(key);
    expect(recorded).not.toMatch(/u0063|u006f/i);
    expect(recorded).not.toContain("horse");
  });

  test("forgets requests of before a reset whose responses are sent after it", async () => {
    const service = await start({ faults: ["group.create:latency=200ms"] });
    const late = send(service, "POST", "/group", { name: "Late" });
    await expect.poll(() => names(service)).toEqual(["Late"]);
    await service.reset();
    expect((await late).status).toBe(201);
    expect(service.requests()).toEqual([]);
    expect(await names(service)).toEqual([]);
  });

  test("replaces faults and limits while it runs, and forgets them at a reset", async () => {
    const service = await start({ faults: ["group.list:status=503"], rateLimit: 2 });
    expect((await send(service, "GET", "/group")).status).toBe(503);
    service.faults(["group.create:drop=after"]);
    expect((await send(service, "GET", "/group")).status).toBe(200);
    expect((await send(service, "GET", "/group")).status).toBe(429);
    await service.reset();
    expect((await send(service, "POST", "/group", { name: "A" })).status).toBe(201);
  });

  test("gives each worker an integration of its own", async () => {
    const service = await start({ seed });
    const { url } = service;
    const [first, second] = [await service.integration("one"), await service.integration("two")];
    await send({ url, key: first }, "POST", "/group", { name: "Mine" });
    expect(await names({ url, key: second })).toEqual([]);
    expect(await service.integration("one")).not.toBe(first);
    await service.reset({ integration: "one" });
    expect(await names({ url, key: first })).toEqual([]);
    expect(await names(service)).toEqual(["Customers", "Friends"]);
    await send({ url, key: second }, "POST", "/group", { name: "Other" });
    await service.reset();
    expect(await names({ url, key: second })).toEqual([]);
  });

  test("takes a behaviour, an approval delay and a key", async () => {
    const service = await start({
      behaviour: { delete_status: 204 },
      autoApproveAfter: "0s",
      key: "a-key-of-the-suite",
      seed,
    });
    expect(service.env).toEqual({
      SENDCTL_BASE_URL: service.url,
      SENDCTL_SECRET_KEY: "a-key-of-the-suite",
    });
    expect((await send(service, "DELETE", "/group/1")).status).toBe(204);
    await send(service, "POST", "/sender-id", { name: "SHOP", purpose: "Offers" });
    expect((await send(service, "GET", "/sender-id/SHOP")).data.status).toBe("APPROVED");
  });

  test("takes manifests and backups from files", async () => {
    const folder = await mkdtemp(join(quickFolder, "sendctl-seed-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const manifest = join(folder, "sendctl.yaml");
    await writeFile(manifest, "groups:\n  - name: From a file\n");
    expect(await names(await start({ seed: manifest }))).toEqual(["From a file"]);

    const [database, backup] = [join(folder, "a.db"), join(folder, "backup.db")];
    const engine = openEmbedded(database, () => Date.now() * 1000);
    const created = await engine.administration.createKey("default");
    const old = (created.envelope!.data as { readonly secret_key: string }).secret_key;
    const service = await engine.service(undefined);
    await service["group.create"]({ body: { name: "Kept" } });
    await engine.close();
    const { signal } = new AbortController();
    await backUp(database, backup, false, signal);
    const restored = await start({ seed: backup });
    expect(await names(restored)).toEqual(["Kept"]);
    expect((await send({ ...restored, key: old }, "GET", "/group")).status).toBe(401);
  });

  test("keeps faults and requests of integrations apart", async () => {
    const service = await start({ seed });
    const [one, two] = [
      { ...service, key: await service.integration("one") },
      { ...service, key: await service.integration("two") },
    ];
    const [ofOne, ofTwo] = [{ integration: "one" }, { integration: "two" }];
    service.faults(["group.list:status=503,times=1"], ofOne);
    service.faults(["group.list:status=500,skip=1"], ofTwo);
    service.faults(["group.fetch:status=429"]);
    const statusOf = async (worker: typeof one, path = "/group") =>
      (await send(worker, "GET", path)).status;
    expect([await statusOf(one), await statusOf(one)]).toEqual([503, 200]);
    expect([await statusOf(two), await statusOf(two)]).toEqual([200, 500]);
    expect([await statusOf(service), await statusOf(one, "/group/1")]).toEqual([200, 429]);
    expect(service.requests(ofTwo).map(({ status }) => status)).toEqual([200, 500]);
    expect(service.requests().map(({ integration }) => integration)).toEqual([
      "one",
      "one",
      "two",
      "two",
      "default",
      "one",
    ]);
    await service.reset(ofOne);
    expect(service.requests(ofOne)).toEqual([]);
    expect([await statusOf(one), await statusOf(two)]).toEqual([200, 500]);
    expect(() => service.requests({ integration: "three" })).toThrow("unknown integration");
    for (const wrong of [{ integrations: "one" }, "one", null, { integration: 1 }]) {
      expect(() => service.faults([], wrong as never)).toThrow(SendctlError);
      await expect(service.received(0, wrong as never)).rejects.toThrow(SendctlError);
    }
    for (const count of [-1, 1.5, "1", 10_001]) {
      await expect(service.received(count as never)).rejects.toEqual(refused("count"));
    }
    await service.reset();
    expect([await statusOf(two), await statusOf(one, "/group/1")]).toEqual([200, 404]);
  });

  test("reviews a sender ID of an integration, in any case, and never that of another", async () => {
    const service = await start();
    const key = await service.integration("one");
    await send({ ...service, key }, "POST", "/sender-id", seed.sender_ids[0]);
    await expect(service.review("ACME", "APPROVED")).rejects.toEqual(refused("name"));
    await service.review("ACME", "rejected", { integration: "one" });
    const { data } = await send({ ...service, key }, "GET", "/sender-id/ACME");
    expect(data.status).toBe("REJECTED");
    await expect(service.review("ACME", "OPEN" as never)).rejects.toThrow(
      'status must be PENDING, APPROVED or REJECTED, not "OPEN"',
    );
  });

  test("shows a request when it arrives, and waits for a number of them", async () => {
    const service = await start({ faults: ["group.list:latency=1s,times=1"] });
    const sent = send(service, "GET", "/group");
    expect(await service.received(1)).toMatchObject([
      { operation: "group.list", status: null, response: null, ms: null, integration: "default" },
    ]);
    const both = service.received(2);
    await send(service, "GET", "/group/1");
    expect(await both).toHaveLength(2);
    await sent;
    expect(service.requests()).toMatchObject([
      { status: 200, ms: expect.any(Number) },
      { status: 404 },
    ]);
    const never = service.received(9).catch((error: unknown) => error);
    await service.close();
    expect(await never).toMatchObject({ message: "the service is closed" });
  });

  test("is one of several in a process, and ends twice without an error", async () => {
    const services = await Promise.all(Array.from({ length: 8 }, () => start({ seed })));
    await Promise.all(services.map((service) => send(service, "DELETE", "/group/1")));
    await services[0]!.reset();
    expect(await Promise.all(services.map(names))).toEqual([
      ["Customers", "Friends"],
      ...Array.from({ length: 7 }, () => ["Friends"]),
    ]);
    await services[0]!.close();
    await services[0]!.close();
    await expect(fetch(services[0]!.url)).rejects.toThrow("fetch failed");
  });

  test("responds while the suite has replaced its timers", async () => {
    const service = await start({ seed });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    expect(await names(service)).toEqual(["Customers", "Friends"]);
    await service.reset();
    expect(await names(service)).toEqual(["Customers", "Friends"]);
  });

  test("a reset is whole for clients that write and read meanwhile", async () => {
    const service = await start({ seed });
    const done = new AbortController();
    const client = async (): Promise<number> => {
      let wrong = 0;
      while (!done.signal.aborted) {
        const { data } = await send(service, "GET", "/group?perPage=100");
        const found = new Set(data.data.map(({ id }: { readonly id: number }) => id));
        // The records of the seed are there or deleted by nobody.
        if (!found.has(1) || !found.has(2)) wrong += 1;
        await send(service, "POST", "/group", { name: "More" });
      }
      return wrong;
    };
    const clients = [client(), client(), client(), client()];
    for (let round = 0; round < 100; round += 1) await service.reset();
    done.abort();
    expect(await Promise.all(clients)).toEqual([0, 0, 0, 0]);
  });
});

describe("startService in a process of its own", () => {
  test.each([
    ["module", 'import { startService } from "sendctl/testing";'],
    ["commonjs", 'const { startService } = require("sendctl/testing");'],
  ])("leaves nothing behind, and lets the process end: %s", async (type, load) => {
    const program = `${load}
      const state = () => JSON.stringify([
        process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
        Object.getOwnPropertyNames(globalThis), process.env, process.cwd(), process.exitCode]);
      (async () => {
        // Node itself listens for "exit" until a module was evaluated.
        await new Promise(setImmediate);
        const before = state();
        const service = await startService();
        const status = (await fetch(service.url + "/v1/group")).status;
        const during = state();
        await service.close();
        console.log(status, during === before, state() === before);
      })();`;
    const args = [`--input-type=${type}`, "-e", program];
    const { stdout, stderr } = await execa(process.execPath, args, { cwd: root, timeout: 20_000 });
    expect([stdout, stderr]).toEqual(["401 true true", ""]);
  });
});

describe("startService refuses", () => {
  test.each<[options: unknown, field: string, message: string]>([
    [7, "options", "takes an object"],
    [{ sed: {} }, "sed", 'unknown option "sed"'],
    [{ seed: 5 }, "seed", "an object or a path"],
    [{ seed: "missing.yaml" }, "seed", "does not exist"],
    [{ seed: "" }, "seed", "an object or a path"],
    [{ seed: "-" }, "seed", "an object or a path"],
    [
      { seed: { groups: [{ name: "A" }, { name: "n".repeat(256) }] } },
      "seed.groups[1].name",
      "must have",
    ],
    [{ seed: { groups: [{ name: "${SENDCTL_UNSET}" }] } }, "seed.groups[0].name", "is not set"],
    [{ seed: { toJSON: () => undefined } }, "seed", "must be an object"],
    [{ behaviour: "" }, "behaviour", "the path of a behaviour file"],
    [
      { seed: { groups: [{ name: "A" }, { nam: "B" }] } },
      "seed.groups[1].nam",
      "did you mean name?",
    ],
    [
      { seed: { groups: [{ name: "A", send_birthday: "yes" }] } },
      "seed.groups[0].send_birthday",
      "yes",
    ],
    [
      { behaviour: { per_page_max: "x" } },
      "behaviour.per_page_max",
      "behaviour.per_page_max must be a whole number",
    ],
    [{ seed: { groups: [{ name: "A", sender_id: "NONE" }] } }, "seed.groups[0].sender_id", "NONE"],
    [{ behaviour: { nope: 1 } }, "behaviour.nope", "is not a known switch"],
    [{ behaviour: true }, "behaviour", "an object of switches"],
    [{ behaviour: "-" }, "behaviour", "the path of a behaviour file"],
    [{ faults: "group.list:status=503" }, "faults", "an array of strings"],
    [{ faults: Array(1) }, "faults", "an array of strings"],
    [{ faults: ["*:latency=1s", "nope:status=503"] }, "faults[1]", "unknown operation"],
    [{ rateLimit: 0 }, "rateLimit", "whole number"],
    [{ autoApproveAfter: 5 }, "autoApproveAfter", "a duration"],
    [{ key: "short" }, "key", "16 or more visible"],
  ])("%j", async (options, field, message) => {
    await expect(startService(options)).rejects.toMatchObject({
      name: "SendctlError",
      kind: "usage",
      field,
      message: expect.stringContaining(message),
    });
  });

  test("an option that it does not know, and names the nearest one or all of them", async () => {
    const near = { hint: "did you mean seed?" };
    await expect(startService({ sed: {} })).rejects.toMatchObject(near);
    const all = { hint: "use seed, behaviour, faults, rateLimit, autoApproveAfter, key, tls" };
    await expect(startService({ port: 4010 })).rejects.toMatchObject(all);
  });

  test("a call with a value that it does not know, and stays as it was", async () => {
    const service = await start({ seed, faults: ["group.delete:status=500"] });
    await expect(service.review("NONE", "APPROVED")).rejects.toEqual(refused("name"));
    await expect(service.review("ACME", "OPEN" as never)).rejects.toEqual(refused("status"));
    await expect(service.review(5 as never, "APPROVED")).rejects.toEqual(refused("name"));
    await expect(service.integration("")).rejects.toEqual(refused("name"));
    for (const integration of ["none", undefined as never]) {
      await expect(service.reset({ integration })).rejects.toEqual(refused("integration"));
    }
    await expect(service.reset({ all: true } as never)).rejects.toEqual(refused("all"));
    for (const wrong of [null, [], "worker 1"]) {
      await expect(service.reset(wrong as never)).rejects.toEqual(refused("options"));
    }
    expect(() => service.faults(Array(1))).toThrow(refused("faults"));
    expect(() => service.faults(["group.none:status=1"])).toThrow(refused("faults[0]"));
    expect((await send(service, "DELETE", "/group/1")).status).toBe(500);
    expect(await names(service)).toEqual(["Customers", "Friends"]);
  });

  test("a damaged backup, and names the option", async () => {
    const folder = await mkdtemp(join(quickFolder, "sendctl-seed-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const backup = join(folder, "backup.db");
    await writeFile(backup, "SQLite format 3\0and nothing else");
    await expect(startService({ seed: backup })).rejects.toMatchObject({
      kind: "database",
      field: "seed",
    });
  });

  test("calls once it is closed, also those that were on their way", async () => {
    const service = await start({ seed });
    const calls = [() => service.reset(), () => service.review("ACME", "APPROVED")];
    const early = Promise.allSettled(calls.map((call) => call()));
    await service.close();
    const late = Promise.allSettled(calls.map((call) => call()));
    for (const result of [...(await early), ...(await late)]) {
      if (result.status === "fulfilled") continue;
      expect(result.reason).toMatchObject({ kind: "usage", message: "the service is closed" });
    }
    expect((await late).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});
