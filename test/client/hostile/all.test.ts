import { describe, test } from "vitest";
import { envelope, group, page } from "../sample-responses.ts";
import { runAgainst, type RemoteRun } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

type Listed = Readonly<Record<string, unknown>>;

/** Returns groups with the ids from `from` down to 1. */
function groups(from: number): Listed[] {
  return Array.from({ length: from }, (_, index) => ({
    ...group,
    id: from - index,
    name: `Group ${from - index}`,
    contacts_count: 0,
  }));
}

/** Returns the requested perPage and page. */
function requestedPage(target: string): { readonly perPage: number; readonly page: number } {
  const query = new URLSearchParams(target.split("?")[1]);
  return { perPage: Number(query.get("perPage") ?? 15), page: Number(query.get("page") ?? 1) };
}

/** More requests than this mean an endless loop. */
const bound = 150;

type Numbers = Readonly<Record<string, unknown>>;

/** Serves pages of a list that may change between requests. Refuses a client in an endless loop. */
function paged(
  given: readonly Listed[] | ((index: number) => readonly Listed[]),
  numbersFor:
    | Numbers
    | ((wanted: ReturnType<typeof requestedPage>, records: readonly Listed[]) => Numbers) = {},
): Script {
  return ({ target }, { index, respond }) => {
    if (index > 2 * bound) return respond(400, envelope(null, "Too many requests for a test"));
    const records = typeof given === "function" ? given(index) : given;
    const wanted = requestedPage(target);
    const { perPage } = wanted;
    const numbers = typeof numbersFor === "function" ? numbersFor(wanted, records) : numbersFor;
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

/** Serves an endless list: every page is followed by another with new records. */
const everNew =
  (total: number | undefined): Script =>
  ({ target }, { index, respond }) => {
    const { page: current } = requestedPage(target);
    const records = groups(10).map((record, nth) => ({ ...record, id: 10 * index + nth }));
    const numbers = { current_page: current, last_page: current + 1, per_page: 10 };
    // Ends the test before a client in an endless loop exhausts memory.
    if (index > 1000) respond(400, envelope(null));
    else respond(200, envelope(page(records, { ...numbers, total: total ?? 10 * current + 10 })));
  };

const all = ["group", "list", "--all", "--json"];
const inTens = [...all, "--per-page", "10"];

interface Whole {
  readonly data: {
    readonly data: readonly { readonly id: number; readonly name: string }[];
    readonly current_page: number;
    readonly last_page: number;
    readonly per_page: number;
    readonly total: number;
  };
}

/** Returns the printed ids, or a description of page numbers that do not match them. */
function idsOf({ stdout }: RemoteRun): readonly number[] | string {
  const { data } = JSON.parse(stdout) as Whole;
  const { current_page, last_page, per_page, total } = data;
  const count = data.data.length;
  const isOnePage = current_page === 1 && last_page === 1 && per_page === count && total === count;
  return isOnePage ? data.data.map(({ id }) => id) : `${count} records, but ${stdout.slice(-200)}`;
}

const idsFrom = (from: number): number[] => groups(from).map(({ id }) => Number(id));

describe("a whole list", () => {
  test.for([0, 1, 15, 16, 52])("of %i records is complete", async (count, { expect }) => {
    const result = await runAgainst(paged(groups(count)), [...all, "--per-page", "15"]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "", violations: [] });
    expect(idsOf(result)).toStrictEqual(idsFrom(count));
    // A full page may be followed by another, whatever the total is.
    expect(result.received).toHaveLength(Math.floor(count / 15) + 1);
  });

  test("is read again at most twice if its total always shrinks", async ({ expect }) => {
    const script = paged((index) => groups(40 - index));
    const counts = { json: 3, table: 3, id: 1 };
    for (const [format, readings] of Object.entries(counts)) {
      const args = ["group", "list", "--all", "--per-page", "10", "-o", format];
      const result = await runAgainst(script, args);
      expect(result).toMatchObject({ exitCode: 10, violations: [] });
      expect(result.stderr).toContain("the list changed while it was read");
      const starts = result.requests.filter((line) => !line.includes("&page="));
      expect(starts).toHaveLength(readings);
    }
  });

  test.for([
    ["newest first", (records: readonly Listed[]) => records],
    ["oldest first", (records: readonly Listed[]) => records.toReversed()],
  ] as const)(
    "of pages that are shorter than the service says is complete: %s",
    async ([, order], { expect }) => {
      for (const count of [10, 11, 20, 25, 1030]) {
        // It limits perPage, but does not say so.
        const script: Script = (received, conversation) => {
          const { page: number, perPage } = requestedPage(received.target);
          const records = order(groups(count)).slice(10 * (number - 1), 10 * number);
          const last_page = Math.ceil(count / perPage);
          const numbers = { current_page: number, last_page, per_page: perPage, total: count };
          conversation.respond(200, envelope(page(records, numbers)));
        };
        const result = await runAgainst(script, all);
        expect(result, `${count}`).toMatchObject({ exitCode: 0, violations: [] });
        expect(idsOf(result)).toStrictEqual(order(groups(count)).map(({ id }) => id));
        const pages = count === 10 ? 1 : Math.floor(count / 10) + 1;
        expect(result.received).toHaveLength(pages);
      }
    },
  );

  test.for([
    ["json", 500],
    ["id", 150],
  ] as const)(
    "ends as %s even if every page is followed by another with new records",
    async ([format, most], { expect }) => {
      const args = ["group", "list", "--all", "--per-page", "10", "-o", format];
      for (const total of [undefined, 1e9]) {
        const result = await runAgainst(everNew(total), args);
        expect(result).toMatchObject({ exitCode: 10, violations: [] });
        expect(result.received.length).toBeLessThan(most);
      }
    },
  );

  test.for([
    ["a last page that is never reached", { last_page: Number.MAX_SAFE_INTEGER }],
    ["a huge last page and total", { last_page: 1e15, total: 1e15 }],
    ["a huge total", { total: Number.MAX_SAFE_INTEGER }],
    ["a negative last page", { last_page: -1, total: 99 }],
    ["last page 0", { last_page: 0, total: 99 }],
    ["a negative total", { total: -1, last_page: 10 ** 9 }],
  ] as const)("ends with %s", async ([, numbers], { expect }) => {
    const result = await runAgainst(paged(groups(40), numbers), inTens);
    expect(result.violations).toStrictEqual([]);
    expect(result.received.length).toBeLessThanOrEqual(bound);
    if (result.exitCode === 0) expect(idsOf(result)).toStrictEqual(idsFrom(40));
    else expect(result.exitCode).toBe(10);
  });

  test.for([
    ["without an id", { id: undefined }],
    ["whose id is null", { id: null }],
    ["that all have the same id", { id: 7 }],
    ["whose id is an object", { id: { toString: null } }],
  ] as const)(
    "is complete or reported as incomplete for records %s",
    async ([, odd], { expect }) => {
      const records = groups(12).map((record) => ({ ...record, ...odd }));
      const result = await runAgainst(paged(records), all);
      expect(result.violations).toStrictEqual([]);
      if (result.exitCode === 0)
        expect((JSON.parse(result.stdout) as Whole).data.data).toHaveLength(12);
      else expect(result.exitCode).toBe(10);
      expect(result.received.length).toBeLessThanOrEqual(bound);
    },
  );
});
