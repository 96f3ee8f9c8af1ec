import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Store, SeedStore } from "../../../src/engine/store/store.ts";
import { insertGroup } from "../support/engine-fixtures.ts";
import { until } from "../../support/waiting.ts";
import { connectTo, describeOnPostgres, openStore, runSql } from "./postgres-database.ts";
import type { PostgresServer } from "../../support/postgres-server.mjs";

const group = { send_birthday: false, send_holiday: null, birthday_message: null };

/** When to cut the first connection that sends the word. All other connections pass. */
type Cut =
  /** Before the word is forwarded. */
  | "before"
  /** After the server has committed what was sent with the word, but before the client gets any result. */
  | "result"
  /** After the word is forwarded, by `cutNow`. */
  | "running"
  /** After the whole result except its last bytes, those of the commit. */
  | "commit"
  /** After the client has sent everything from the word to the commit, which reaches the server by `arriveLate`. */
  | "late";

interface Relay {
  readonly port: number;
  /** Forwards the delayed statements. Fulfilled when the server has run them and closed their connection. */
  readonly arriveLate: () => Promise<void>;
  readonly cutNow: () => void;
  /** Lets connections through again after a lasting cut. */
  readonly reconnect: () => void;
}

interface CutOptions {
  /** Whether all connections fail after the cut, until `reconnect`. */
  readonly lasts?: boolean;
  /** Number of times the word passes before the cut (default: 0). */
  readonly passes?: number;
}

