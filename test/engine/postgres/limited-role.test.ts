import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../../src/engine/store/store.ts";
import { someTime, thrownBy, unsetFields } from "../support/engine-fixtures.ts";
import { until } from "../../support/waiting.ts";
import { connectTo, describeOnPostgres, openStore, runSql } from "./postgres-database.ts";
import type { PostgresServer } from "../../support/postgres-server.mjs";

const maxConnections = 3;
const group = { ...unsetFields, name: "G" };

/** Creates a role with a limit. Returns the address of a schema of its own. */
async function limitedRole(server: PostgresServer, role: string, more = ""): Promise<string> {
  const create = `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${maxConnections}`;
  await runSql(server, "public", create, `CREATE SCHEMA ${role} AUTHORIZATION ${role}`);
  return `postgres://${role}@127.0.0.1:${server.port}/postgres?schema=${role}&pool=8${more}`;
}

const open = (url: string): Promise<Store> => openStore(url, () => someTime);

/** Sends requests from 50 clients, one write among five. Returns why any failed. */
async function failuresOf(store: Store, rounds: number): Promise<string[]> {
  const failures = new Set<string>();
  const client = async (index: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      // As from a network, the requests arrive one after the other.
      await sleep(index % 10);
      const isWrite = (index + round) % 5 === 0;
      const request = isWrite ? store.insertGroup(1, group) : store.sliceOfGroups(1, 0, 100);
      await request.catch((error: unknown) => void failures.add(String(error)));
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, index) => client(index)));
  return [...failures];
}

describeOnPostgres((server) => {
  test("requests share the connections that the limit of the role leaves", async () => {
    const store = await open(await limitedRole(server(), "few"));
    expect(await failuresOf(store, 10)).toEqual([]);
    expect(await store.sliceOfGroups(1, 0, 1000)).toMatchObject({ total: 100 });
  });

  test("a store opens no more connections than its address allows", async () => {
    const url = await limitedRole(server(), "modest");
    const store = await open(url.replace("pool=8", "pool=2"));
    expect(await failuresOf(store, 5)).toEqual([]);
    const client = await connectTo(server());
    onTestFinished(() => client.end());
    const count = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'modest'";
    expect((await client.query(count)).rows).toEqual([{ count: 2 }]);
  });

  test("without any connection, a request fails, and the next one finds one", async () => {
    const url = await limitedRole(server(), "vain");
    const store = await open(url);
    const end =
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'vain'";
    await runSql(server(), "public", end);
    const taken = Array.from(
      { length: maxConnections },
      () => new Client({ connectionString: url }),
    );
    await Promise.all(taken.map((client) => client.connect()));
    const error = await thrownBy(() => store.sliceOfGroups(1, 0, 1));
    expect(error).toMatchObject({ kind: "database", details: { database: "full" } });
    await Promise.all(taken.map((client) => client.end()));
    await until("a connection is free", async () => {
      const read = await store.sliceOfGroups(1, 0, 1).catch(() => undefined);
      return read?.total === 0;
    });
  });
});
