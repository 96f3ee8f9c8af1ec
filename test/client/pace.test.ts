import { describe, expect, test } from "vitest";
import { decode } from "../../src/client/decode.ts";
import { createPace, mayRetry } from "../../src/client/http/retry.ts";

type Turn = Awaited<ReturnType<ReturnType<typeof createPace>["turn"]>>;

/** Creates a pace with a clock that only its waits advance. */
function timedPace() {
  let now = 0;
  const pace = createPace(
    () => now,
    async (milliseconds) => void (now += milliseconds),
  );
  /** Asks for turns, and returns those that are granted at once. */
  const grant = async (count: number): Promise<Turn[]> => {
    const granted: Turn[] = [];
    for (let asked = 0; asked < count; asked += 1) {
      void pace.turn().then((turn) => granted.push(turn));
    }
    await new Promise(setImmediate);
    return granted;
  };
  return { grant, now: () => now };
}

describe("several responses with 429 to requests sent together", () => {
  test("halve the number of concurrent requests once", async () => {
    const { grant } = timedPace();
    const together = await grant(4);
    expect(together).toHaveLength(4);
    for (const turn of together) turn.end({ wait: 1000, isNamed: true });
    expect(await grant(4)).toHaveLength(2);
  });

  test("hold back the next requests once, for the longest wait", async () => {
    const { grant, now } = timedPace();
    for (const [index, turn] of (await grant(4)).entries())
      turn.end({ wait: 1000 + index, isNamed: true });
    for (const turn of await grant(2)) turn.end("lost");
    expect(now()).toBe(1003);
  });

  test("keep the next requests apart, if they name no time", async () => {
    const { grant, now } = timedPace();
    for (const turn of await grant(4)) turn.end({ wait: 500, isNamed: false });
    for (const begins of [500, 600, 700]) {
      const [turn] = await grant(1);
      expect(now()).toBe(begins);
      turn!.end("accepted");
    }
  });

  test("slow down again if they belong to requests sent after the first one", async () => {
    const { grant } = timedPace();
    for (const turn of await grant(4)) turn.end({ wait: 1000, isNamed: true });
    for (const turn of await grant(2)) turn.end({ wait: 1000, isNamed: true });
    expect(await grant(4)).toHaveLength(1);
  });
});

test("a pause that is interrupted ends all requests that wait", async () => {
  const pace = createPace(
    () => 0,
    () => Promise.reject(new Error("interrupted")),
  );
  const sent = await Promise.all(Array.from({ length: 4 }, pace.turn));
  for (const turn of sent) turn.end({ wait: 1000, isNamed: true });
  const waiting = await Promise.allSettled(Array.from({ length: 20 }, pace.turn));
  expect(new Set(waiting.map(({ status }) => status))).toStrictEqual(new Set(["rejected"]));
});

test.for([
  ["ECONNREFUSED", true],
  ["ENOTFOUND", true],
  ["EAI_AGAIN", true],
  ["ECONNRESET", false],
  ["ETIMEDOUT", false],
] as const)("a create that %s kept from being sent is sent again: %s", ([code, isRepeated]) => {
  const error = Object.assign(new Error(code), { code });
  expect(mayRetry("POST", { error, unsent: true }, false)).toBe(isRepeated);
});

test("the wait until a date is never too short", async () => {
  const headers = { "retry-after": new Date(90_000).toUTCString() };
  const base = new URL("http://127.0.0.1");
  const decoding = { base, behaviour: {}, now: () => 500 };
  expect(await decode({ status: 429, headers, text: "" }, decoding)).toMatchObject({
    headers: { "Retry-After": "90" },
  });
});
