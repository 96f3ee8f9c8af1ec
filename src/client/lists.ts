import {
  type Page,
  type PageQuery,
  type Reply,
  type ShownRecord,
  succeeded,
} from "../contract/service.ts";
import { eachRecord } from "../service/read-list.ts";
import { isRefusal, successOf } from "../service/refusals.ts";
import type { Calls } from "./calls.ts";

type ListName = "sender-id.list" | "group.list";

/**
 * Requests a page of a list, no larger than the service is known to allow if a smaller one will do
 * (ruling 18). A `sendctl serve` returns a cursor for the next one.
 */
export async function listPage(calls: Calls, name: ListName, query: PageQuery): Promise<Reply> {
  const { per_page_max: maxSize } = calls.options.behaviour;
  const isTooLarge =
    query.acceptsSmaller === true && maxSize !== undefined && Number(query.perPage) > maxSize;
  const isFromZero = query.page !== undefined && calls.listsFromZero.has(name);
  const reply = await calls.call(name, {
    query: {
      ...query,
      ...(isTooLarge ? { perPage: maxSize } : {}),
      ...(isFromZero ? { page: Number(query.page) - 1 } : {}),
    },
  });
  return fromOne(calls, name, query, reply);
}

/** Counts pages from 1. A service counts them from 0 if its first page, with records, is page 0. */
function fromOne({ listsFromZero }: Calls, name: ListName, query: PageQuery, reply: Reply): Reply {
  if (!succeeded(reply)) return reply;
  const page = reply.envelope!.data as Page<unknown>;
  const { current_page, last_page, data } = page;
  if (query.page === undefined && current_page === 0 && data.length > 0) listsFromZero.add(name);
  if (!listsFromZero.has(name)) return reply;
  const counted = { ...page, current_page: current_page + 1, last_page: last_page + 1 };
  return { ...reply, envelope: { ...reply.envelope!, data: counted } };
}

/** Passes every record of a list to `take`; returns the refusal if the service refuses. */
export async function eachListed(
  calls: Calls,
  name: ListName,
  take: (record: ShownRecord) => void,
): Promise<Reply | undefined> {
  try {
    await eachRecord(async (query) => successOf(await listPage(calls, name, query)), take);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error.reply;
    throw error;
  }
}
