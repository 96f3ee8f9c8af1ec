import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import type { Store } from "../../../src/engine/store.ts";
import { describeOnPostgres } from "./postgres-database.ts";
import type { PostgresServer } from "./postgres-server.ts";

const group = { send_birthday: false, send_holiday: null, birthday_message: null };

/** What happens to the first connection that carries the word, once; all others pass. */
type Cut =
  /** Ended before the word has gone on. */
  | "before"
  /** Ended when the word has gone on: it is carried out, and nothing of the answer comes back. */
  | "answer"
  /** Ended when all of the answer but the last bytes, those of the commit, has come back. */
  | "commit"
  /** Ended for the client once it has said all, from the word to the commit, which arrives late. */
  | "late";

interface Relay {
  readonly port: number;
  /** Fulfilled when what was held back has been carried out, and its connection has ended. */
  readonly carriedOut: Promise<unknown>;
  /** Has connections go through again, after a cut that lasts. */
  readonly reconnect: () => void;
}

interface CutOptions {
  /** Whether no connection goes through any more after the cut. */
  readonly lasts?: boolean;
  /** How often the word passes before the cut (default: 0). */
  readonly passes?: number;
}

async function startRelay(
  { port }: PostgresServer,
  word: string,
  cut: Cut,
  { lasts = false, passes = 0 }: CutOptions,
): Promise<Relay> {
  let left = passes;
  const isMet = (chunk: Buffer): boolean => !isCut && chunk.includes(word) && left-- === 0;
  let isCut = false;
  let isDown = false;
  const ends = new EventEmitter();
  const carriedOut = once(ends, "carried out");
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
    let isOurs = false;
    const held: Buffer[] = [];
    client.on("data", (chunk) => {
      if (cut === "late" && (isOurs || isMet(chunk))) {
        isCut = isOurs = true;
        if (lasts) disconnect(client, server);
        held.push(chunk);
        if (!chunk.includes("COMMIT")) return;
        client.destroy();
        server.once("close", () => ends.emit("carried out"));
        setTimeout(() => server.end(Buffer.concat(held)), 300);
        return;
      }
      if (cut !== "late" && isMet(chunk)) {
        isCut = isOurs = true;
        if (lasts) disconnect(client, server);
        if (cut === "before") {
          client.destroy();
          server.destroy();
          return;
        }
        server.write(chunk);
        if (cut === "answer") client.destroy();
        return;
      }
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (isOurs && cut === "commit") {
        const end = chunk.lastIndexOf("COMMIT");
        client.write(end < 0 ? chunk : chunk.subarray(0, Math.max(0, end - 5)), () => {
          if (end >= 0) client.destroy();
        });
      } else if (!client.destroyed) client.write(chunk);
    });
    client.on("close", () => (isOurs && cut !== "before" ? undefined : server.end()));
    server.on("close", () => client.end());
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  return {
    port: (relay.address() as AddressInfo).port,
    carriedOut,
    reconnect: () => {
      isDown = false;
    },
  };
}

let schemas = 0;

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(
    url,
    { env: {}, home: "/", folder: "/nowhere" },
    () => Date.now() * 1000,
  );
  onTestFinished(() => store.close());
  return store;
}

/** A store whose network fails when the word comes by, and one beside it that sees what became of it. */
async function openCut(server: PostgresServer, word: string, cut: Cut, options: CutOptions = {}) {
  const url = server.url(`losing${(schemas += 1)}`);
  const beside = await open(url);
  const { port, ...relay } = await startRelay(server, word, cut, options);
  const store = await open(url.replace(`:${server.port}/`, `:${port}/`));
  return { beside, store, ...relay };
}

/** Has the clock run ahead: how long a store looks for an outcome is not what is waited for here. */
function hurry(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  const ahead = setInterval(() => vi.setSystemTime(Date.now() + 1000), 20);
  onTestFinished(() => {
    clearInterval(ahead);
    vi.useRealTimers();
  });
}

