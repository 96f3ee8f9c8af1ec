import { describe, expect, test } from "vitest";
import { envelope, group, page, senderId } from "./sample-responses.ts";
import { now, runAgainst, type RemoteRun } from "./run-remote.ts";
import type { Script } from "./scripted-service.ts";

/** A service that loses the response to a create. Times are in milliseconds. */
interface Losing {
  /** Age of an existing record with the same fields when the create is sent. */
  readonly age?: number;
  /** Time that the service takes for the create before it loses the response; undefined if it drops the request. */
  readonly taken?: number;
  /** How far the clock of the service is ahead. */
  readonly ahead?: number;
  /** How far `created_at` is ahead of the header Date. */
  readonly skew?: number;
  readonly digits?: 0 | 3;
  /** Returns the header Date for the time of the service. */
  readonly date?: (time: number) => string | undefined;
  /** When the create is sent, after a whole second. */
  readonly start?: number;
}

const nouns = {
  group: [["group", "create", "A", "--send-birthday"], { ...group, name: "A" }],
  "sender ID": [
    ["sender-id", "create", "A", "--purpose", "B"],
    { ...senderId, name: "A", purpose: "B" },
  ],
} as const;

const nounNames = Object.keys(nouns) as (keyof typeof nouns)[];

function httpDate(time: number): string {
  return new Date(time).toUTCString();
}

async function createAt(noun: keyof typeof nouns, losing: Losing): Promise<RemoteRun> {
  const { age, taken, ahead = 0, skew = 0, digits = 3, date = httpDate, start = 417 } = losing;
  const [args, sample] = nouns[noun];
  const clock = { now: now + start };
  const time = (): number => clock.now + ahead;
  const records: object[] = [];
  const add = (created: number): void => {
    const text = new Date(created).toISOString();
    const created_at = digits === 0 ? `${text.slice(0, 19)}.000000Z` : text;
    records.unshift({ ...sample, id: records.length + 1, created_at });
  };
  if (age !== undefined) add(time() + skew - age);
  const script: Script = ({ method, target }, { respond, hangUp }) => {
    if (method === "POST") {
      if (taken !== undefined) add(time() + taken + skew);
      clock.now += taken ?? 0;
      return hangUp();
    }
    // A request takes a while, so that the order of the times matters.
    clock.now += 2;
    const shown = date(time());
    clock.now += 1;
    const headers = shown === undefined ? {} : { Date: shown };
    if (target.startsWith("/v1/group?") || target === "/v1/group") {
      return respond(200, envelope(page(records)), headers);
    }
    return records.length === 0
      ? respond(404, { status: false, message: "Not found", data: null }, headers)
      : respond(200, envelope(records[0]), headers);
  };
  return runAgainst(script, [...args, "--json"], { clock });
}

const aheads = [0, 777, -3_600_123];
const starts = [3, 417, 988];
const clocks = aheads.flatMap((ahead) => starts.map((start) => ({ ahead, start })));

interface Failed {
  readonly error: { readonly kind: string; readonly hint: string; readonly lookup?: object };
}

function failureOf({ stdout }: RemoteRun): Failed["error"] {
  return (JSON.parse(stdout) as Failed).error;
}

describe.for(nounNames)("a lost create of a %s", (noun) => {
  const inTime = [50, 300, 1000, 2000, 5000].flatMap((age) =>
    clocks.map((one) => ({ ...one, age })),
  );

  test.for(inTime)("that was dropped is not mistaken for an older record: %j", async (losing) => {
    const result = await createAt(noun, losing);
    expect(result).toMatchObject({ exitCode: 9, violations: [] });
    expect(result.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(failureOf(result).lookup).toMatchObject({ result: "found", records: [{ id: 1 }] });
  });

  const slow = [1, 15, 121, 640, 4300].flatMap((taken) => clocks.map((one) => ({ ...one, taken })));

  test.for(slow)("that was carried out is found: %j", async (losing) => {
    const result = await createAt(noun, losing);
    expect(result, result.stderr).toMatchObject({ exitCode: 0, violations: [] });
    const { data } = JSON.parse(result.stdout) as { readonly data: object };
    expect(data).toMatchObject({ id: 1, name: "A" });
    // The user waits for these: the create, a lookup of two pages, and six to measure the clock.
    expect(result.requests.length).toBeLessThanOrEqual(9);
    expect(result.waits.reduce((one, other) => one + other, 0)).toBeLessThanOrEqual(2100);
  });

  const unreliable: Readonly<Record<string, Losing>> = {
    "no Date": { date: () => undefined },
    "a constant Date": { date: () => httpDate(now) },
    "a Date that a proxy renews every 10 s": {
      date: (time) => httpDate(Math.floor(time / 10_000) * 10_000),
    },
    "a Date 1.5 s late": { date: (time) => httpDate(time - 1500) },
    "a Date 1.5 s early": { date: (time) => httpDate(time + 1500) },
    "created_at 5 s ahead": { skew: 5000 },
    "created_at 5 s behind": { skew: -5000 },
    "created_at in whole seconds": { digits: 0 },
  };
  const cases = Object.entries(unreliable).flatMap(([what, losing]) =>
    [{ age: 50 }, { age: 300 }, { age: 800 }, { taken: 2 }].map(
      (more) => [what, { ...losing, ...more }] as const,
    ),
  );

  test.for(cases)("is unknown with %s: %j", async ([, losing]) => {
    const result = await createAt(noun, losing);
    expect(result, result.stdout).toMatchObject({ exitCode: 9, violations: [] });
  });

  test("is reported with what the lookup found", async () => {
    const result = await createAt(noun, {});
    expect(failureOf(result)).toMatchObject({
      kind: "outcome_unknown",
      lookup: { result: "not_found", records: [] },
    });
  });
});

test("a lost create is reported with a failed lookup", async () => {
  const result = await runAgainst(
    ({ method }, { respond, hangUp }) =>
      method === "POST" ? hangUp() : respond(500, { status: false, message: "Down", data: null }),
    ["group", "create", "A", "--json"],
  );
  expect(result).toMatchObject({ exitCode: 9, violations: [] });
  expect(failureOf(result).lookup).toMatchObject({ result: "failed", records: [] });
});

test("a lost create that was carried out is found although a namesake is 0.3 s older", async () => {
  const result = await createAt("group", { age: 300, taken: 2 });
  expect(result, result.stderr).toMatchObject({ exitCode: 0, violations: [] });
  expect(JSON.parse(result.stdout)).toMatchObject({ data: { id: 2 } });
});
