import { cursorHeader } from "../../src/contract/request.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { succeeded, type PageQuery, type Reply, type Service } from "../../src/contract/service.ts";
import { readers } from "../service/changing-list.ts";
import { openOverSocket, type SocketTransport } from "./transports.ts";

const cursorOf = ({ headers }: Reply): string | undefined => headers?.[cursorHeader];

async function opened(): Promise<SocketTransport> {
  const transport = await openOverSocket();
  onTestFinished(transport.close);
  return transport;
}

async function create(service: Service, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const { envelope } = await service["group.create"]({ body: { name: `Group ${n}` } });
    ids.unshift(String((envelope!.data as { readonly id: number }).id));
  }
  return ids;
}

function idsOf({ envelope }: Reply): string[] {
  const { data } = envelope!.data as { readonly data: readonly { readonly id: number }[] };
  return data.map(({ id }) => String(id));
}

describe.for(readers.map((read) => [read.name, read] as const))("a whole list, %s", ([, read]) => {
  /** Reads the groups in pages of 5, and changes them after each page. */
  async function readChanging(
    { services, served }: SocketTransport,
    change: (shown: readonly string[], requests: number) => Promise<void>,
  ) {
    const before = served.length;
    let requests = 0;
    const list = async (query: PageQuery): Promise<Reply> => {
      const reply = await services.owner["group.list"]({ query });
      requests += 1;
      await change(idsOf(reply), requests);
      return reply;
    };
    const shown = await read(list, 5);
    const lists = served.slice(before).filter(({ operation }) => operation === "group.list");
    return { shown, queries: lists.map(({ path }) => path) };
  }

  test("has exactly the groups from the start while others are created", async () => {
    const transport = await opened();
    const { owner, other } = transport.services;
    const ids = await create(owner, 22);
    const { shown, queries } = await readChanging(transport, async () => {
      await create(owner, 7);
      await create(other, 1);
    });
    expect(shown).toEqual(ids);
    // Every page continues after the one before.
    expect(queries).toHaveLength(5);
    expect(queries.slice(1).every((query) => query.includes("cursor="))).toBe(true);
  });

  test("has every remaining group while others are deleted, before and after the page", async () => {
    const transport = await opened();
    const { owner } = transport.services;
    const ids = await create(owner, 22);
    const deleted = new Set<string>();
    const { shown, queries } = await readChanging(transport, async (page, requests) => {
      const unread = ids.find((id) => Number(id) < Number(page.at(-1)) - 3);
      for (const id of [page[requests % 4], page.at(-1), unread]) {
        if (id === undefined || deleted.has(id)) continue;
        deleted.add(id);
        expect(succeeded(await owner["group.delete"]({ path: { id } }))).toBe(true);
      }
    });
    expect(shown).toEqual(expect.arrayContaining(ids.filter((id) => !deleted.has(id))));
    expect(new Set(shown).size).toBe(shown!.length);
    expect(queries.length).toBeLessThanOrEqual(5);
  });
});

describe("a cursor", () => {
  test("selects the next groups, in the same response as their page number", async () => {
    const { services } = await opened();
    await create(services.owner, 12);
    const list = (query: PageQuery): Promise<Reply> => services.owner["group.list"]({ query });
    let cursor: string | undefined;
    for (const page of [1, 2, 3, 4]) {
      const byNumber = await list({ perPage: 5, page });
      const byCursor = await list({
        perPage: 5,
        page,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(byCursor.text).toBe(byNumber.text);
      cursor = cursorOf(byCursor);
      expect(cursor).toEqual(expect.any(String));
    }
  });

  test("continues its own list on a page that another client has just read, too", async () => {
    const { services } = await opened();
    const list = (query: PageQuery): Promise<Reply> => services.owner["group.list"]({ query });
    const ids = await create(services.owner, 9);
    const before = await list({ perPage: 3 });
    await create(services.owner, 1);
    const after = await list({ perPage: 3 });
    for (const [reply, next] of [
      [before, ids.slice(3, 6)],
      [after, ids.slice(2, 5)],
    ] as const) {
      expect(idsOf(await list({ perPage: 3, page: 2, cursor: cursorOf(reply)! }))).toEqual(next);
    }
  });

  test("of another integration or list, or a damaged one, is ignored", async () => {
    const { services } = await opened();
    await create(services.other, 3);
    await create(services.owner, 7);
    await create(services.other, 6);
    const cursor = cursorOf(await services.owner["group.list"]({ query: { perPage: 2, page: 2 } }));
    const [digits = "", check = ""] = cursor!.split("-");
    const id = Number.parseInt(digits, 36);
    const wrong = [
      "",
      digits,
      `${(id + 1).toString(36)}-${check}`,
      `${digits}-${check.slice(0, -1)}`,
      `${cursor},${cursor}`,
      "0",
      "-1",
      "1 OR 1=1",
      "é".repeat(100),
    ];
    const page = { perPage: 2, page: 3 };
    const expectIgnored = async (
      service: Service,
      list: "group.list" | "sender-id.list",
      given: string,
    ): Promise<void> => {
      const reply = await service[list]({ query: { ...page, cursor: given } });
      expect(reply.text).toBe((await service[list]({ query: page })).text);
      expect(cursorOf(reply)).toBeUndefined();
    };
    for (const given of wrong) await expectIgnored(services.owner, "group.list", given);
    await expectIgnored(services.other, "group.list", cursor!);
    await expectIgnored(services.owner, "sender-id.list", cursor!);
    const valid = await services.owner["group.list"]({ query: { ...page, cursor: cursor! } });
    expect(cursorOf(valid)).toBeDefined();
  });

  test("that is ignored does not change the responses to others", async () => {
    const { services } = await opened();
    const cursorFor = async (query: PageQuery): Promise<string | undefined> =>
      cursorOf(await services.owner["group.list"]({ query: { perPage: 2, ...query } }));
    await create(services.owner, 4);
    expect(await cursorFor({ cursor: "wrong" })).toBeUndefined();
    expect(await cursorFor({})).toBeDefined();
    await create(services.owner, 1);
    expect(await cursorFor({})).toBeDefined();
    expect(await cursorFor({ cursor: "wrong" })).toBeUndefined();
  });

  test("is not sent by a list without records", async () => {
    const { services } = await opened();
    expect(cursorOf(await services.owner["group.list"]({ query: {} }))).toBeUndefined();
  });
});
