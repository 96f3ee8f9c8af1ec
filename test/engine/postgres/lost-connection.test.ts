import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Store } from "../../../src/engine/store/store.ts";
import { insertGroup, unsetFields } from "../support/engine-fixtures.ts";
import { until } from "../../support/waiting.ts";
import {
  connectTo,
  describeOnPostgres,
  openStore,
  runSql,
  startRelay,
} from "./postgres-database.ts";
import type { PostgresServer } from "../../support/postgres-server.mjs";

/** When to cut the first connection that sends the word. All other connections pass. */
type Cut =
  /** Before the word is forwarded. */
  | "before"
  /** After the server has run what was sent with the word, but before the client gets any result. */
  | "result"
  /** After the word is forwarded, by `cutNow`. */
  | "running";

interface Relay {
  readonly port: number;
  readonly cutNow: () => void;
  /** Lets connections through again after a lasting cut. */
  readonly reconnect: () => void;
}

interface CutOptions {
  /** Whether all connections fail after the cut, until `reconnect`. */
  readonly lasts?: boolean;
}

async function startCuttingRelay(
  server: PostgresServer,
  word: string,
  cut: Cut,
  { lasts = false }: CutOptions,
): Promise<Relay> {
  let isCut = false;
  let isDown = false;
  let cutNow: (() => void) | undefined;
  const { port, sockets } = await startRelay(server, (client, server) => {
    if (isDown) {
      client.destroy();
      server.destroy();
      return;
    }
    let isTarget = false;
    client.on("data", (chunk) => {
      if (!isCut && chunk.includes(word)) {
        isCut = isTarget = true;
        if (lasts) disconnect(client, server);
        if (cut === "before") {
          client.destroy();
          server.destroy();
          return;
        }
        cutNow = () => void client.destroy();
      }
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (isTarget && cut === "result") client.destroy();
      else if (!client.destroyed) client.write(chunk);
    });
    client.on("close", () => (isTarget && cut !== "before" ? undefined : server.end()));
  });
  const disconnect = (...except: readonly Socket[]): void => {
    isDown = true;
    for (const socket of sockets) if (!except.includes(socket)) socket.destroy();
  };
  return {
    port,
    cutNow: () => cutNow!(),
    reconnect: () => {
      isDown = false;
    },
  };
}

let schemas = 0;

const open = (url: string): Promise<Store> => openStore(url, () => Date.now() * 1000);

/** Opens a store whose connection is cut at the word, and a second one that shows the outcome. */
async function openCut(server: PostgresServer, word: string, cut: Cut, options: CutOptions = {}) {
  const schema = `lost${(schemas += 1)}`;
  const url = server.url(schema);
  const observer = await open(url);
  const { port, ...relay } = await startCuttingRelay(server, word, cut, options);
  const store = await open(url.replace(`:${server.port}/`, `:${port}/`));
  return { observer, store, schema, ...relay };
}

const insert = (store: Store, name: string) => insertGroup(store, 1, { name });

async function* contacts() {
  yield [{ phone: "+441", first_name: null, birth_date: null }];
}

async function names(store: Store): Promise<string[]> {
  const { items } = await store.sliceOfGroups(1, 0, 1000);
  return items.map(({ name }) => name).toSorted();
}

