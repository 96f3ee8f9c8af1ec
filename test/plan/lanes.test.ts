import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Reply } from "../../src/contract/service.ts";
import { createLanes } from "../../src/plan/lanes.ts";

function reply(status: number, retryAfter?: number): Reply {
  return {
    status,
    text: "",
    envelope: status < 300 ? { status: true, message: "", data: null } : undefined,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** Creates lanes whose waits take no time and are recorded in milliseconds. */
function lanesOf() {
  const waits: number[] = [];
  const lanes = createLanes(async (milliseconds) => void waits.push(milliseconds));
  return { lanes, waits };
}

/** Sends requests of one kind, which receive these replies in turn; the last one repeats. */
function sender({ send }: ReturnType<typeof createLanes>, replies: readonly Reply[]) {
  let asked = 0;
  const ask = async (): Promise<Reply> => replies[Math.min(asked++, replies.length - 1)]!;
  return { send: () => send("create", ask), asked: () => asked };
}

const ok = reply(200);

test.for([
  [0, 0],
  [1, 1],
  [16, 16],
  [40, 16],
])("of %i items, %i are processed concurrently", async ([count, max]) => {
  const { lanes } = lanesOf();
  let working = 0;
  let maxAtOnce = 0;
  const done: number[] = [];
  await lanes.each(Array.from(Array(count).keys()), async (item) => {
    working += 1;
    maxAtOnce = Math.max(maxAtOnce, working);
    await setImmediate();
    working -= 1;
    done.push(item);
  });
  expect(done.toSorted((a, b) => a - b)).toStrictEqual(Array.from(Array(count).keys()));
  expect(maxAtOnce).toBe(max);
});

test.for([
  ["a reply that is not a 429", [reply(503, 1)], 503, []],
  ["a 429 before any success of its kind", [reply(429, 1)], 429, []],
  ["a 429 without Retry-After", [ok, reply(429), ok], 200, [1000]],
  ["a 429 with Retry-After", [ok, reply(429, 7), ok], 200, [7000]],
  ["a 429 that asks for a minute", [ok, reply(429, 60), ok], 200, [60_000]],
  ["a 429 that asks for more than a minute", [ok, reply(429, 61), ok], 429, []],
  ["a 429 that does not end", [ok, reply(429, 0)], 429, Array(10).fill(0)],
] as const satisfies readonly (readonly [string, readonly Reply[], number, readonly number[]])[])(
  "%s",
  async ([, replies, status, expected]) => {
    const { lanes, waits } = lanesOf();
    const { send } = sender(lanes, replies);
    let last = await send();
    if (replies[0]?.status === 200) last = await send();
    expect(last.status).toBe(status);
    expect(waits).toStrictEqual(expected);
  },
);

test("a success of one kind does not cause another kind to wait", async () => {
  const { lanes, waits } = lanesOf();
  await lanes.send("create", async () => ok);
  expect((await lanes.send("update", async () => reply(429, 1))).status).toBe(429);
  expect(waits).toStrictEqual([]);
});

test.for<readonly [refusals: number, open: number]>([
  [1, 8],
  [2, 4],
  [3, 2],
  [4, 1],
  [5, 1],
])("after %i 429 replies, %i lanes are open", async ([refusals, open]) => {
  const { lanes } = lanesOf();
  const { send } = sender(lanes, [
    ok,
    ...Array.from({ length: refusals }, () => reply(429, 0)),
    ok,
  ]);
  await send();
  await send();
  let working = 0;
  let maxAtOnce = 0;
  await lanes.each(Array.from(Array(20).keys()), async () => {
    working += 1;
    maxAtOnce = Math.max(maxAtOnce, working);
    await setImmediate();
    working -= 1;
  });
  expect(maxAtOnce).toBe(open);
});

test("lanes close before the last item, and every item is processed", async () => {
  const { lanes } = lanesOf();
  const { send } = sender(lanes, [ok, reply(429, 0), reply(429, 0), ok]);
  await send();
  let working = 0;
  const atOnce: number[] = [];
  await lanes.each(Array.from(Array(60).keys()), async (item) => {
    working += 1;
    if (item === 0) await send();
    await setImmediate();
    atOnce.push(working);
    working -= 1;
  });
  expect(atOnce).toHaveLength(60);
  expect(Math.max(...atOnce)).toBe(16);
  expect(Math.max(...atOnce.slice(-20))).toBe(4);
});

async function fail(): Promise<void> {
  throw new Error("stopped");
}

test("an error stops the work", async () => {
  await expect(lanesOf().lanes.each([1, 2], fail)).rejects.toThrow("stopped");
});

test("after a 429 no lane sends until the wait is over", async () => {
  const waits: (() => void)[] = [];
  const lanes = createLanes(() => new Promise((resolve) => waits.push(resolve)));
  await lanes.send("create", async () => ok);
  const replies = Array.from({ length: 5 }, () => sender({ ...lanes }, [reply(429), ok]));
  const sent = replies.map(({ send }) => send());
  await setImmediate();
  const late = sender({ ...lanes }, [ok]);
  sent.push(late.send());
  await setImmediate();
  expect(waits).toHaveLength(1);
  expect(late.asked()).toBe(0);
  waits[0]!();
  expect((await Promise.all(sent)).map(({ status }) => status)).toStrictEqual(Array(6).fill(200));
  expect(waits).toHaveLength(1);
});
