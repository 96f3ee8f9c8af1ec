import { describe, expect, test } from "vitest";
import type { Switches } from "./switches.ts";
import { twenty, withVendor } from "./with-vendor.ts";

async function list(switches: Partial<Switches>, query: string) {
  return withVendor(switches, async (send, vendor) => {
    vendor.seed({ groups: twenty });
    const { status, data } = await send("GET", `/group${query}`);
    const { data: records, ...numbers } = data;
    const ids = (records as readonly { readonly id: number }[] | undefined)?.map(({ id }) => id);
    return { status, ids, numbers };
  });
}

describe("lists", () => {
  test("pages in descending order; a page past the end is empty", async () => {
    expect(await list({}, "?perPage=8&page=3")).toStrictEqual({
      status: 200,
      ids: [4, 3, 2, 1],
      numbers: { current_page: 3, last_page: 3, per_page: 8, total: 20 },
    });
    expect(await list({}, "?perPage=8&page=4")).toMatchObject({ status: 200, ids: [] });
    const refused = { pastTheEnd: "refused" } as const;
    expect(await list(refused, "?perPage=8&page=4")).toMatchObject({ status: 404 });
  });

  test.for([
    [{ page: "ignored" }, "?perPage=3&page=2", { ids: [20, 19, 18], numbers: { current_page: 1 } }],
    [{ page: "refused" }, "?perPage=3&page=2", { status: 422 }],
    [{ order: "ascending" }, "?perPage=3", { ids: [1, 2, 3] }],
    [{ maxPerPage: 4 }, "?perPage=9", { ids: [20, 19, 18, 17], numbers: { per_page: 4 } }],
    [{ maxPerPage: 4, overMaxPerPage: "refused" }, "?perPage=9", { status: 422 }],
    [{ defaultPerPage: 2 }, "", { ids: [20, 19] }],
    [{ totalShortBy: 5 }, "?perPage=4", { numbers: { total: 15, last_page: 4 } }],
    [{ pagesOverlap: true }, "?perPage=3&page=2", { ids: [18, 17, 16] }],
    [{ pagesOverlap: true }, "?perPage=3&page=10", { ids: [2, 1], numbers: { last_page: 10 } }],
  ] as const)("%j %s", async ([switches, query, expected]) => {
    expect(await list(switches, query)).toMatchObject(expected);
  });

  test("total may be missing", async () => {
    expect((await list({ withoutTotal: true }, "")).numbers).not.toHaveProperty("total");
  });

  test("total lags behind a write for two list requests", () =>
    withVendor({ totalLag: 2 }, async (send, vendor) => {
      vendor.seed({ groups: twenty });
      await send("POST", "/group", { name: "New" });
      const totals: unknown[] = [];
      for (let request = 0; request < 3; request += 1) {
        totals.push((await send("GET", "/group?perPage=1")).data["total"]);
      }
      expect(totals).toStrictEqual([20, 20, 21]);
    }));
});
