import { cursorHeader } from "../../src/contract/request.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PageQuery, Reply } from "../../src/contract/service.ts";
import { readers } from "./changing-list.ts";

/** What other clients do between two requests: the number of creates, and positions of records to delete. */
interface Change {
  readonly creates: number;
  readonly deletes: readonly number[];
}

interface Service {
  readonly ids: number[];
  readonly list: (query: PageQuery) => Promise<Reply>;
  /** Ids of records that have existed throughout. */
  readonly kept: () => string[];
  /** Ids of records that existed at the first request. */
  readonly old: readonly string[];
}

type Variant =
  | "numbers"
  | "texts"
  | "cursors"
  | "some cursors"
  | "a last page again"
  | "numbers of a page size that is not kept";

/** A service that lists the newest records first, and changes between the requests. */
function changingService(count: number, changes: readonly Change[], variant: Variant): Service {
  const ids = Array.from({ length: count }, (_, index) => count - index);
  const old = ids.map(String);
  let requests = 0;
  const change = ({ creates, deletes }: Change): void => {
    for (let n = 0; n < creates; n += 1) ids.unshift((created += 1));
    for (const at of deletes) ids.splice(at, 1);
  };
  let created = count;
  const list = async ({ perPage, page = 1, cursor }: PageQuery): Promise<Reply> => {
    if (requests > 0) change(changes[requests - 1] ?? { creates: 0, deletes: [] });
    requests += 1;
    const size = Number(perPage);
    // A limit of the page size, so that one page can't show everything.
    if (size > 10) return { status: 422, text: "{}", envelope: undefined };
    const kept = variant === "numbers of a page size that is not kept" ? Math.min(size, 4) : size;
    const hasCursors = variant === "cursors" || (variant === "some cursors" && requests % 3 > 0);
    const last = Math.max(1, Math.ceil(ids.length / size));
    const number = variant === "a last page again" ? Math.min(last, Number(page)) : Number(page);
    const rest =
      hasCursors && cursor !== undefined
        ? ids.filter((id) => id < Number(cursor))
        : ids.slice((number - 1) * kept);
    const shown = rest.slice(0, kept);
    const data = {
      data: shown.map((id) => ({ id: variant === "texts" ? String(id) : id })),
      current_page: number,
      last_page: last,
      per_page: size,
      total: ids.length,
    };
    const envelope = { status: true, message: "", data };
    const headers: Reply["headers"] = hasCursors
      ? { [cursorHeader]: String(shown.at(-1) ?? cursor ?? 0) }
      : {};
    return { status: 200, text: JSON.stringify(envelope), envelope, headers };
  };
  return { ids, list, old, kept: () => old.filter((id) => ids.includes(Number(id))) };
}

const variants: readonly Variant[] = [
  "numbers",
  "texts",
  "cursors",
  "some cursors",
  "a last page again",
];

/** Returns the ids of records that did not exist at the first request, and those shown twice. */
function surplus(shown: readonly string[], { old }: Service): string[] {
  return shown.filter((id, index) => !old.includes(id) || shown.indexOf(id) !== index);
}

describe.for(variants)("a list that changes while it is read, by %s", (variant) => {
  test.for([1, 2, 3, 7])(
    "has exactly the records from the start while %i are created at each request",
    async (creates) => {
      for (const read of readers) {
        for (const count of [1, 9, 10, 30, 95]) {
          const changes = Array.from({ length: 25 }, () => ({ creates, deletes: [] }));
          const service = changingService(count, changes, variant);
          expect(await read(service.list, 10)).toStrictEqual(service.old);
        }
      }
    },
  );

  test.for([0, 4, 9, 10, 11, 19])("has every record if the one at %i is deleted", async (at) => {
    for (const read of readers) {
      const changes = [{ creates: 0, deletes: [at] }];
      const service = changingService(35, changes, variant);
      const shown = await read(service.list, 10);
      expect(shown).toStrictEqual(expect.arrayContaining(service.kept()));
      expect(surplus(shown!, service)).toStrictEqual([]);
    }
  });
});

// Where cursors come and go while records are deleted, a record can be missing unnoticed (about one list in 100,000).
const followed: readonly Variant[] = [
  ...variants.filter((variant) => variant !== "some cursors"),
  "numbers of a page size that is not kept",
];

test.for(followed)(
  "a list by %s has every record that existed throughout exactly once, or is reported as incomplete",
  async (variant) => {
    // Totals don't show a deletion beside a creation between the same two requests. Where the size of pages is wrong, as
    // many creations as a page has records look like a last page that is repeated.
    const hasCreates = variant !== "numbers of a page size that is not kept";
    const creates = hasCreates ? fc.oneof(fc.nat(3), fc.nat(25)) : fc.constant(0);
    const deletes = fc.array(fc.nat(60), { maxLength: 12 });
    const change = fc.oneof(
      fc.record({ creates, deletes: fc.constant([]) }),
      fc.record({ creates: fc.constant(0), deletes }),
    );
    let complete = 0;
    const property = fc.asyncProperty(
      fc.array(change, { maxLength: 20 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom(...readers),
      async (changes, count, size, read) => {
        const service = changingService(count, changes, variant);
        const shown = await read(service.list, size);
        if (shown === undefined) return;
        complete += 1;
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown).toStrictEqual(expect.arrayContaining(service.kept()));
      },
    );
    await fc.assert(property, { numRuns: 500 });
    // Most lists can be read.
    expect(complete).toBeGreaterThan(250);
  },
);

test("a list whose pages are shorter than the service says is read in few requests", async () => {
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
  for (const read of readers) {
    requests = 0;
    expect(await read(list, 1000)).toEqual(ids.map(String));
    expect(requests).toBeLessThanOrEqual(6);
  }
});
