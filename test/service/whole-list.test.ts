import { describe, expect, test } from "vitest";
import { collected } from "./changing-list.ts";
import type { PageQuery, Reply } from "../../src/contract/service.ts";

/** A service that lists these ids, newest first, and changes them between pages. */
function serviceOf(ids: number[], between: (ids: number[], requestCount: number) => void) {
  let requestCount = 0;
  return async ({ perPage = 15, page = 1 }: PageQuery): Promise<Reply> => {
    if (requestCount > 0) between(ids, requestCount);
    requestCount += 1;
    const size = Number(perPage);
    const begin = (Number(page) - 1) * size;
    const data = {
      data: ids.slice(begin, begin + size).map((id) => ({ id })),
      current_page: Number(page),
      last_page: Math.max(1, Math.ceil(ids.length / size)),
      per_page: size,
      total: ids.length,
    };
    const envelope = { status: true, message: "Groups retrieved", data };
    return { status: 200, text: JSON.stringify(envelope), envelope };
  };
}

async function idsOf(list: (query: PageQuery) => Promise<Reply>): Promise<number[]> {
  const lines = await collected(list, 2);
  return lines.map(({ record }) => record["id"] as number);
}

describe("a list that changes while it is read", () => {
  test("has no duplicates if a record is added", async () => {
    const list = serviceOf([5, 4, 3, 2, 1], (ids, requestCount) => {
      if (requestCount === 1) ids.unshift(6);
    });
    const shown = await idsOf(list);
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown).toStrictEqual(shown.toSorted((one, other) => other - one));
    expect(shown).toStrictEqual(expect.arrayContaining([5, 4, 3, 2, 1]));
  });

  test("has every remaining record if another is deleted", async () => {
    const list = serviceOf([6, 5, 4, 3, 2, 1], (ids, requestCount) => {
      // The first record of the next page moves to the page already read.
      if (requestCount === 1) ids.splice(ids.indexOf(6), 1);
    });
    expect(await idsOf(list)).toStrictEqual(expect.arrayContaining([5, 4, 3, 2, 1]));
  });
});
