import { describe, test } from "vitest";
import { commands, envelope, group, scriptFor } from "../sample-responses.ts";
import { runAgainst, now } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const busy =
  (status: number, asked: string | Readonly<Record<string, string>> = {}): Script =>
  (_, { respond }) => {
    const headers = typeof asked === "string" ? { "Retry-After": asked } : asked;
    respond(status, { status: false, message: "Not now", data: null }, headers);
  };

const backoff = [250, 500];

/** A quota that is used up. */
const used = { "X-RateLimit-Remaining": "0" };

const epoch = (fromNow: number): string => String(now / 1000 + fromNow);
const httpDate = (fromNow: number): string => new Date(now + fromNow).toUTCString();

describe.for([
  [429, 7],
  [503, 8],
] as const)("%i", ([status, exitCode]) => {
  test.for([
    ["nothing", {}, backoff],
    ["0 seconds", "0", backoff],
    ["some seconds", "7", [7000, 7000]],
    ["the longest allowed wait", "60", [60_000, 60_000]],
    ["a date", httpDate(30_000), [30_000, 30_000]],
    ["a date in the past", httpDate(-30_000), backoff],
    ["a date of RFC 850", "Saturday, 31-Jan-26 08:00:05 GMT", [5000, 5000]],
    ["a date of asctime", "Sat Jan 31 08:00:05 2026 GMT", [5000, 5000]],
    ["the end of a window, in seconds", { ...used, "X-RateLimit-Reset": "7" }, [7000, 7000]],
    ["the end of a window, as a time", { ...used, "X-RateLimit-Reset": epoch(7) }, [7000, 7000]],
    [
      "the end of a window, as a time in milliseconds",
      { ...used, "X-RateLimit-Reset": `${epoch(7)}000` },
      [7000, 7000],
    ],
    ["the end of a window in the past", { ...used, "X-RateLimit-Reset": epoch(-7) }, backoff],
    ["both", { "Retry-After": "3", "X-RateLimit-Reset": "7" }, [3000, 3000]],
    [
      "a date by its own clock, which is behind",
      { Date: httpDate(-600_000), "Retry-After": httpDate(-590_000) },
      [10_000, 10_000],
    ],
    [
      "a date by its own clock, which is ahead",
      { Date: httpDate(600_000), "Retry-After": httpDate(603_000) },
      [3000, 3000],
    ],
    [
      "the end of a window, by its own clock",
      { ...used, Date: httpDate(-600_000), "X-RateLimit-Reset": epoch(-593) },
      [7000, 7000],
    ],
    // An invalid value is ignored. Retrying immediately would be wrong.
    ["an empty text", "", backoff],
    ["garbage", "soon", backoff],
    ["garbage with a digit", "in 5 minutes", backoff],
    ["a negative number", "-5", backoff],
    ["a fraction", "1.5", backoff],
    ["seconds with a unit", "7 s", backoff],
    ["NaN", "NaN", backoff],
    ["an invalid date", "Fri, 99 Foo 2026 08:00:00 GMT", backoff],
    ["a date of ISO 8601", "2026-01-31", backoff],
    ["an exponent", "1e3", backoff],
    ["a window that ends soon", { "X-RateLimit-Reset": "soon" }, backoff],
    ["a draft's header", { "RateLimit-Remaining": "0", "RateLimit-Reset": "7" }, backoff],
  ] as const)("that asks for %s", async ([, retryAfter, waits], { expect }) => {
    // Without --retries, a 429 that names no time is repeated for a minute.
    const args = [...commands.GET, "--retries", "2", "--json"];
    const result = await runAgainst(busy(status, retryAfter), args);
    expect(result).toMatchObject({ exitCode, waits, violations: [] });
    expect(result.received).toHaveLength(3);
    expect(result.stderr).toContain("Not now");
  });

  test.for([
    ["a second more than allowed", "61", "61 s"],
    ["a day", "86400", "86400 s"],
    ["an eternity", "9".repeat(400), "Not now"],
    ["a date in two hours", httpDate(7_200_000), "7200 s"],
  ] as const)(
    "that asks for %s is reported with it, without retries",
    async ([, retryAfter, text], { expect }) => {
      const result = await runAgainst(busy(status, retryAfter), [...commands.GET, "--json"]);
      expect(result).toMatchObject({ exitCode, waits: [], violations: [] });
      expect(result.received).toHaveLength(1);
      expect(result.stderr).toContain("Not now");
      expect(result.stderr).toContain(text);
    },
  );
});

describe("a retry", () => {
  test.for([
    ["POST", 429, 3],
    ["POST", 500, 1],
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
    ["DELETE", 502, 3],
    ["DELETE", 503, 3],
    ["DELETE", 504, 3],
    ["DELETE", 500, 1],
  ] as const)("%s after %i: %i requests", async ([way, status, requests], { expect }) => {
    const args = [...commands[way], "--retries", "2"];
    const result = await runAgainst(scriptFor(way, busy(status)), args);
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
      [...commands.GET, "--json", "--quiet"],
    );
    expect(result).toMatchObject({ exitCode: 0, waits: backoff, stderr: "", violations: [] });
    expect(JSON.parse(result.stdout)).toStrictEqual(envelope(group));
  });
});