async function startRelay(
  { port }: PostgresServer,
  word: string,
  cut: Cut,
  { lasts = false, passes = 0 }: CutOptions,
): Promise<Relay> {
  let left = passes;
  const matches = (chunk: Buffer): boolean => !isCut && chunk.includes(word) && left-- === 0;
  let isCut = false;
  let isDown = false;
  let cutNow: (() => void) | undefined;
  let arriveLate: (() => Promise<void>) | undefined;
  const sockets = new Set<Socket>();
  const disconnect = (...except: readonly Socket[]): void => {
    isDown = true;
    for (const socket of sockets) if (!except.includes(socket)) socket.destroy();
  };
  const relay = createServer((client) => {
    if (isDown) {
      client.destroy();
      return;
    }
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    let isTarget = false;
    const delayed: Buffer[] = [];
    client.on("data", (chunk) => {
      if (cut === "late" && (isTarget || matches(chunk))) {
        isCut = isTarget = true;
        if (lasts) disconnect(client, server);
        delayed.push(chunk);
        if (!chunk.includes("COMMIT")) return;
        client.destroy();
        arriveLate = async () => {
          server.end(Buffer.concat(delayed));
          await once(server, "close");
        };
        return;
      }
      if (cut !== "late" && matches(chunk)) {
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
      // The server may send the results of one chunk in several.
      const end = chunk.lastIndexOf("COMMIT");
      if (isTarget && cut === "result") {
        if (end >= 0) client.destroy();
      } else if (isTarget && cut === "commit") {
        client.write(end < 0 ? chunk : chunk.subarray(0, Math.max(0, end - 5)), () => {
          if (end >= 0) client.destroy();
        });
      } else if (!client.destroyed) client.write(chunk);
    });
    client.on("close", () => (isTarget && cut !== "before" ? undefined : server.end()));
    server.on("close", () => client.end());
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  return {
    port: (relay.address() as AddressInfo).port,
    arriveLate: () => arriveLate!(),
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
  const { port, ...relay } = await startRelay(server, word, cut, options);
  const store = await open(url.replace(`:${server.port}/`, `:${port}/`));
  return { observer, store, schema, ...relay };
}

/** Speeds up the clock, so that the test does not wait for the full time in which a store looks up an outcome. */
function speedUpClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  const ahead = setInterval(() => vi.setSystemTime(Date.now() + 1000), 20);
  onTestFinished(() => {
    clearInterval(ahead);
    vi.useRealTimers();
  });
}

const insert = (store: Store, name: string) => insertGroup(store, 1, { name, ...group });

async function* contacts() {
  yield [{ phone: "+441", firstName: null, birthDate: null }];
}

async function names(store: Store): Promise<string[]> {
  const { items } = await store.sliceOfGroups(1, 0, 1000);
  return items.map(({ name }) => name).toSorted();
}

describeOnPostgres((server) => {
  for (const [cut, word] of [
    ["before", "CUT-HERE"],
    ["late", "BEGIN"],
  ] as const) {
    test(`a write that did not arrive is sent again and takes effect once: ${cut}`, async () => {
      const { store, observer, arriveLate } = await openCut(server(), word, cut);
      const created = await Promise.all(
        ["One", "CUT-HERE", "Two"].map((name) => insert(store, name)),
      );
      expect(new Set(created.map(({ id }) => id)).size).toBe(3);
      if (cut === "late") await arriveLate();
      expect(await names(observer)).toEqual(["CUT-HERE", "One", "Two"]);
    });
  }

  for (const passes of [0, 1]) {
    test(`a write that arrives late does not undo later writes: write ${passes + 1}`, async () => {
      const { store, observer, arriveLate } = await openCut(server(), "BEGIN", "late", { passes });
      await insert(passes === 0 ? observer : store, "Friends");
      const rename = (name: string) => store.updateGroup(1, { id: 1 }, { name });
      expect(await rename("Kin")).toMatchObject({ name: "Kin" });
      expect(await rename("Kith")).toMatchObject({ name: "Kith" });
      await arriveLate();
      expect(await names(observer)).toEqual(["Kith"]);
    });
  }

  test("a write succeeds once if the result of its commit is lost", async () => {
    const { store, observer } = await openCut(server(), "CUT-HERE", "commit");
    const created = await insert(store, "CUT-HERE");
    expect(created).toMatchObject({ id: 1, name: "CUT-HERE" });
    expect(await names(observer)).toEqual(["CUT-HERE"]);
    expect(await insert(store, "Next")).toMatchObject({ id: 2 });
  });

  test("a committed write whose result is lost is reported as outcome_unknown", async () => {
    const { store, observer } = await openCut(server(), "CUT-HERE", "result");
    await expect(insert(store, "CUT-HERE")).rejects.toMatchObject({ kind: "outcome_unknown" });
    expect(await names(observer)).toEqual(["CUT-HERE"]);
    expect(await insert(store, "Next")).toMatchObject({ name: "Next" });
  });

  test("a write that still runs when its connection is lost is not sent again", async () => {
    const { store, observer, schema, cutNow } = await openCut(server(), "CUT-HERE", "running");
    const other = await connectTo(server(), schema);
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT 1 FROM integration FOR UPDATE");
    const failure = insert(store, "CUT-HERE").catch((error: unknown) => error);
    /** Waits until statements wait for locks. */
    const wait = (what: string, count: number): Promise<void> =>
      until(what, async () => {
        const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        return (await runSql(server(), schema, waiting)).length === count;
      });
    await wait("the write waits for the lock above", 1);
    cutNow();
    await wait("the lookup of its outcome waits for the write", 2);
    await other.query("COMMIT");
    expect(await failure).toMatchObject({ kind: "outcome_unknown" });
    expect(await names(observer)).toEqual(["CUT-HERE"]);
  });

  /** Writes in a shared transaction and in a separate one. */
  const writes: Readonly<Record<string, (store: Store, seeding: SeedStore) => Promise<unknown>[]>> =
    {
      "writes that share a transaction": (store) =>
        ["One", "CUT-HERE", "Two"].map((name) => insert(store, name)),
      "a write of many records": (_, { insertManyGroups }) => [
        insertManyGroups(
          1,
          ["One", "CUT-HERE", "Two"].map((name) => ({ name, senderId: null, ...group })),
          () => randomUUID,
        ),
      ],
    };

  for (const [what, write] of Object.entries(writes)) {
    // The write of many records waits for results in between, so its commit is a separate message.
    const word = what === "a write of many records" ? "COMMIT" : "CUT-HERE";
    for (const [cut, found] of [
      ["result", ["CUT-HERE", "One", "Two"]],
      ["before", []],
    ] as const) {
      const outcome = cut === "result" ? "committed" : "lost";
      test(`${what}, ${outcome} while the network stays down: the outcome is unknown`, async () => {
        const { store, observer, reconnect } = await openCut(server(), word, cut, { lasts: true });
        const seeding = await store.seeding();
        speedUpClock();
        const outcomes = await Promise.allSettled(write(store, seeding));
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({
            status: "rejected",
            reason: { kind: "outcome_unknown" },
          });
        }
        expect(await names(observer)).toEqual(found);
        // A write without any connection was not done.
        await expect(insert(store, "Offline")).rejects.toMatchObject({ kind: "database" });
        reconnect();
        await insert(store, "Next");
        expect(await names(observer)).toEqual([...found, "Next"].toSorted());
      });
    }
  }

  test("an import whose commit cannot be looked up is outcome_unknown", async () => {
    const { store, observer } = await openCut(server(), "COMMIT", "result", { lasts: true });
    await insert(observer, "Friends");
    speedUpClock();
    const given = { firstName: true, birthDate: true };
    const put = store.importContacts(1, { id: 1 }, contacts(), given, async () => {});
    await expect(put).rejects.toMatchObject({ kind: "outcome_unknown" });
    expect(await observer.contactsAfter(1, "", 10)).toHaveLength(1);
    expect(await observer.groupByKey(1, { id: 1 })).toMatchObject({ contacts_count: 1 });
  });

  test("an import whose commit does not arrive fails, and adds nothing", async () => {
    const { store, observer } = await openCut(server(), "COMMIT", "before");
    await insert(observer, "Friends");
    const given = { firstName: true, birthDate: true };
    const put = store.importContacts(1, { id: 1 }, contacts(), given, async () => {});
    await expect(put).rejects.toMatchObject({ kind: "database" });
    expect(await observer.contactsAfter(1, "", 10)).toHaveLength(0);
    expect(await observer.groupByKey(1, { id: 1 })).toMatchObject({ contacts_count: 0 });
  });

  test("a read is retried", async () => {
    const { store, observer } = await openCut(server(), "CUT-HERE", "result");
    await observer.insertSenderId(1, { name: "CUT-HERE", purpose: "p", status: "PENDING" });
    expect(await store.senderIdByName(1, "CUT-HERE")).toMatchObject({ id: 1 });
  });

  test("an import succeeds once if the result of its commit is lost", async () => {
    const { store, observer } = await openCut(server(), "COMMIT", "commit");
    await insert(observer, "Friends");
    const given = { firstName: true, birthDate: true };
    const put = store.importContacts(1, { id: 1 }, contacts(), given, async () => {});
    expect(await put).toMatchObject({ added: 1, group: { contacts_count: 1 } });
    expect(await observer.contactsAfter(1, "", 10)).toHaveLength(1);
    expect(await observer.groupByKey(1, { id: 1 })).toMatchObject({ contacts_count: 1 });
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
    for (let crash = 0; crash < 3; crash += 1) {
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
    expect(totals!.groups).toBe(found.length);
  });
});
