import { describe, test } from "vitest";
import { envelope, group, page } from "../sample-responses.ts";
import { runAgainst, type RemoteRun } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

type Listed = Readonly<Record<string, unknown>>;

/** Groups with the ids from `from` to 1, the newest first. */
function groups(from: number): Listed[] {
  return Array.from({ length: from }, (_, index) => ({
    ...group,
    id: from - index,
    name: `Group ${from - index}`,
    contacts_count: 0,
  }));
}

/** What was asked for: perPage and page. */
function asked(target: string): { readonly perPage: number; readonly page: number } {
  const query = new URLSearchParams(target.split("?")[1]);
  return { perPage: Number(query.get("perPage") ?? 15), page: Number(query.get("page") ?? 1) };
}

/** Whoever needs more requests than this for what is here goes round in circles. */
const bound = 150;

/** A list that is paged, whatever it holds by then; it gives up on whoever asks without end. */
function paged(
  recordsAt: (index: number) => readonly Listed[],
  answered: (
    wanted: ReturnType<typeof asked>,
    records: readonly Listed[],
    index: number,
  ) => Readonly<Record<string, unknown>> & { readonly perPage?: number },
): Script {
  return ({ target }, { index, respond }) => {
    if (index > 2 * bound) return respond(400, envelope(null, "Too many requests for a test"));
    const records = recordsAt(index);
    const wanted = asked(target);
    const { perPage = wanted.perPage, ...numbers } = answered(wanted, records, index);
    const current = Number(numbers["current_page"] ?? wanted.page);
    const data = records.slice((current - 1) * perPage, current * perPage);
    const standard = {
      current_page: current,
      last_page: Math.max(1, Math.ceil(records.length / perPage)),
      per_page: perPage,
      total: records.length,
    };
    return respond(200, envelope(page(data, { ...standard, ...numbers }), "Groups retrieved"));
  };
}

/** Another page after every page, of records that nobody has seen. */
const everNew: Script = ({ target }, { index, respond }) => {
  const { page: current } = asked(target);
  const records = groups(10).map((record, nth) => ({ ...record, id: 10 * index + nth }));
  const numbers = { current_page: current, last_page: current + 1, total: 10 * current + 10 };
  // Whoever is still there has to be sent away: memory is not without end.
  if (index > 1000) respond(400, envelope(null));
  else respond(200, envelope(page(records, { ...numbers, per_page: 10 })));
};

const all = ["group", "list", "--all", "--json"];

interface Whole {
  readonly data: {
    readonly data: readonly { readonly id: number; readonly name: string }[];
    readonly current_page: number;
    readonly last_page: number;
    readonly per_page: number;
    readonly total: number;
  };
}

/** The ids that were printed, after a check of the numbers that go with them. */
function idsOf({ stdout }: RemoteRun): readonly number[] | string {
  const { data } = JSON.parse(stdout) as Whole;
  const { current_page, last_page, per_page, total } = data;
  const count = data.data.length;
  const isOnePage = current_page === 1 && last_page === 1 && per_page === count && total === count;
  return isOnePage ? data.data.map(({ id }) => id) : `${count} records, but ${stdout.slice(-200)}`;
}

const idsFrom = (from: number): number[] => groups(from).map(({ id }) => Number(id));

