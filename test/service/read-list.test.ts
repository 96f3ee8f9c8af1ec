import { cursorHeader } from "../../src/contract/request.ts";
import { describe, expect, test } from "vitest";
import type { PageQuery, Reply } from "../../src/contract/service.ts";
import type { SendctlError } from "../../src/core/error.ts";
import { successOf } from "../../src/service/refusals.ts";
import { eachRecord, newestPage, readList, type List } from "../../src/service/read-list.ts";

type Item = Readonly<Record<string, unknown>>;

const items = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: count - index }));

const refusal = (status: number): Reply => ({ status, text: "{}", envelope: undefined });

/** Returns a page of a list; `numbers` replaces its numbers. */
function pageOf(all: readonly Item[], { perPage = 15, page = 1 }: PageQuery, numbers = {}): Reply {
  const [size, number] = [Number(perPage), Number(page)];
  const data = {
    data: all.slice((number - 1) * size, number * size),
    current_page: number,
    last_page: Math.max(1, Math.ceil(all.length / size)),
    per_page: size,
    total: all.length,
    ...numbers,
  };
  const envelope = { status: true, message: "Done", data };
  return { status: 200, text: JSON.stringify(envelope), envelope };
}

/** Reads a list. @param isStream whether the records cannot be dropped */
async function read(
  respond: (query: PageQuery, index: number) => Reply,
  { isStream = false, perPage }: { isStream?: boolean; perPage?: number } = {},
) {
  const queries: string[] = [];
  let ids: unknown[] = [];
  const list: List = async (query) => {
    queries.push(`${query.perPage ?? ""}/${query.page ?? 1}`);
    return successOf(respond(query, queries.length - 1));
  };
  const add = async (lines: readonly { record: Item }[]): Promise<void> =>
    void ids.push(...lines.map(({ record }) => record["id"]));
  const sink = isStream ? { add } : { add, clear: () => void (ids = []) };
  const error = await readList(list, sink, { perPage }).then(
    () => undefined,
    (thrown: unknown) => thrown as SendctlError,
  );
  return { queries, ids, kind: error?.kind, message: error?.message };
}

const idsOf = (all: readonly Item[]): unknown[] => all.map(({ id }) => id);

/** Sends pages of 25 records by cursor, and deletes the oldest after each. */
const byCursor = ({ perPage, cursor }: PageQuery, index: number): Reply => {
  const kept = items(25).filter(({ id }) => Number(id) > index);
  const left = kept.filter(({ id }) => Number(id) < Number(cursor ?? 99));
  const page = pageOf(left, { perPage: perPage! }, { total: 25 - index, last_page: 3 });
  const last = (page.envelope!.data as { data: Item[] }).data.at(-1)?.["id"] ?? cursor;
  return { ...page, headers: { [cursorHeader]: `${last as number}` } };
};