describe("a 429 that names no time", () => {
  test.for(["GET", "POST", "DELETE"] as const)(
    "is repeated for a minute: %s",
    async (way, { expect }) => {
      const result = await runAgainst(scriptFor(way, busy(429)), commands[way]);
      expect(result).toMatchObject({ exitCode: 7, violations: [] });
      const waited = result.waits.reduce((sum, wait) => sum + wait, 0);
      expect(waited).toBeGreaterThan(50_000);
      expect(waited).toBeLessThanOrEqual(60_000);
    },
  );

  test("may pass after more attempts than --retries would allow", async ({ expect }) => {
    const result = await runAgainst((received, conversation) => {
      if (conversation.index < 6) busy(429)(received, conversation);
      else conversation.respond(200, envelope(group));
    }, commands.GET);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(result.waits).toStrictEqual([250, 500, 1000, 2000, 4000, 8000]);
    expect(result.stderr).toContain("(attempt 3 of 3)\n");
    expect(result.stderr).toContain("(attempt 4)\n");
  });
});

test("logs have a line for each retry", async ({ expect }) => {
  const script = busy(503);
  const { stderr } = await runAgainst(script, [...commands.GET, "--retries", "2"]);
  const [first, second, last] = stderr.split("\n");
  expect(first).toMatch(/responded with HTTP 503; retrying in 0\.3 s \(attempt 2 of 3\)$/);
  expect(second).toMatch(/; retrying in 0\.5 s \(attempt 3 of 3\)$/);
  expect(last).toMatch(/^sendctl: Not now \(HTTP 503, unavailable\)$/);
  const quiet = await runAgainst(script, [...commands.GET, "--retries", "2", "--quiet"]);
  expect(quiet.stderr).not.toContain("retrying");
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
      busy(503, conversation.index === 0 ? "3" : {})(received, conversation);
    }, commands.GET);
    expect(result.waits).toStrictEqual([3000, 500]);
  });
});

test("the end of a window counts only if its quota is used up", async ({ expect }) => {
  const quota = { "X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "3600" };
  const result = await runAgainst(busy(502, quota), commands.GET);
  expect(result).toMatchObject({ exitCode: 8, waits: backoff, violations: [] });
});

test.for(["0", "5"])(
  "403 with Retry-After is a rate limit, not a key: %s",
  async (seconds, { expect }) => {
    const result = await runAgainst(busy(403, seconds), [...commands.POST, "--json"]);
    const wait = Number(seconds) * 1000;
    expect(result).toMatchObject({ exitCode: 7, violations: [] });
    expect(result.waits).toStrictEqual(backoff.map((pause) => Math.max(pause, wait)));
    expect(JSON.parse(result.stdout)).toMatchObject({ error: { kind: "rate_limited" } });
    expect(result.stderr).not.toContain("hint: the key");
  },
);

/** Responds to the attempts of a write in turn: with a status, or not at all. The last one removes the record. */
const inTurn = (outcomes: readonly ("lost" | number)[]): Script => {
  let attempts = 0;
  return ({ method }, { respond, hangUp }) => {
    const isGone = attempts >= outcomes.length && [404, 410].includes(Number(outcomes.at(-1)));
    if (method === "GET")
      return isGone
        ? respond(404, { status: false, message: "Gone" })
        : respond(200, envelope(group));
    const outcome = outcomes[Math.min(attempts++, outcomes.length - 1)]!;
    if (outcome === "lost") return hangUp();
    return respond(outcome, { status: outcome < 300, message: "Not now", data: group });
  };
};

describe("a third attempt after two different outcomes", () => {
  test.for([
    // The record may be gone because of the first attempt.
    ["DELETE", ["lost", 429, 404], 0],
    ["DELETE", ["lost", 503, 410], 0],
    ["DELETE", [429, "lost", 404], 0],
    ["DELETE", [429, 503, 404], 4],
    ["DELETE", [503, 503, 404], 4],
    ["DELETE", ["lost", 429, 429], 9],
    ["DELETE", ["lost", 429, 503], 9],
    ["DELETE", ["lost", 503, 401], 9],
    ["PUT", ["lost", 429, 503], 9],
    ["PUT", [503, "lost", 429], 9],
    ["PUT", ["lost", 503, 500], 9],
    // The group is as the first attempt has left it.
    ["PUT", ["lost", 429, 422], 0],
    ["PUT", [429, 503, 503], 8],
    ["PUT", ["lost", 429, 200], 0],
    ["POST", [429, 429, "lost"], 9],
    ["POST", [429, 429, 503], 8],
  ] as const)("%s after %j is exit %i", async ([way, outcomes, exitCode], { expect }) => {
    const result = await runAgainst(inTurn(outcomes), commands[way]);
    expect(result, result.stderr).toMatchObject({ exitCode, violations: [] });
    const attempts = result.requests.filter((line) => line.startsWith(way));
    expect(attempts.length).toBeGreaterThanOrEqual(3);
    if (exitCode === 9) expect(result.stderr).toContain("may have succeeded");
  });
});

test.for([0, 1, 2])(
  "a delete whose responses are lost is repeated %i times with --retries",
  async (retries, { expect }) => {
    const args = [...commands.DELETE, "--retries", String(retries)];
    const result = await runAgainst(inTurn(["lost"]), args);
    expect(result, result.stderr).toMatchObject({ exitCode: 9, violations: [] });
    const deletes = result.requests.filter((line) => line.startsWith("DELETE"));
    expect(deletes).toHaveLength(retries + 1);
  },
);
