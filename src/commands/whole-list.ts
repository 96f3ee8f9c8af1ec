import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";
import { Failure } from "../failure.ts";
import { pageItems } from "../io/json-text.ts";

type Listed = { readonly id: number };

interface Item {
  readonly record: Listed;
  /** As it came. */
  readonly text: string;
}

/** A list that changes while it is read is read again, so many times in all. */
const passes = 3;

/**
 * Every record of a list, newest first, as one answer of one page.
 *
 * @param list the operation
 * @param perPage records to ask for at a time
 * @throws Failure "answer" when the service has more records than it can be brought to show
 */
export async function wholeList(
  list: (query: PageQuery) => Promise<Reply>,
  perPage: number,
): Promise<Reply> {
  const items = new Map<number, Item>();
  let total = 0;
  let message = "";
  for (let pass = 1; pass <= passes; pass += 1) {
    for (let page = 1; ; page += 1) {
      const reply = await list({ perPage, page });
      if (!succeeded(reply)) return reply;
      const { data, last_page, total: count } = reply.envelope!.data as Page<Listed>;
      const texts = pageItems(reply.text);
      data.forEach((record, index) => items.set(record.id, { record, text: texts[index]! }));
      total = count;
      message = reply.envelope!.message;
      if (page >= last_page) break;
    }
    if (items.size >= total) return onePage(message, [...items.values()]);
  }
  throw new Failure(
    "answer",
    `The list changes faster than it can be read: ${items.size} of ${total} records came; try again`,
  );
}

function onePage(message: string, items: Item[]): Reply {
  items.sort((one, other) => other.record.id - one.record.id);
  const count = items.length;
  const numbers = `"current_page":1,"last_page":1,"per_page":${count},"total":${count}`;
  const records = items.map(({ text }) => text).join(",");
  const data: Page<Listed> = {
    data: items.map(({ record }) => record),
    current_page: 1,
    last_page: 1,
    per_page: count,
    total: count,
  };
  return {
    status: 200,
    text: `{"status":true,"message":${JSON.stringify(message)},"data":{"data":[${records}],${numbers}}}`,
    envelope: { status: true, message, data },
  };
}
