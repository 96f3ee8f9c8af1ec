import { expect, onTestFinished, test } from "vitest";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { createEmbedded, type Embedded } from "../../../src/engine/embedded.ts";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import type { RequestLogEntry } from "../../../src/server/request-log.ts";
import { startServing } from "../../../src/server/serve.ts";
import { expectRefusal, newKey, send } from "../../server/running-server.ts";
import { describeOnPostgres, nowhere } from "./postgres-database.ts";

const now = (): number => Date.now() * 1000;

interface Starting {
  readonly behaviour?: PartialBehaviour;
  readonly rateLimit?: number;
}

/** Starts a server on a database, and counts the keys that it looks up. */
async function startOn(url: string, { behaviour, rateLimit }: Starting = {}) {
  const engine = createEmbedded(await openPostgresStore(url, nowhere, now), now, behaviour);
  const served: RequestLogEntry[] = [];
  let lookUps = 0;
  const counting: Embedded = {
    ...engine,
    callerOf: (key) => {
      lookUps += 1;
      return engine.callerOf(key);
    },
  };
  const serving = await startServing(
    counting,
    { host: "127.0.0.1", port: 0, rateLimit, served: (one) => void served.push(one) },
    { elapsed: () => performance.now(), printError: async () => {} },
  );
  onTestFinished(async () => {
    serving.abort();
    await serving.stop();
    await engine.close();
  });
  return { engine, port: serving.port, served, lookUps: () => lookUps };
}

const senderId = { name: "ACME", purpose: "Receipts" };

type Create =
  | "group"
  | "group with a sender ID"
  | "sender ID"
  | "taken name"
  | "invalid body"
  | "malformed body";

/** Creates that a valid key would have carried out, or refused: as taken, invalid, or not JSON. */
const creates: Readonly<Record<Create, readonly [path: string, body: unknown]>> = {
  group: ["group", { name: "Kin" }],
  "group with a sender ID": ["group", { name: "Kin", sender_id: "ACME" }],
  "sender ID": ["sender-id", { ...senderId, name: "NEW" }],
  "taken name": ["sender-id", senderId],
  "invalid body": ["group", {}],
  "malformed body": ["group", "{"],
};

describeOnPostgres((server) => {
  let schemas = 0;

  /** Starts two servers on a new database, the first of which remembers a key of the integration "shop". */
  async function startTwo(starting?: Starting) {
    schemas += 1;
    const url = server().url(`keys${schemas}`);
    const one = await startOn(url, {
      ...starting,
      behaviour: { update_fields_in_create: "stored", ...starting?.behaviour },
    });
    const other = await startOn(url);
    const { administration } = other.engine;
    await administration.createIntegration("shop");
    const key = await newKey(other.engine, "shop");
    const post = (path: string, body: unknown) =>
      send({ port: one.port, key }, "POST", `/v1/${path}`, { body });
    expect((await post("sender-id", senderId)).status).toBeLessThan(300);
    expect(one.lookUps()).toBe(1);
    const counts = async () => {
      const integrations = await other.engine.administration.listIntegrations();
      return (integrations.envelope!.data as { readonly data: readonly object[] }).data;
    };
    return { one, key, post, counts, administration };
  }

  test("a create looks its key up once, and again to be refused", async () => {
    const { one, post } = await startTwo();
    expect((await post(...creates.group)).status).toBe(201);
    expect((await post(...creates["group with a sender ID"])).status).toBe(201);
    expect((await post(...creates["sender ID"])).status).toBe(201);
    expect(one.lookUps()).toBe(1);
    expect(new Set(one.served.map(({ key_id: key }) => key))).toEqual(new Set([1]));
    expect((await post(...creates["taken name"])).status).toBe(409);
    expectRefusal(await post(...creates["invalid body"]), 422);
    expectRefusal(await post(...creates["malformed body"]), 400);
    expect(one.lookUps()).toBe(4);
  });

  for (const [name, create] of Object.entries(creates)) {
    test(`a key that another server has revoked cannot create: ${name}`, async () => {
      const { one, post, counts, administration } = await startTwo();
      await administration.revokeKey("1");
      const before = await counts();
      for (let round = 0; round < 2; round += 1) {
        const refused = await post(...create);
        expectRefusal(refused, 401);
        expect(refused.headers["www-authenticate"]).toBe("Bearer");
      }
      expect(await counts()).toEqual(before);
      expect(one.served.at(-1)).toMatchObject({ status: 401, key_id: undefined });
    });
  }

  test("the key of an integration that another server has deleted cannot create", async () => {
    const { post, counts, administration } = await startTwo();
    await administration.deleteIntegration("shop");
    for (const create of Object.values(creates)) expectRefusal(await post(...create), 401);
    expect(await counts()).toMatchObject([{ name: "default", groups_count: 0 }]);
  });

  test("a key that is created again creates where it then belongs", async () => {
    const { one, key, post, counts, administration } = await startTwo();
    await administration.revokeKey("1");
    await administration.createKey("default", key);
    expect((await post(...creates.group)).status).toBe(201);
    expect((await post(...creates.group)).status).toBe(201);
    expect(one.lookUps()).toBe(2);
    expect(one.served.at(-1)).toMatchObject({ key_id: 2 });
    expect(await counts()).toMatchObject([
      { name: "shop", groups_count: 0 },
      { name: "default", groups_count: 2 },
    ]);
  });

  test("every key is looked up if refusals have the status of success", async () => {
    const { one, post, administration } = await startTwo({
      behaviour: { error_status: "always_200" },
    });
    expect((await post(...creates.group)).status).toBe(201);
    expect(one.lookUps()).toBe(2);
    await administration.revokeKey("1");
    expect((await post(...creates["invalid body"])).text).toContain("Invalid key");
  });

  test("a rate limit applies to creates", async () => {
    const { post } = await startTwo({ rateLimit: 2 });
    expect((await post(...creates.group)).status).toBe(201);
    expectRefusal(await post(...creates.group), 429);
  });
});
