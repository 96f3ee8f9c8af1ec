import type { PageQuery, Paging } from "../contract/service.ts";
import type { CallResult, Calls } from "./calls.ts";

/** Requests a page of a list, no larger than the service is known to allow if a smaller one will do (ruling 18). */
export async function listCall(
  calls: Calls,
  name: "sender-id.list" | "group.list",
  query: PageQuery,
): Promise<CallResult> {
  const { per_page_max: maxSize, page_parameter: page, past_the_end } = calls.options.behaviour;
  const isTooLarge =
    query.takesLess === true && maxSize !== undefined && Number(query.perPage) > maxSize;
  const called = await calls.call(name, {
    query: isTooLarge ? { ...query, perPage: maxSize } : query,
  });
  if (maxSize === undefined && page === undefined && past_the_end === undefined) return called;
  const paging: Paging = { page, pastTheEnd: past_the_end, maxSize };
  return { ...called, reply: { ...called.reply, paging } };
}
