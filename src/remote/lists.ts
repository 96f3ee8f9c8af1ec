import { cursorHeader } from "../contract/request.ts";
import type { PageQuery, Paging } from "../contract/service.ts";
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
  const { reply, response } = await calls.call(name, {
    query: isTooLarge ? { ...query, perPage: maxSize } : query,
  });
  const cursor = cursorOf(response.headers[cursorHeader.toLowerCase()], calls.options);
  const isKnown = maxSize !== undefined || page !== undefined || past_the_end !== undefined;
  const paging: Paging = { page, pastTheEnd: past_the_end, maxSize };
  return {
    response,
    reply: {
      ...reply,
      ...(isKnown ? { paging } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    },
  };
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
