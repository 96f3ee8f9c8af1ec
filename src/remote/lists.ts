import { cursorHeader } from "../contract/request.ts";
import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Paging, type Reply } from "../contract/service.ts";
import type { CallResult, Calls } from "./calls.ts";
import type { RemoteOptions } from "./options.ts";

/**
 * Requests a page of a list, no larger than the service is known to allow if a smaller one will do (ruling 18). A
 * `sendctl serve` returns a cursor for the next one.
 */
export async function listCall(
  calls: Calls,
  name: "sender-id.list" | "group.list",
  query: PageQuery,
): Promise<CallResult> {
  const { per_page_max: maxSize, page_parameter: page, past_the_end } = calls.options.behaviour;
  const isTooLarge =
    query.takesLess === true && maxSize !== undefined && Number(query.perPage) > maxSize;
  const isFromZero = query.page !== undefined && calls.listsFromZero.has(name);
  const { reply, response } = await calls.call(name, {
    query: {
      ...query,
      ...(isTooLarge ? { perPage: maxSize } : {}),
      ...(isFromZero ? { page: Number(query.page) - 1 } : {}),
    },
  });
  const cursor = cursorOf(response.headers[cursorHeader.toLowerCase()], calls.options);
  const isKnown = maxSize !== undefined || page !== undefined || past_the_end !== undefined;
  const paging: Paging = { page, pastTheEnd: past_the_end, maxSize };
  return {
    response,
    reply: {
      ...fromOne(calls, name, query, reply),
      ...(isKnown ? { paging } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    },
  };
}

/** Counts pages from 1. A service counts them from 0 if its first page, with records, is page 0. */
function fromOne(
  { listsFromZero }: Calls,
  name: "sender-id.list" | "group.list",
  query: PageQuery,
  reply: Reply,
): Reply {
  if (!succeeded(reply)) return reply;
  const page = reply.envelope!.data as Page<unknown>;
  const { current_page, last_page, data } = page;
  if (query.page === undefined && current_page === 0 && data.length > 0) listsFromZero.add(name);
  if (!listsFromZero.has(name)) return reply;
  const counted = { ...page, current_page: current_page + 1, last_page: last_page + 1 };
  return { ...reply, envelope: { ...reply.envelope!, data: counted } };
}

const form = /^[\w.~-]{1,200}$/;

/** Returns the cursor of a response. A service that sends the key in its place does not get it into a URL. */
function cursorOf(
  sent: string | string[] | undefined,
  { hide, key }: RemoteOptions,
): string | undefined {
  if (typeof sent !== "string" || !form.test(sent)) return undefined;
  return hide(sent) === sent && !sent.includes(key) ? sent : undefined;
}