describeOnPostgres((server) => {
  for (const [cut, stored] of [
    ["before", []],
    ["result", ["CUT-HERE"]],
  ] as const) {
    test(`a write whose connection is lost is outcome_unknown, and not sent again: ${cut}`, async () => {
      const { store, observer } = await openCut(server(), "CUT-HERE", cut);
      await expect(insert(store, "CUT-HERE")).rejects.toMatchObject({ kind: "outcome_unknown" });
      expect(await names(observer)).toEqual(stored);
      await insert(store, "Next");
      expect(await names(observer)).toEqual([...stored, "Next"]);
    });
  }

  test("a write that still runs when its connection is lost is not sent again", async () => {
    const { store, observer, schema, cutNow } = await openCut(server(), "CUT-HERE", "running");
    const other = await connectTo(server(), schema);
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT 1 FROM integration FOR UPDATE");
    const failure = insert(store, "CUT-HERE").catch((error: unknown) => error);
    await until("the write waits for the lock above", async () => {
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      return (await runSql(server(), schema, waiting)).length === 1;
    });
    cutNow();
    expect(await failure).toMatchObject({ kind: "outcome_unknown" });
    await other.query("COMMIT");
    await until("the write is done", async () => (await names(observer)).length > 0);
    expect(await names(observer)).toEqual(["CUT-HERE"]);
  });

  for (const [word, cut, kind, stored] of [
    ["CUT-HERE", "before", "database", []],
    ["COMMIT\0", "before", "outcome_unknown", []],
    ["COMMIT\0", "result", "outcome_unknown", ["CUT-HERE", "One"]],
  ] as const) {
    test(`a transaction whose connection is lost at ${word}, ${cut}, is ${kind}`, async () => {
      const { store, observer } = await openCut(server(), word, cut);
      const groups = ["One", "CUT-HERE"].map((name) => ({
        name,
        sender_id: null,
        uuid: randomUUID(),
        ...unsetFields,
      }));
      const write = store.insertMany(1, "contact_group", groups);
      await expect(write).rejects.toMatchObject({ kind });
      expect(await names(observer)).toEqual(stored);
      await insert(store, "Next");
    });
  }

  test("a write without any connection was not done", async () => {
    const { store, observer, reconnect } = await openCut(server(), "CUT-HERE", "before", {
      lasts: true,
    });
    await expect(insert(store, "CUT-HERE")).rejects.toMatchObject({ kind: "outcome_unknown" });
    await expect(insert(store, "Offline")).rejects.toMatchObject({ kind: "database" });
    reconnect();
    await insert(store, "Next");
    expect(await names(observer)).toEqual(["Next"]);
  });

  for (const [cut, count] of [
    ["before", 0],
    ["result", 1],
  ] as const) {
    test(`an import whose commit is lost is outcome_unknown: ${cut}`, async () => {
      const { store, observer } = await openCut(server(), "COMMIT\0", cut);
      await insert(observer, "Friends");
      const given = ["phone", "first_name", "birth_date"] as const;
      const put = store.importContacts(1, { id: 1 }, contacts(), given, {});
      await expect(put).rejects.toMatchObject({ kind: "outcome_unknown" });
      expect(await observer.contactsAfter(1, 1, "", 10)).toHaveLength(count);
      expect(await observer.groupByKey(1, { id: 1 })).toMatchObject({ contacts_count: count });
    });
  }

  test("a read is retried", async () => {
    const { store, observer } = await openCut(server(), "CUT-HERE", "result");
    await observer.insertSenderId(1, { name: "CUT-HERE", purpose: "p", status: "PENDING" });
    expect(await store.senderIdByName(1, "CUT-HERE")).toMatchObject({ id: 1 });
  });

  test("after crashes of PostgreSQL, every acknowledged write exists exactly once", async () => {
    const url = server().url("crash");
    const stores = [await open(url), await open(url), await open(url)];
    const stop = new AbortController();
    const acknowledged: { readonly id: number; readonly name: string; readonly at: number }[] = [];
    /** The names that each kind of failure was reported for. */
    const refused = new Map<string, Set<string>>();
    let tried = 0;
    const client = async (which: number): Promise<void> => {
      while (!stop.signal.aborted) {
        const name = `Group ${(tried += 1)}`;
        try {
          const { id, created_at } = await insert(stores[which % 3]!, name);
          acknowledged.push({ id, name, at: created_at });
        } catch (error) {
          const { kind } = error as { kind: string };
          refused.set(kind, (refused.get(kind) ?? new Set()).add(name));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    };
    const clients = Array.from({ length: 30 }, (_, which) => client(which));
    const acknowledge = (count: number): Promise<void> => {
      const wanted = acknowledged.length + count;
      return until(`${count} more writes succeed`, () => acknowledged.length >= wanted);
    };
    for (let crash = 0; crash < 2; crash += 1) {
      await acknowledge(100);
      await server().crash();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await server().start();
    }
    // The stores recover without help.
    await acknowledge(100).finally(() => stop.abort());
    await Promise.all(clients);
    const found: { readonly id: number; readonly name: string; readonly created_at: number }[] = [];
    for (let skip = 0; ; skip += 1000) {
      const { items } = await stores[0]!.sliceOfGroups(1, skip, 1000);
      found.push(...items);
      if (items.length < 1000) break;
    }
    const counts = new Map<string, number>();
    for (const { name } of found) counts.set(name, (counts.get(name) ?? 0) + 1);
    expect(acknowledged.filter(({ name }) => counts.get(name) !== 1)).toEqual([]);
    // Unacknowledged writes do not exist twice either.
    expect(Math.max(...counts.values())).toBe(1);
    // Of the unacknowledged writes, only those with an unknown outcome may exist.
    const known = new Set(acknowledged.map(({ name }) => name));
    const others = [...counts.keys()].filter((name) => !known.has(name));
    expect(others.filter((name) => refused.get("outcome_unknown")?.has(name) !== true)).toEqual([]);
    expect(
      [...refused.keys()].filter((kind) => !["database", "outcome_unknown"].includes(kind)),
    ).toEqual([]);
    // The acknowledged records match the stored ones.
    const stored = new Map(found.map((one) => [one.name, one]));
    expect(
      acknowledged.filter(({ id, name, at }) => {
        const one = stored.get(name);
        return one?.id !== id || one.created_at !== at;
      }),
    ).toEqual([]);
    const times = found.toReversed().map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(times).size).toBe(times.length);
    const [totals] = await stores[1]!.integrations();
    expect(totals!.groups_count).toBe(found.length);
  });
});
