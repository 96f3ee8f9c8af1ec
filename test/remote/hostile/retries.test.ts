import { describe, test } from "vitest";
import { commands, envelope, group, scriptFor } from "../sample-responses.ts";
import { runAgainst, now } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const busy =
  (status: number, retryAfter?: string): Script =>
  (_, { respond }) =>
    respond(
      status,
      { status: false, message: "Not now", data: null },
      retryAfter === undefined ? {} : { "Retry-After": retryAfter },
    );

const backoff = [250, 500];

const httpDate = (fromNow: number): string => new Date(now + fromNow).toUTCString();

describe.for([
  [429, 7],
  [503, 8],
] as const)("%i", ([status, exitCode]) => {
  test.for([
    ["nothing", undefined, backoff],
    ["0 seconds", "0", [0, 0]],
    ["some seconds", "7", [7000, 7000]],
    ["the longest allowed wait", "60", [60_000, 60_000]],
    ["a date", httpDate(30_000), [30_000, 30_000]],
    ["a date in the past", httpDate(-30_000), [0, 0]],
    // An invalid value is ignored. Retrying immediately would be wrong.
    ["an empty text", "", backoff],
    ["garbage", "soon", backoff],
    ["garbage with a digit", "in 5 minutes", backoff],
    ["a negative number", "-5", backoff],
    ["a fraction", "1.5", backoff],
    ["seconds with a unit", "7 s", backoff],
    ["NaN", "NaN", backoff],
    ["an invalid date", "Fri, 99 Foo 2026 08:00:00 GMT", backoff],
  ] as const)("that asks for %s", async ([, retryAfter, waits], { expect }) => {
    const result = await runAgainst(busy(status, retryAfter), [...commands.GET, "--json"]);
    expect(result).toMatchObject({ exitCode, waits, violations: [] });
    expect(result.received).toHaveLength(3);
    expect(result.stderr).toContain("Not now");
  });

  test.for([
    ["a second more than allowed", "61"],
    ["a day", "86400"],
    ["an eternity", "9".repeat(400)],
    ["a date in two hours", httpDate(7_200_000)],
  ] as const)(
    "that asks for %s is reported without retries",
    async ([, retryAfter], { expect }) => {
      const result = await runAgainst(busy(status, retryAfter), [...commands.GET, "--json"]);
      expect(result).toMatchObject({ exitCode, waits: [], violations: [] });
      expect(result.received).toHaveLength(1);
      expect(result.stderr).toContain("Not now");
    },
  );

  test("that asks for too long is reported with the requested wait", async ({ expect }) => {
    const { stderr } = await runAgainst(busy(status, "90"), commands.GET);
    expect(stderr).toMatch(/\b90 ?s/);
  });
});

describe("a retry", () => {
  test.for([
    ["POST", 429, 3],
    ["POST", 502, 1],
    ["POST", 503, 1],
    ["POST", 504, 1],
    ["POST sender-id", 429, 3],
    ["POST sender-id", 503, 1],
    ["PUT", 429, 3],
    ["PUT", 502, 3],
    ["PUT", 503, 3],
    ["PUT", 504, 3],
    ["PUT", 500, 1],
    ["DELETE", 429, 3],
    ["DELETE", 503, 3],
    ["DELETE", 500, 1],
  ] as const)("%s after %i: %i requests", async ([way, status, requests], { expect }) => {
    const result = await runAgainst(scriptFor(way, busy(status)), commands[way]);
    expect(result).toMatchObject({ exitCode: status === 429 ? 7 : 8, violations: [] });
    const isRead = way === "PUT" || way === "DELETE";
    const lines = isRead ? result.requests.slice(1) : result.requests;
    expect(lines).toHaveLength(requests);
    expect(new Set(lines).size).toBe(1);
  });

  test("gets the same result as a first attempt", async ({ expect }) => {
    const result = await runAgainst(
      (received, conversation) => {
        if (conversation.index < 2) busy(503)(received, conversation);
        else conversation.respond(200, envelope(group));
      },
      [...commands.GET, "--json"],
    );
    expect(result).toMatchObject({ exitCode: 0, waits: backoff, stderr: "", violations: [] });
    expect(JSON.parse(result.stdout)).toStrictEqual(envelope(group));
  });
});

describe("number and delay of retries", () => {
  const doubling = [250, 500, 1000, 2000, 4000, 8000, 8000, 8000];

  test.for([0, 1, 5, 8])("--retries %i", async (retries, { expect }) => {
    const result = await runAgainst(busy(503), [...commands.GET, "--retries", String(retries)]);
    expect(result).toMatchObject({
      exitCode: 8,
      waits: doubling.slice(0, retries),
      violations: [],
    });
    expect(result.received).toHaveLength(retries + 1);
  });

  test("SENDCTL_RETRIES sets the number", async ({ expect }) => {
    const result = await runAgainst(busy(503), commands.GET, { env: { SENDCTL_RETRIES: "1" } });
    expect(result.waits).toStrictEqual([250]);
  });

  test.for([0, 0.5, 0.999])("the whole backoff is jitter: %f", async (random, { expect }) => {
    const result = await runAgainst(busy(503), commands.GET, { random });
    expect(result.waits).toStrictEqual(backoff.map((longest) => longest * random));
  });

  test("Retry-After applies to one wait only", async ({ expect }) => {
    const result = await runAgainst((received, conversation) => {
      busy(503, conversation.index === 0 ? "3" : undefined)(received, conversation);
    }, commands.GET);
    expect(result.waits).toStrictEqual([3000, 500]);
  });
});