describe("a list", () => {
  test("ends with a page after the first that is refused with 404", async () => {
    for (const last_page of [1, 2, 3]) {
      const respond = (query: PageQuery): Reply =>
        Number(query.page ?? 1) > 2 ? refusal(404) : pageOf(items(20), query, { last_page });
      const { ids, queries, kind } = await read(respond, { perPage: 10 });
      expect({ ids, kind }).toStrictEqual({ ids: idsOf(items(20)), kind: undefined });
      expect(queries).toStrictEqual(["10/1", "10/2", "10/3"]);
    }
  });

  test("is incomplete if a 404 comes before as many records as its total", async () => {
    const { kind, message, queries } = await read(
      (query) => (query.page === undefined ? pageOf(items(20), query) : refusal(404)),
      { perPage: 10 },
    );
    expect(kind).toBe("unexpected_response");
    expect(message).toBe("the list is incomplete: received 10 records, expected 20");
    expect(queries).toHaveLength(6);
  });

  test("is not requested again if its first page is refused with 404", async () => {
    const { kind, queries } = await read(() => refusal(404));
    expect({ kind, queries }).toStrictEqual({ kind: "not_found", queries: ["1000/1"] });
  });

  test.for([500, 504])("is read by 100 after HTTP %i for a page of 1000", async (status) => {
    const respond = (query: PageQuery): Reply =>
      Number(query.perPage) > 100 ? refusal(status) : pageOf(items(250), query);
    const { ids, queries } = await read(respond);
    expect(ids).toStrictEqual(idsOf(items(250)));
    expect(queries).toStrictEqual(["1000/1", "100/1", "100/2", "100/3"]);
    const newest = await newestPage(async (query) => successOf(respond(query)));
    expect(newest.envelope?.data).toMatchObject({ per_page: 100 });
  });

  test("is not read by 100 after another failure, or with a page size of the user", async () => {
    expect(await read(() => refusal(503))).toMatchObject({ queries: ["1000/1"] });
    const chosen = await read(() => refusal(504), { perPage: 500 });
    expect(chosen).toMatchObject({ kind: "unavailable", queries: ["500/1"] });
    const twice = await read(() => refusal(504));
    expect(twice).toMatchObject({ kind: "unavailable", queries: ["1000/1", "100/1"] });
  });

  test("is read again and complete if its total shrinks once", async () => {
    const left = items(25).toSpliced(2, 1);
    const respond = (query: PageQuery, index: number): Reply =>
      pageOf(index === 0 ? items(25) : left, query);
    const { ids, queries, kind } = await read(respond, { perPage: 10 });
    expect({ ids, kind }).toStrictEqual({ ids: idsOf(left), kind: undefined });
    expect(queries).toStrictEqual(["10/1", "10/2", "10/3", "10/1", "10/2", "10/3"]);
    const stream = await read(respond, { perPage: 10, isStream: true });
    expect(stream.kind).toBe("unexpected_response");
    expect(stream.message).toBe("the list changed while it was read, so records may be missing");
    expect(stream.queries).toHaveLength(3);
  });

  test("passes each record to a look-up once, even if it is read again", async () => {
    const left = items(25).toSpliced(2, 1);
    const taken: unknown[] = [];
    let requests = 0;
    await eachRecord(
      async (query) => {
        requests += 1;
        return pageOf(requests === 1 ? items(25) : left, { ...query, perPage: 10 });
      },
      ({ id }) => taken.push(id),
    );
    expect(taken.toSorted((a, b) => Number(b) - Number(a))).toStrictEqual(idsOf(items(25)));
  });

  test("is requested as one page if the service ignores `page`", async () => {
    for (const echoed of [1, undefined]) {
      const respond = ({ perPage, page = 1 }: PageQuery): Reply =>
        pageOf(items(30), { perPage: perPage ?? 15 }, { current_page: echoed ?? page });
      const { ids, queries } = await read(respond, { perPage: 10 });
      expect(ids).toStrictEqual(idsOf(items(30)));
      expect(queries).toStrictEqual(["10/1", "10/2", "31/1"]);
    }
  });

  test("is not cut at a total that is too small", async () => {
    for (const total of [1, 5, 29]) {
      const numbers = { total, last_page: Math.ceil(total / 10) };
      const { ids, kind } = await read((query) => pageOf(items(38), query, numbers), {
        perPage: 10,
      });
      expect({ ids, kind }).toStrictEqual({ ids: idsOf(items(38)), kind: undefined });
    }
  });

  test("has no record twice if a page is repeated, and is read again", async () => {
    const respond = (query: PageQuery, index: number): Reply =>
      index === 2
        ? pageOf(items(40), { ...query, page: 2 }, { current_page: 3 })
        : pageOf(items(40), query);
    const { ids, queries, kind } = await read(respond, { perPage: 10 });
    expect({ ids, kind }).toStrictEqual({ ids: idsOf(items(40)), kind: undefined });
    expect(queries).toHaveLength(10);
    const stream = await read(respond, { perPage: 10, isStream: true });
    expect(stream.ids).toStrictEqual(idsOf(items(40).toSpliced(20, 10)));
    expect(stream.kind).toBe("unexpected_response");
  });

  test("ends if the service repeats its last page beyond it", async () => {
    const respond = (query: PageQuery): Reply =>
      pageOf(
        items(20),
        { ...query, page: Math.min(2, Number(query.page ?? 1)) },
        { current_page: query.page ?? 1 },
      );
    const { ids, queries } = await read(respond, { perPage: 10 });
    expect(ids).toStrictEqual(idsOf(items(20)));
    expect(queries).toStrictEqual(["10/1", "10/2", "10/3"]);
  });

  test("ends with an empty page that does not have the total", async () => {
    const respond = (query: PageQuery): Reply =>
      query.page === 3
        ? pageOf([], query, { current_page: 1, total: 0 })
        : pageOf(items(20), query);
    const { ids, kind } = await read(respond, { perPage: 10, isStream: true });
    expect({ ids, kind }).toStrictEqual({ ids: idsOf(items(20)), kind: undefined });
  });

  test("by cursors is complete in one reading, although records are deleted meanwhile", async () => {
    const { ids, queries, kind } = await read(byCursor, { perPage: 10, isStream: true });
    expect({ ids, kind }).toStrictEqual({ ids: idsOf(items(25).slice(0, 23)), kind: undefined });
    expect(queries).toStrictEqual(["10/1", "10/2", "10/3"]);
  });

  test("has records without an id once, by their text", async () => {
    const all = ["a", "b", "c", "d"].map((name) => ({ name }));
    const names: unknown[] = [];
    await readList(
      async (query) =>
        // The second page overlaps the first.
        query.page === 2
          ? pageOf(all.slice(1), { perPage: 3 }, { current_page: 2, last_page: 2, total: 4 })
          : pageOf(query.page === 3 ? [] : all.slice(0, 3), { perPage: 3 }, { total: 4 }),
      { add: async (lines) => void names.push(...lines.map(({ record }) => record["name"])) },
      { perPage: 3 },
    );
    expect(names).toStrictEqual(["a", "b", "c", "d"]);
  });
});

test.for([
  ["in sequence", [1, 2, 3, 31, 32, 33, 63, 64]],
  ["below zero", [-1, -31, -32, -33, 0, 31]],
  ["large", [2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1, 2 ** 53 - 2]],
  ["of other types", ["5", "a", "é", 2n ** 60n, 2n ** 60n + 1n, 1.5]],
] as const)("records with ids %s are distinct", async ([, given]) => {
  const all = given.map((id) => ({ id }));
  const { envelope } = pageOf([], { perPage: 1000 });
  const data = { ...(envelope!.data as object), data: [...all, ...all], total: all.length };
  const ids: unknown[] = [];
  await readList(async () => ({ status: 200, text: "", envelope: { ...envelope!, data } }), {
    add: async (lines) => void ids.push(...lines.map(({ record }) => record["id"])),
  });
  expect(ids).toStrictEqual([...given]);
});
