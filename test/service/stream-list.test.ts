import { expect, test } from "vitest";
import type { PageQuery, Reply } from "../../src/contract/service.ts";
import { eachRecord } from "../../src/service/read-list.ts";

/** A service that refuses `page`, returns 3 records by default, and adds `growth` records at each request. */
function growing(growth: number): { list: (query: PageQuery) => Promise<Reply>; ids: number[] } {
  const ids = [1, 2, 3, 4, 5];
  return {
    ids,
    list: async ({ page, perPage = 3 }) => {
      if (page !== undefined || Number(perPage) > 100) {
        return { status: 400, text: "{}", envelope: undefined };
      }
      const data = ids
        .toReversed()
        .slice(0, Number(perPage))
        .map((id) => ({ id }));
      const pageFields = { current_page: 1, last_page: 1, per_page: Number(perPage) };
      const envelope = {
        status: true,
        message: "",
        data: { data, ...pageFields, total: ids.length },
      };
      if (ids.length < 20) {
        ids.push(...Array.from({ length: growth }, () => ids.length + 1).map((id, at) => id + at));
      }
      return { status: 200, text: JSON.stringify(envelope), envelope };
    },
  };
}

test.for([0, 1, 2, 3, 4, 5, 6, 7])(
  "reads a whole list without pages that grows by %i records per request",
  async (growth) => {
    const { list, ids } = growing(growth);
    const seen: unknown[] = [];
    const refusal = await eachRecord(list, ({ id }) => seen.push(id));
    expect(refusal).toBeUndefined();
    expect(new Set(seen).size).toBe(seen.length);
    // Records added after the last request need not be seen.
    const missing = ids.filter((id) => !seen.includes(id));
    expect(missing.every((id) => id > ids.length - growth)).toBe(true);
  },
);

test("reads a whole list whose pages are shorter than the service says", async () => {
  const ids = Array.from({ length: 500 }, (_, index) => 500 - index);
  let requests = 0;
  const list = async ({ page = 1, perPage = 15 }: PageQuery): Promise<Reply> => {
    requests += 1;
    const [number, size] = [Number(page), Math.min(Number(perPage), 100)];
    const data = ids.slice((number - 1) * size, number * size).map((id) => ({ id }));
    const numbers = { current_page: number, last_page: 500 / size, per_page: Number(perPage) };
    const envelope = { status: true, message: "", data: { data, ...numbers, total: 500 } };
    return { status: 200, text: JSON.stringify(envelope), envelope };
  };
  const seen: unknown[] = [];
  expect(await eachRecord(list, ({ id }) => seen.push(id))).toBeUndefined();
  expect(seen).toEqual(ids);
  expect(requests).toBeLessThanOrEqual(6);
});
