import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, vi } from "vitest";
import { operations, type OperationName } from "../../../src/contract/operations.ts";
import { quietRuntime, runMain } from "../../support/built-program.ts";
import { dataOf, type Home } from "../../support/home.ts";
import { groupsOf, logLines, test } from "../../support/serving.ts";

// A busy machine can be slow.
vi.setConfig({ testTimeout: 120_000 });

/** A command for each operation. None concerns a record of another, so their order does not matter. */
const commands: Readonly<Record<OperationName, readonly string[]>> = {
  "sender-id.list": ["sender-id", "list"],
  "sender-id.fetch": ["sender-id", "fetch", "ACME"],
  "sender-id.create": ["sender-id", "create", "New", "--purpose", "Orders"],
  "group.create": ["group", "create", "New"],
  "group.list": ["group", "list"],
  "group.fetch": ["group", "fetch", "1"],
  "group.update": ["group", "update", "1", "--name", "Other"],
  "sender-id.delete": ["sender-id", "delete", "ACME", "--yes"],
  "group.delete": ["group", "delete", "2", "--yes"],
};

const names = Object.keys(commands) as OperationName[];

/** Updates and deletes read first, so faults of reads are injected by another server. */
const reads = names.filter((name) => operations[name].method === "GET");
const writes = names.filter((name) => !reads.includes(name));

/** The exit code of a command, and the methods of its requests. */
type Expected = `exit ${number}:${string}`;
type Expectations = Readonly<Record<OperationName, Expected>>;

/** Expects an exit code after a number of attempts, which may differ for creates. */
function attempts(exit: number, times: number, creates = times): Expectations {
  const read = `exit ${exit}:${" GET".repeat(times)}` as const;
  const create = `exit ${exit}:${" POST".repeat(creates)}` as const;
  return {
    "sender-id.list": read,
    "sender-id.fetch": read,
    "group.list": read,
    "group.fetch": read,
    "sender-id.create": create,
    "group.create": create,
    "group.update": `exit ${exit}: GET${" PUT".repeat(times)}`,
    "sender-id.delete": `exit ${exit}: GET${" DELETE".repeat(times)}`,
    "group.delete": `exit ${exit}: GET${" DELETE".repeat(times)}`,
  };
}

/** A create is never repeated; its name is looked up for the error. */
const lookedUp: Partial<Expectations> = {
  "sender-id.create": "exit 9: POST GET",
  "group.create": "exit 9: POST GET",
};

/** A record is looked up between attempts to delete it, and whether another one has the name of a sender ID. */
const unanswered: Partial<Expectations> = {
  ...lookedUp,
  "group.update": "exit 9: GET PUT PUT PUT",
  "sender-id.delete": "exit 9: GET DELETE GET GET DELETE GET GET DELETE GET",
  "group.delete": "exit 9: GET DELETE GET DELETE GET DELETE GET",
};

const lostOnce: Expectations = {
  ...attempts(0, 2),
  ...lookedUp,
  "sender-id.delete": "exit 0: GET DELETE GET",
  "group.delete": "exit 0: GET DELETE GET",
};

const notSentAgain: Partial<Expectations> = {
  "sender-id.create": "exit 8: POST",
  "group.create": "exit 8: POST",
};

const wrongBody: Expectations = {
  ...attempts(10, 1),
  ...lookedUp,
  // A page confirms nothing; the record is gone.
  "group.update": "exit 9: GET PUT",
  "sender-id.delete": "exit 0: GET DELETE GET",
  "group.delete": "exit 0: GET DELETE GET",
};

interface Case {
  readonly fault: string;
  readonly expected: Expectations;
  readonly options?: readonly string[];
  /** Which writes took effect. */
  readonly effect: "done" | "nothing" | "all but creates";
}