const insert = (store: Store, name: string) => store.insertGroup(1, { name, ...group });

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
    test(`a write that did not arrive is sent again, and done once: ${cut}`, async () => {
      const { store, beside, carriedOut } = await openCut(server(), word, cut);
      const made = await Promise.all(["One", "CUT-HERE", "Two"].map((name) => insert(store, name)));
      expect(new Set(made.map(({ id }) => id)).size).toBe(3);
      if (cut === "late") await carriedOut;
      expect(await names(beside)).toEqual(["CUT-HERE", "One", "Two"]);
    });
  }

  for (const passes of [0, 1]) {
    test(`what arrives late does not undo what came after it: write ${passes + 1}`, async () => {
      const { store, beside, carriedOut } = await openCut(server(), "BEGIN", "late", { passes });
      await insert(passes === 0 ? beside : store, "Friends");
      const rename = (name: string) => store.updateGroup(1, { id: 1 }, { name });
      expect(await rename("Kin")).toMatchObject({ name: "Kin" });
      expect(await rename("Kith")).toMatchObject({ name: "Kith" });
      await carriedOut;
      expect(await names(beside)).toEqual(["Kith"]);
    });
  }

  test("a write whose commit was not answered is found to be done, and done once", async () => {
    const { store, beside } = await openCut(server(), "CUT-HERE", "commit");
    const made = await insert(store, "CUT-HERE");
    expect(made).toMatchObject({ id: 1, name: "CUT-HERE" });
    expect(await names(beside)).toEqual(["CUT-HERE"]);
    expect(await insert(store, "Next")).toMatchObject({ id: 2 });
  });

  test("a write that was done, and whose answer is lost, is not said to be undone", async () => {
    const { store, beside } = await openCut(server(), "CUT-HERE", "answer");
    await expect(insert(store, "CUT-HERE")).rejects.toMatchObject({ kind: "outcome_unknown" });
    expect(await names(beside)).toEqual(["CUT-HERE"]);
    expect(await insert(store, "Next")).toMatchObject({ name: "Next" });
  });

  /** Ways to write: in a transaction with others, and in one of its own. */
  const writes: Readonly<Record<string, (store: Store) => Promise<unknown>[]>> = {
    "writes that share a transaction": (store) =>
      ["One", "CUT-HERE", "Two"].map((name) => insert(store, name)),
    "a write of many records": (store) => [
      store.insertManyGroups(
        1,
        ["One", "CUT-HERE", "Two"].map((name) => ({ name, senderId: null, ...group })),
        () => randomUUID,
      ),
    ],
  };

  for (const [what, write] of Object.entries(writes)) {
    // The write of many records waits for answers in between: its commit is a message of its own.
    const word = what === "a write of many records" ? "COMMIT" : "CUT-HERE";
    for (const [cut, found] of [
      ["answer", ["CUT-HERE", "One", "Two"]],
      ["before", []],
    ] as const) {
      const became = cut === "answer" ? "done" : "not done";
      test(`${what}: ${became}, and nobody can tell, which is unknown and not unavailable`, async () => {
        const { store, beside, reconnect } = await openCut(server(), word, cut, { lasts: true });
        hurry();
        const outcomes = await Promise.allSettled(write(store));
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({
            status: "rejected",
            reason: { kind: "outcome_unknown" },
          });
        }
        expect(await names(beside)).toEqual(found);
        // What is sent while there is no connection at all was not done.
        await expect(insert(store, "Offline")).rejects.toMatchObject({ kind: "database" });
        reconnect();
        await insert(store, "Next");
        expect(await names(beside)).toEqual([...found, "Next"].toSorted());
      });
    }
  }

  test("an import whose commit nobody can tell of is unknown and not unavailable", async () => {
    const { store, beside } = await openCut(server(), "COMMIT", "answer", { lasts: true });
    await insert(beside, "Friends");
    hurry();
    const given = { firstName: true, birthDate: true };
    const put = store.importContacts(1, { id: 1 }, contacts(), given, async () => {});
    await expect(put).rejects.toMatchObject({ kind: "outcome_unknown" });
    expect(await beside.sliceOfContacts(1, 0, 10)).toMatchObject({ total: 1 });
  });

  test("a read is asked again", async () => {
    const { store, beside } = await openCut(server(), "CUT-HERE", "answer");
    await beside.insertSenderId(1, { name: "CUT-HERE", purpose: "p", status: "PENDING" });
    expect(await store.senderIdByName(1, "CUT-HERE")).toMatchObject({ id: 1 });
  });

  test("contacts are put in once, or not at all, whatever is lost", async () => {
    const { store, beside } = await openCut(server(), "COMMIT", "commit");
    await insert(beside, "Friends");
    const given = { firstName: true, birthDate: true };
    const put = store.importContacts(1, { id: 1 }, contacts(), given, async () => {});
    expect(await put).toMatchObject({ added: 1, group: { contacts_count: 1 } });
    expect(await beside.sliceOfContacts(1, 0, 10)).toMatchObject({ total: 1 });
  });
});

describeOnPostgres((server) => {
  test("PostgreSQL crashes while stores write: what was acknowledged is there, and once", async () => {
    const url = server().url("crash");
    const stores = [await open(url), await open(url), await open(url)];
    const over = new AbortController();
    const acknowledged: { readonly id: number; readonly name: string; readonly at: number }[] = [];
    /** The names that each kind of failure was reported for. */
    const refused = new Map<string, Set<string>>();
    let tried = 0;
    const client = async (which: number): Promise<void> => {
      while (!over.signal.aborted) {
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
    for (let crash = 0; crash < 3; crash += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await server().crash();
      await new Promise((resolve) => setTimeout(resolve, 100));
      await server().start();
    }
    const before = acknowledged.length;
    // They go on by themselves.
    await expect
      .poll(() => acknowledged.length - before, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(100)
      .finally(() => over.abort());
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
    // Nor is anything there twice that was not acknowledged.
    expect(Math.max(...counts.values())).toBe(1);
    // What was refused as not done is not there: only a write whose outcome is unknown may be.
    const known = new Set(acknowledged.map(({ name }) => name));
    const others = [...counts.keys()].filter((name) => !known.has(name));
    expect(others.filter((name) => refused.get("unknown")?.has(name) !== true)).toEqual([]);
    expect(
      [...refused.keys()].filter((kind) => !["database", "outcome_unknown"].includes(kind)),
    ).toEqual([]);
    // What was acknowledged says the same of its record as the database does.
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
