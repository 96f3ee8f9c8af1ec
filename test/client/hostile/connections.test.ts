import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, vi } from "vitest";
import { test } from "../../support/home.ts";
import { freePort } from "../../support/ports.mjs";
import { commands, envelope, scriptFor, senderId, type Way } from "../sample-responses.ts";
import { mayBeDone, run, runAgainst, violationsOf } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const ways = Object.keys(commands) as Way[];

/** What is promised for a lost response: the exit code, and the number of requests with two retries. */
const promised: Readonly<Record<Way, readonly [exitCode: number, requests: number]>> = {
  GET: [8, 3],
  // Includes the read before it, which succeeds.
  PUT: [9, 4],
  // Includes a read before each attempt and after the last one.
  DELETE: [9, 7],
  // The create, and the lookup, which is a GET.
  POST: [9, 4],
  "POST sender-id": [9, 4],
};

describe("a connection that is refused", () => {
  test.for(ways)("is retried, because nothing was sent by %s", async (way, { expect }) => {
    const args = ["--base-url", `http://127.0.0.1:${await freePort()}`, ...commands[way], "--json"];
    const ran = await run(args);
    expect(ran).toMatchObject({ exitCode: 8, waits: [250, 500] });
    expect(ran.stderr).toContain("refused the connection");
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: false, error: { kind: "unavailable" } });
    expect(violationsOf(ran, args)).toStrictEqual([]);
  });
});

describe("a lost response", () => {
  const losses: Readonly<Record<string, Script>> = {
    "after the request is read": (_, { hangUp }) => hangUp(),
    "without any bytes": (_, { end }) => end(""),
    "within its head": (_, { end }) => end("HTTP/1.1 200 OK\r\nContent-Le"),
    "within its body": (_, { end }) =>
      end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"status":true,'),
    "within a chunk": (_, { end }) =>
      end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"status":true,'),
    // Valid JSON, but shorter than Content-Length, so it may be incomplete.
    "before its Content-Length": (_, { end }) => {
      const text = JSON.stringify(envelope(senderId));
      end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length + 9}\r\n\r\n${text}`);
    },
  };
  const cases = Object.keys(losses).flatMap((loss) => ways.map((way) => [loss, way] as const));

  test.for(cases)("%s, of %s", async ([loss, way], { expect }) => {
    for (const json of [[], ["--json"]]) {
      const result = await runAgainst(scriptFor(way, losses[loss]!), [...commands[way], ...json]);
      const [exitCode, requests] = promised[way];
      expect(result).toMatchObject({ exitCode, violations: [] });
      expect(result.received).toHaveLength(requests);
      expect(result.stderr).toMatch(/closed the connection|cut short/);
      if (exitCode === 9) expect(result.stderr).toMatch(mayBeDone);
    }
  });

  test.for(ways)("before the request is read, of %s", async (way, { expect }) => {
    const greet = { greet: (socket: { destroy: () => unknown }) => Boolean(socket.destroy()) };
    const result = await runAgainst(() => {}, commands[way], greet);
    // The read before an update or a delete is lost, so neither is sent. Each read opens a connection for the write.
    const isRead = way === "PUT" || way === "DELETE";
    const [exitCode, requests] = promised[isRead ? "GET" : way];
    const connections = isRead ? 2 * requests : requests;
    expect(result).toMatchObject({ exitCode, connections, requests: [], violations: [] });
  });
});

/** Milliseconds after which a request is given up in the tests of time limits, on a clock of their own. */
const limit = 200;

/** Lets the time limit of a request pass, and sends a text every 20 ms: never a whole response. */
const dripping =
  (text = "", head = ""): Script =>
  async (_, { raw, socket }) => {
    raw(head);
    for (let passed = 0; passed < limit; passed += 20) {
      if (socket.writable) raw(text);
      // The client reads the text.
      await setImmediate();
      vi.advanceTimersByTime(20);
    }
  };

describe("a service that does not respond in time", () => {
  const silences: Readonly<Record<string, Script>> = {
    "no bytes": dripping(),
    "a head only": dripping("", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    "a slow trickle": dripping(" ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
    "endless early hints": dripping("HTTP/1.1 103 Early Hints\r\n\r\n"),
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return () => vi.useRealTimers();
  });
  const cases = Object.keys(silences).flatMap((silence) =>
    (["GET", "POST"] as const).map((way) => [silence, way] as const),
  );

  test.for(cases)("%s, of %s", async ([silence, way], { expect }) => {
    const args = [...commands[way], "--timeout", `${limit}ms`, "--retries", "0", "--json"];
    const result = await runAgainst(silences[silence]!, args);
    expect(result).toMatchObject({ exitCode: promised[way][0], violations: [] });
    expect(result.received).toHaveLength(way === "GET" ? 1 : 2);
    expect(result.stderr).toContain("no response within 0.2 s");
  });

  test("is retried, as if it had hung up", async ({ expect }) => {
    const result = await runAgainst(dripping(), [...commands.GET, "--timeout", `${limit}ms`]);
    expect(result).toMatchObject({ exitCode: 8, waits: [250, 500], violations: [] });
    expect(result.received).toHaveLength(3);
  });
});