const cases: readonly Case[] = [
  // The slowest is the first of the concurrent tests.
  {
    fault: "latency=1h,times=1",
    options: ["--timeout", "2500ms"],
    expected: lostOnce,
    effect: "done",
  },
  { fault: "status=503", expected: attempts(8, 3, 1), effect: "nothing" },
  {
    fault: "status=503,times=2",
    expected: { ...attempts(0, 3), ...notSentAgain },
    effect: "all but creates",
  },
  {
    fault: "status=502,body=html",
    expected: { ...attempts(8, 3), ...unanswered },
    effect: "nothing",
  },
  { fault: "status=500", expected: attempts(8, 1), effect: "nothing" },
  { fault: "status=429,retry-after=0,times=1", expected: attempts(0, 2), effect: "done" },
  { fault: "status=429,retry-after=61", expected: attempts(7, 1), effect: "nothing" },
  { fault: "status=401", expected: attempts(3, 1), effect: "nothing" },
  {
    fault: "status=404",
    expected: {
      ...attempts(4, 1),
      // The list still shows the record.
      "sender-id.delete": "exit 10: GET DELETE GET",
      "group.delete": "exit 10: GET DELETE GET",
      // An id may be meant as a name.
      "group.fetch": "exit 4: GET GET",
      "group.update": "exit 4: GET PUT GET GET",
    },
    effect: "nothing",
  },
  { fault: "status=409", expected: attempts(5, 1), effect: "nothing" },
  { fault: "status=422", expected: attempts(6, 1), effect: "nothing" },
  { fault: "drop=before", expected: { ...attempts(8, 3), ...unanswered }, effect: "nothing" },
  { fault: "drop=after,times=1", expected: lostOnce, effect: "done" },
  { fault: "drop=during,times=1", expected: lostOnce, effect: "done" },
  { fault: "latency=5ms", expected: attempts(0, 1), effect: "done" },
  { fault: "body=html", expected: wrongBody, effect: "done" },
  {
    fault: "body=empty",
    expected: {
      ...wrongBody,
      // They are confirmed by the status, and the updated group is read.
      "group.update": "exit 0: GET PUT GET",
      "sender-id.delete": "exit 0: GET DELETE",
      "group.delete": "exit 0: GET DELETE",
    },
    effect: "done",
  },
  { fault: "body=truncated", expected: wrongBody, effect: "done" },
  { fault: "body=not-json", expected: wrongBody, effect: "done" },
  {
    fault: "body=wrong-shape",
    expected: {
      ...attempts(10, 1),
      ...lookedUp,
      // The record is fetched instead.
      "group.update": "exit 0: GET PUT GET",
      // The data of a delete is not examined.
      "sender-id.delete": "exit 0: GET DELETE",
      "group.delete": "exit 0: GET DELETE",
    },
    effect: "done",
  },
];

async function stock(home: Home): Promise<void> {
  await home.run(["sender-id", "create", "ACME", "--purpose", "Orders"]);
  for (const name of ["Friends", "Family"]) await home.run(["group", "create", name]);
}

/** Returns the names of all sender IDs and groups, without the server. */
async function everyName(home: Home): Promise<unknown> {
  const listed = dataOf(await home.run(["sender-id", "list", "--all", "--json"]));
  const senderIds = (listed as { data: { name: string }[] }).data;
  return [...senderIds, ...(await groupsOf(home))].map(({ name }) => name).toSorted();
}

const effects: Readonly<Record<Case["effect"], readonly string[]>> = {
  done: ["New", "New", "Other"],
  nothing: ["ACME", "Family", "Friends"],
  "all but creates": ["Other"],
};

/** Runs a command with a key of its own and without pauses. Returns its exit code, and the id of the key in the log. */
async function runWithOwnKey(home: Home, args: readonly string[], baseUrl: string) {
  const created = await home.run(["local", "key", "create", "--json"]);
  const { id, secret_key: key } = dataOf(created) as { id: number; secret_key: string };
  const env = { ...home.env, SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key };
  const runtime = { ...quietRuntime(home.folder, env), random: () => 0 };
  const { exitCode } = await runMain(args, runtime);
  return { id, exitCode };
}

/**
 * Returns a time that orders the requests of a client. Each is logged before its next one, except one that it gives up
 * after 2.5 s, which is logged late: that is put a second after its arrival, when the client sends nothing.
 */
function turnOf({ time, ms }: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(time)) + (Number(ms) < 2_000 ? 0 : 1_000 - Number(ms));
}

describe.concurrent("a client of `serve --fault` with every operation and", () => {
  for (const { fault, expected, options = [], effect } of cases) {
    test(fault, async ({ home, serveHere, expect }) => {
      await stock(home);
      const seen: [string, string][] = [];
      for (const some of [reads, writes]) {
        const given = some.flatMap((name) => ["--fault", `${name}:${fault}`]);
        const { baseUrl, stop } = await serveHere(given);
        const ran = await Promise.all(
          some.map((name) => runWithOwnKey(home, [...commands[name], ...options], baseUrl)),
        );
        const requests = logLines((await stop()).stderr);
        for (const [index, { id, exitCode }] of ran.entries()) {
          const own = requests
            .filter((line) => line["key_id"] === id)
            .toSorted((one, other) => turnOf(one) - turnOf(other));
          const methods = own.map(({ method }) => ` ${String(method)}`).join("");
          seen.push([some[index]!, `exit ${exitCode}:${methods}`]);
        }
      }
      expect(Object.fromEntries(seen)).toStrictEqual(expected);
      expect(await everyName(home)).toStrictEqual(effects[effect]);
    });
  }
});

describe.concurrent("serve --fault", () => {
  test("delays no response after a signal to stop", async ({ serveHere, expect }) => {
    const { baseUrl, port, key, stop } = await serveHere(["--fault", "group.list:latency=1h"]);
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const request = `GET /v1/group HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    await new Promise((resolve) => {
      socket.write(request, resolve);
    });
    // When this response arrives, the server has received the other request.
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200);
    const { exitCode, stderr } = await stop();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(exitCode).toBe(0);
    expect(logLines(stderr)).toHaveLength(2);
  });
});
