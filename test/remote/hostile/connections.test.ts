import { setTimeout } from "node:timers/promises";
import { describe, test } from "vitest";
import { commands, envelope, group, scriptFor, senderId, type Way } from "../sample-responses.ts";
import { mayBeDone } from "../consequence.ts";
import { violationsOf, runAgainst, now, run } from "../run-remote.ts";
import { closedPort, type Script } from "../scripted-service.ts";

const ways = Object.keys(commands) as Way[];

/** What is promised of an answer that is lost: exit code, and requests with two retries. */
const promised: Readonly<Record<Way, readonly [exitCode: number, requests: number]>> = {
  GET: [8, 3],
  // The read before it is answered.
  PUT: [9, 4],
  DELETE: [9, 3],
  // The create, and the look-up, which is a GET.
  POST: [9, 4],
  "POST sender-id": [9, 4],
};

/** The time of the service, which is that of the records that it answers with. */
const date = { Date: new Date(now).toUTCString() };

/** Loses the create, and answers the look-up. */
const found =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = date): Script =>
  ({ method }, { hangUp, respond }) =>
    method === "POST" ? hangUp() : respond(status, body, headers);

/** Does one thing to the first request, and another to all that follow. */
const first =
  (lose: Script, then: Script): Script =>
  (received, conversation) =>
    (conversation.index === 0 ? lose : then)(received, conversation);
const hangUp: Script = (_, conversation) => conversation.hangUp();
const gone: Script = (_, { respond }) =>
  respond(404, { status: false, message: "There is no such group", data: null });
const notReady: Script = (_, { respond }) =>
  respond(503, { status: false, message: "Not now", data: null });
const busy: Script = (_, { respond }) => respond(503);
const done: Script = (_, { respond }) => respond(200, envelope(group));

describe("a connection that is refused", () => {
  test.for(ways)("is tried again: nothing was sent by %s", async (way, { expect }) => {
    const args = [
      "--base-url",
      `http://127.0.0.1:${await closedPort()}`,
      ...commands[way],
      "--json",
    ];
    const ran = await run(args);
    expect(ran).toMatchObject({ exitCode: 8, waits: [250, 500] });
    expect(ran.stderr).toContain("refused the connection");
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: false, error: { kind: "unavailable" } });
    expect(violationsOf(ran, args)).toStrictEqual([]);
  });
});

describe("an answer that is lost", () => {
  const losses: Readonly<Record<string, Script>> = {
    "after the request is read": (_, { hangUp }) => hangUp(),
    "without a word": (_, { end }) => end(""),
    "within its head": (_, { end }) => end("HTTP/1.1 200 OK\r\nContent-Le"),
    "within its body": (_, { end }) =>
      end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"status":true,'),
    "within a chunk": (_, { end }) =>
      end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"status":true,'),
    // Whole as JSON, but less than was promised: there may have been more.
    "before the length it promised": (_, { end }) => {
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
    // The read before an update is lost, too, so there is no update.
    const [exitCode, connections] = promised[way === "PUT" ? "GET" : way];
    expect(result).toMatchObject({ exitCode, connections, requests: [], violations: [] });
  });

  test.for(["PUT", "DELETE", "POST", "POST sender-id"] as const)(
    "of %s is told with the command that shows what became of it",
    async (way, { expect }) => {
      const result = await runAgainst(scriptFor(way, hangUp), [...commands[way], "--json"]);
      const command = /sendctl (?:group|sender-id) (?:list|fetch)/;
      expect(result.stderr).toMatch(new RegExp(`^hint: .*${command.source}`, "m"));
      const hint = expect.stringMatching(command) as unknown;
      expect(JSON.parse(result.stdout)).toMatchObject({ error: { hint } });
    },
  );
});

