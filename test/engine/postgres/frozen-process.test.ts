import { rm } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPostgresStore } from "../../../src/engine/postgres/store.ts";
import { makeHome } from "../../support/home.ts";
import { startServe } from "../../support/serving.ts";
import { inTime, until } from "../../support/waiting.ts";
import { describeOnPostgres, nowhere, startRelay } from "./postgres-database.ts";
import type { PostgresServer } from "../../support/postgres-server.mjs";

/** Forwards connections until a client sends the word. Holds that message and the following ones until `resume`. */
async function startHoldingRelay(server: PostgresServer, word: string) {
  const held: (() => void)[] = [];
  let isHolding = false;
  let hasHeld = false;
  const { port } = await startRelay(server, (client, server) => {
    let isTarget = false;
    client.on("data", (chunk) => {
      const at = hasHeld ? -1 : chunk.indexOf(word);
      if (at >= 0) {
        isTarget = isHolding = hasHeld = true;
        server.write(chunk.subarray(0, at));
        held.push(() => server.write(chunk.subarray(at)));
      } else if (isTarget && isHolding) held.push(() => server.write(chunk));
      else server.write(chunk);
    });
    server.on("data", (chunk) => client.write(chunk));
    client.on("close", () => server.end());
  });
  return {
    port,
    isHolding: () => isHolding,
    resume: () => {
      isHolding = false;
      for (const send of held) send();
    },
  };
}

describeOnPostgres((server) => {
  test("a server that freezes in the middle of a batch does not stop the writes of others", async () => {
    const url = server().url("frozen");
    const relay = await startHoldingRelay(server(), "CUT-HERE");
    const home = await makeHome();
    onTestFinished(() => rm(home.folder, { recursive: true, force: true }));
    const start = async (database: string) => {
      const started = await startServe(home, ["--port", "0"], { SENDCTL_DATABASE: database });
      onTestFinished(async () => void (await started.kill()));
      return started;
    };
    const { serve: healthy } = await start(url);
    const {
      serve: frozen,
      freeze,
      thaw,
    } = await start(url.replace(`:${server().port}/`, `:${relay.port}/`));
    const key = healthy.key!;
    const create = async ({ baseUrl }: { readonly baseUrl: string }, name: string) => {
      const response = await fetch(`${baseUrl}/v1/group`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name }),
      });
      return response.status;
    };
    const health = async (): Promise<number> => (await fetch(`${healthy.baseUrl}/healthz`)).status;
    expect(await create(frozen, "Before")).toBe(201);
    const cut = create(frozen, "CUT-HERE");
    await until("the batch is cut", relay.isHolding);
    freeze();
    for (const name of ["One", "Two"]) {
      // On a busy machine, PostgreSQL may take more than the 10 seconds after which the service responds with 503.
      await expect.poll(() => create(healthy, name), { timeout: 60_000 }).toBe(201);
    }
    expect(await health()).toBe(200);
    thaw();
    relay.resume();
    expect(await inTime("the frozen server answers", cut)).toBe(201);
    const listed = await home.run(["group", "list", "-o", "jsonl"], { SENDCTL_DATABASE: url });
    const names = listed.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { name: string }).name);
    expect(names.toSorted()).toEqual(["Before", "CUT-HERE", "One", "Two"]);
  });

  /** Opens a store behind a relay that goes silent at a word. */
  async function openSilent(schema: string, word: string) {
    const relay = await startHoldingRelay(server(), word);
    const url = server().url(schema).replace(`:${server().port}/`, `:${relay.port}/`);
    return { relay, store: await openPostgresStore(url, nowhere, () => 1) };
  }

  test("a store closes although its database does not respond", async () => {
    // The message with which a client ends a connection.
    const { relay, store } = await openSilent("silent", "X\0\0\0\u0004");
    await store.checkHealth();
    await inTime("the store closes", store.close());
    expect(relay.isHolding()).toBe(true);
  });

  test("a read on a connection that goes silent while it is idle is sent on another one", async () => {
    const { relay, store } = await openSilent("idle", "CUT-HERE");
    onTestFinished(() => store.close());
    expect(await store.senderIdByName(1, "Before")).toBeUndefined();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const read = store.senderIdByName(1, "CUT-HERE");
    await until("the connection is silent", relay.isHolding);
    vi.advanceTimersByTime(60_000);
    expect(await inTime("the read is repeated", read)).toBeUndefined();
  });
});
