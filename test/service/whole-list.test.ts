import { describe, expect, test } from "vitest";
import { wholeList } from "../../src/service/whole-list.ts";
import type { PageQuery, Reply } from "../../src/contract/service.ts";

/** A service that lists these ids, the newest first, and on which others work between two pages. */
function serviceOf(ids: number[], between: (ids: number[], asked: number) => void) {
  let asked = 0;
  return async ({ perPage = 15, page = 1 }: PageQuery): Promise<Reply> => {
    if (asked > 0) between(ids, asked);
    asked += 1;
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
  const { text } = await wholeList(list, 2);
  const { data } = JSON.parse(text) as { data: { data: { id: number }[]; total: number } };
  expect(data.total).toBe(data.data.length);
  return data.data.map(({ id }) => id);
}

describe("a list that changes while it is read", () => {
  test("shows nothing twice when a record is added", async () => {
    const list = serviceOf([5, 4, 3, 2, 1], (ids, asked) => {
      if (asked === 1) ids.unshift(6);
    });
    const shown = await idsOf(list);
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown).toStrictEqual(shown.toSorted((one, other) => other - one));
    expect(shown).toStrictEqual(expect.arrayContaining([5, 4, 3, 2, 1]));
  });

  test("misses none that was there all the while when another is deleted", async () => {
    const list = serviceOf([6, 5, 4, 3, 2, 1], (ids, asked) => {
      // What stood at the head of the next page moves to the page that was read.
      if (asked === 1) ids.splice(ids.indexOf(6), 1);
    });
    expect(await idsOf(list)).toStrictEqual(expect.arrayContaining([5, 4, 3, 2, 1]));
  });
});