describe("a service that says nothing in time", () => {
  const silences: Readonly<Record<string, Script>> = {
    "no word": () => {},
    "a head only": (_, { raw }) => raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    "a drop now and then": (_, { raw, socket }) => {
      raw("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      const drip = async (): Promise<void> => {
        while (socket.writable) {
          raw(" ");
          await setTimeout(20);
        }
      };
      void drip();
    },
    "early hints without end": (_, { raw, socket }) => {
      const hint = async (): Promise<void> => {
        while (socket.writable) {
          raw("HTTP/1.1 103 Early Hints\r\n\r\n");
          await setTimeout(20);
        }
      };
      void hint();
    },
  };
  const cases = Object.keys(silences).flatMap((silence) =>
    (["GET", "POST"] as const).map((way) => [silence, way] as const),
  );

  test.for(cases)("%s, of %s", async ([silence, way], { expect }) => {
    const args = [...commands[way], "--timeout", "200ms", "--retries", "0", "--json"];
    const result = await runAgainst(silences[silence]!, args);
    expect(result).toMatchObject({ exitCode: promised[way][0], violations: [] });
    expect(result.received).toHaveLength(way === "GET" ? 1 : 2);
    expect(result.stderr).toContain("no response within 0.2 s");
  });

  test("is asked again, as if it had hung up", async ({ expect }) => {
    const result = await runAgainst(() => {}, [...commands.GET, "--timeout", "50ms"]);
    expect(result).toMatchObject({ exitCode: 8, waits: [250, 500], violations: [] });
    expect(result.received).toHaveLength(3);
  });
});

describe("a sender ID whose creation got no answer", () => {
  const create = commands["POST sender-id"];
  test("is shown when a look-up finds it", async ({ expect }) => {
    const result = await runAgainst(found(200, envelope(senderId)), [...create, "--json"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.requests).toStrictEqual(["POST /v1/sender-id", "GET /v1/sender-id/ACME"]);
    expect(JSON.parse(result.stdout)).toStrictEqual(envelope(senderId));
    expect(result.stderr).toContain("the response was lost");
  });

  test.for([
    ["is not there", 404, { status: false, message: "Not found", data: null }],
    ["is another's, of another purpose", 200, envelope({ ...senderId, purpose: "Theirs" })],
    ["can't be understood", 200, "<html>"],
    ["is refused", 403, ""],
  ] as const)("is unknown when what is found %s", async ([, status, body], { expect }) => {
    const result = await runAgainst(found(status, body), [...create, "--json"]);
    expect(result).toMatchObject({ exitCode: 9, violations: [] });
    expect(result.received).toHaveLength(2);
    expect(JSON.parse(result.stdout)).toMatchObject({
      status: false,
      error: { kind: "outcome_unknown" },
    });
  });
});

describe("a change whose first answer was lost", () => {
  test("is a delete that is done when a gateway hid it", async ({ expect }) => {
    for (const status of [404, 410]) {
      const result = await runAgainst(
        first(busy, (_, { respond }) => respond(status)),
        commands.DELETE,
      );
      expect(result).toMatchObject({ exitCode: 0, waits: [250], violations: [] });
      expect(result.stderr).toContain("no longer exists");
    }
  });

  test("is a delete that is done when it is gone on the second", async ({ expect }) => {
    for (const json of [[], ["--json"]]) {
      const result = await runAgainst(first(hangUp, gone), [...commands.DELETE, ...json]);
      expect(result).toMatchObject({ exitCode: 0, waits: [250], violations: [] });
      expect(result.received).toHaveLength(2);
      expect(result.stderr).toContain("got no response");
    }
  });

  test("is no excuse for a delete that the service was not ready for", async ({ expect }) => {
    const result = await runAgainst(first(notReady, gone), commands.DELETE);
    expect(result).toMatchObject({ exitCode: 4, violations: [] });
    expect(result.stderr).toContain("There is no such group");
  });

  test("is unknown where the service was not ready for the second", async ({ expect }) => {
    for (const way of ["PUT", "DELETE"] as const) {
      const result = await runAgainst(scriptFor(way, first(hangUp, busy)), commands[way]);
      expect(result, way).toMatchObject({ exitCode: 9, violations: [] });
      expect(result.stderr).toMatch(mayBeDone);
    }
  });

  test("is an update that is done by the second", async ({ expect }) => {
    const result = await runAgainst(scriptFor("PUT", first(hangUp, done)), commands.PUT);
    expect(result).toMatchObject({ exitCode: 0, waits: [250], violations: [] });
    const whole = '{"name":"Customers","send_birthday":true}';
    expect(result.received.map(({ body }) => body)).toStrictEqual(["", whole, whole]);
  });
});
