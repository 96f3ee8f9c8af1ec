import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import type { Store } from "../../../src/engine/store.ts";
import { describeOnPostgres } from "./postgres-database.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { until } from "../../support/waiting.ts";

const group = { sendBirthday: false, sendHoliday: null, birthdayMessage: null };

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

async function startRelay({ port }: PostgresServer, word: string, cut: Cut) {
  let isCut = false;
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(port, "127.0.0.1");
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    let isOurs = false;
    const held: Buffer[] = [];
    client.on("data", (chunk) => {
      if (cut === "late" && (isOurs || (!isCut && chunk.includes(word)))) {
        isCut = isOurs = true;
        held.push(chunk);
        if (!chunk.includes("COMMIT")) return;
        client.destroy();
        setTimeout(() => server.write(Buffer.concat(held)), 300);
        return;
      }
      if (!isCut && chunk.includes(word)) {
        isCut = isOurs = true;
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
  return (relay.address() as AddressInfo).port;
}

let schemas = 0;

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url, { env: {}, home: "/" }, () => Date.now() * 1000);
  onTestFinished(() => store.close());
  return store;
}

/** A store whose network fails when the word comes by, and one beside it that sees what became of it. */
async function openCut(server: PostgresServer, word: string, cut: Cut) {
  const url = server.url(`losing${(schemas += 1)}`);
  const beside = await open(url);
  const port = await startRelay(server, word, cut);
  return { beside, store: await open(url.replace(`:${server.port}/`, `:${port}/`)) };
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
      const { store, beside } = await openCut(server(), word, cut);
      const made = await Promise.all(["One", "CUT-HERE", "Two"].map((name) => insert(store, name)));
      expect(new Set(made.map(({ id }) => id)).size).toBe(3);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await names(beside)).toEqual(["CUT-HERE", "One", "Two"]);
    });
  }

  test("what arrives late does not undo what came after it", async () => {
    const { store, beside } = await openCut(server(), "BEGIN", "late");
    await insert(beside, "Friends");
    const rename = (name: string) => store.updateGroup(1, { id: 1 }, { name });
    expect(await rename("Kin")).toMatchObject({ name: "Kin" });
    expect(await rename("Kith")).toMatchObject({ name: "Kith" });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await names(beside)).toEqual(["Kith"]);
  });

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
    expect(await put).toMatchObject({ added: 1, group: { contactsCount: 1 } });
    expect(await beside.sliceOfContacts(1, 0, 10)).toMatchObject({ total: 1 });
  });
});

describeOnPostgres((server) => {
  test("PostgreSQL crashes while stores write: what was acknowledged is there, and once", async () => {
    const url = server().url("crash");
    const stores = [await open(url), await open(url), await open(url)];
    const over = new AbortController();
    const acknowledged: { readonly id: number; readonly name: string; readonly at: number }[] = [];
    const refused = new Set<string>();
    let tried = 0;
    const client = async (which: number): Promise<void> => {
      while (!over.signal.aborted) {
        const name = `Group ${(tried += 1)}`;
        try {
          const { id, createdAt } = await insert(stores[which % 3]!, name);
          acknowledged.push({ id, name, at: createdAt });
        } catch (error) {
          refused.add((error as { kind: string }).kind);
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
    await until("100 more writes", () => acknowledged.length >= before + 100);
    over.abort();
    await Promise.all(clients);
    const found: { readonly id: number; readonly name: string; readonly createdAt: number }[] = [];
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
    // Of what was refused as not done, nothing is there: only an unknown outcome may be.
    const unaccounted = refused.has("outcome_unknown") ? 0 : found.length - acknowledged.length;
    expect(unaccounted).toBe(0);
    expect(
      [...refused].filter((kind) => kind !== "database" && kind !== "outcome_unknown"),
    ).toEqual([]);
    const times = found.toReversed().map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(times).size).toBe(times.length);
    const [totals] = await stores[1]!.integrations();
    expect(totals!.groups).toBe(found.length);
  });
});