describe("all of a list", () => {
  test.for([0, 1, 15, 16, 52])("of %i records is complete", async (count, { expect }) => {
    const result = await runAgainst(
      paged(
        () => groups(count),
        () => ({}),
      ),
      [...all, "--per-page", "15"],
    );
    expect(result).toMatchObject({ exitCode: 0, stderr: "", violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(count));
    // After a full page there may be another, whatever the total is.
    expect(result.received).toHaveLength(Math.floor(count / 15) + 1);
  });

  test("is complete where the service caps perPage", async ({ expect }) => {
    const script = paged(
      () => groups(52),
      ({ perPage }) => ({ perPage: Math.min(perPage, 10) }),
    );
    const result = await runAgainst(script, all);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(52));
    expect(result.received).toHaveLength(6);
  });

  test("is complete where the service ignores page, which it never promised", async ({
    expect,
  }) => {
    const script = paged(
      () => groups(52),
      () => ({ current_page: 1 }),
    );
    const result = await runAgainst(script, [...all, "--per-page", "15"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(52));
    expect(result.requests.at(-1)).toMatch(/^GET \/v1\/group\?(?=.*\bperPage=53\b)/);
    expect(result.received.length).toBeLessThanOrEqual(bound);
  });

  test("is complete where it ignores page and says that it does not", async ({ expect }) => {
    const script = paged(
      () => groups(52),
      ({ page: wanted, perPage }, records) => ({
        ...page(records.slice(0, perPage)),
        current_page: wanted,
        last_page: Math.ceil(52 / perPage),
        total: 52,
      }),
    );
    const result = await runAgainst(script, [...all, "--per-page", "15"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(52));
  });

  test("is told where it ignores page, and caps perPage", async ({ expect }) => {
    const script = paged(
      () => groups(52),
      () => ({ perPage: 15, current_page: 1 }),
    );
    const result = await runAgainst(script, all);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.stderr).toMatch(/\b15\b.*\b52\b|\b52\b.*\b15\b/);
    expect(result.received.length).toBeLessThanOrEqual(bound);
  });

  test("holds a record once that came twice", async ({ expect }) => {
    // Each page begins with the last record of the one before.
    const overlapping = groups(40).flatMap((record, index) =>
      index % 9 === 8 ? [record, record] : [record],
    );
    const result = await runAgainst(
      paged(
        () => overlapping,
        () => ({ total: 40 }),
      ),
      [...all, "--per-page", "9"],
    );
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(40));
  });

  test("is complete where a record is created while it is read", async ({ expect }) => {
    const script = paged(
      (index) => groups(index === 0 ? 40 : 41),
      () => ({}),
    );
    const result = await runAgainst(script, [...all, "--per-page", "10"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(41));
    expect(result.received.length).toBeLessThanOrEqual(bound);
  });

  test("is complete where a record is deleted while it is read", async ({ expect }) => {
    // What moves up a page is not seen the first time.
    const left = groups(40).filter(({ id }) => id !== 39);
    const script = paged(
      (index) => (index === 0 ? groups(40) : left),
      () => ({}),
    );
    const result = await runAgainst(script, [...all, "--per-page", "10"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(left.map(({ id }) => id));
  });

  test("is told where it has fewer records than it says", async ({ expect }) => {
    for (const last_page of [4, 1, 10]) {
      const result = await runAgainst(
        paged(
          () => groups(40),
          () => ({ total: 47, last_page }),
        ),
        [...all, "--per-page", "10"],
      );
      expect(result, `${last_page} pages`).toMatchObject({ exitCode: 10, violations: [] });
      expect(result.stderr).toContain("47");
      expect(result.stderr).toContain("40");
      expect(result.received.length).toBeLessThanOrEqual(bound);
    }
  });

  test("ends where it grows with every request", async ({ expect }) => {
    const script = paged(
      (index) => groups(40 + 10 * index),
      () => ({}),
    );
    const result = await runAgainst(script, [...all, "--per-page", "10"]);
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(30 + 10 * result.received.length));
    expect(result.received.length).toBeLessThanOrEqual(bound);
  });

  test("ends where there is always another page, of records never seen", async ({ expect }) => {
    const result = await runAgainst(everNew, [...all, "--per-page", "10"]);
    expect(result.violations).toStrictEqual([]);
    expect([0, 10]).toContain(result.exitCode);
    expect(result.received.length).toBeLessThanOrEqual(500);
  });

  test.for([
    ["a last page that never comes", { last_page: Number.MAX_SAFE_INTEGER }],
    ["a last page and a total beyond all", { last_page: 1e15, total: 1e15 }],
    ["a total beyond all", { total: Number.MAX_SAFE_INTEGER }],
    ["a last page before the first", { last_page: -1, total: 99 }],
    ["a last page of none", { last_page: 0, total: 99 }],
    ["less than no records", { total: -1, last_page: 10 ** 9 }],
  ] as const)("ends at %s", async ([, numbers], { expect }) => {
    const result = await runAgainst(
      paged(
        () => groups(40),
        () => numbers,
      ),
      [...all, "--per-page", "10"],
    );
    expect(result.violations).toStrictEqual([]);
    expect(result.received.length).toBeLessThanOrEqual(bound);
    if (result.exitCode === 0) expect(idsOf(result)).toStrictEqual(idsFrom(40));
    else expect(result.exitCode).toBe(10);
  });

  test.for([
    ["without an id", { id: undefined }],
    ["whose id is null", { id: null }],
    ["that all have one id", { id: 7 }],
    ["whose id is an object", { id: { toString: null } }],
  ] as const)("is complete or told, for records %s", async ([, odd], { expect }) => {
    const records = groups(12).map((record) => ({ ...record, ...odd }));
    const result = await runAgainst(
      paged(
        () => records,
        () => ({}),
      ),
      all,
    );
    expect(result.violations).toStrictEqual([]);
    if (result.exitCode === 0)
      expect((JSON.parse(result.stdout) as Whole).data.data).toHaveLength(12);
    else expect(result.exitCode).toBe(10);
    expect(result.received.length).toBeLessThanOrEqual(bound);
  });

  test("has ids that are text, each one once", async ({ expect }) => {
    const records = groups(12).map((record) => ({ ...record, id: `g-${String(record["id"])}` }));
    const result = await runAgainst(
      paged(
        () => records,
        () => ({}),
      ),
      [...all, "--per-page", "5"],
    );
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    expect(idsOf(result)).toStrictEqual(records.map(({ id }) => id));
  });

  test("is what it means, however it is written", async ({ expect }) => {
    const records = JSON.stringify(groups(3));
    const numbers = '"current_page":1,"last_page":1,"per_page":3,"total":3';
    for (const text of [
      `{"status":true,"message":"Done","d\\u0061ta":{"data":${records},${numbers}}}`,
      `{"status":true,"message":"Done","data":{"d\\u0061ta":${records},${numbers}}}`,
      // Of two members of a name, JSON.parse takes the second.
      `{"status":true,"message":"Done","data":{"data":[{"id":9}],"data":${records},${numbers}}}`,
      `{"status":true,"message":"Done","data":{"data":[{"id":9}]},"data":{"data":${records},${numbers}}}`,
    ]) {
      const result = await runAgainst((_, { respond }) => respond(200, text), all);
      expect(result, text).toMatchObject({ exitCode: 0, violations: [] });
      expect(idsOf(result), text).toStrictEqual(idsFrom(3));
    }
  });

  test("is passed on as it was refused half way", async ({ expect }) => {
    const script = paged(
      () => groups(40),
      () => ({}),
    );
    const result = await runAgainst(
      (received, conversation) => {
        if (conversation.index < 2) return script(received, conversation);
        return conversation.respond(403, { status: false, message: "Enough", data: null });
      },
      [...all, "--per-page", "10"],
    );
    expect(result).toMatchObject({ exitCode: 3, violations: [] });
    expect(JSON.parse(result.stdout)).toStrictEqual({
      status: false,
      message: "Enough",
      data: null,
      error: { kind: "auth", http_status: 403, message: "Enough", hint: null },
    });
  });
});
